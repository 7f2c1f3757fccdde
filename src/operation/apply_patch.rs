//! `apply_patch`: several files are added, updated, moved and deleted, all of them or none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bytes::Bytes;
use super::draft::{Draft, shown, tell};
use super::freshness::{Stale, fresh, whole_file_seen};
use super::told;
use super::{Fields, FileOperation, FileSpec};
use crate::edit::{self, Patch, SectionChange};
use crate::fault::{Code, Fault};
use crate::files::{Base, Place, Root, on_all_cores};
use crate::plan::{FileChange, FileNeed, FilePlan, Tier};

/// Applies a patch to several files: all of it or nothing. It takes the block form (`@@`, old lines, `===`, new lines) and
/// the V4A form (lines that begin with a space, `-` or `+`), with `*** Add File:`, `*** Update File:`,
/// `*** Delete File:` and `*** Move to:`. Every hunk is found in the file as it is, in any order. At most 1,000 sections,
/// and files of 64 MiB.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyPatch {
    /// The whole patch.
    patch: String,
    /// Whether to change files although they have changed since this session read them. Default false.
    force: Option<bool>,
}

impl Fields for ApplyPatch {}

impl FileOperation for ApplyPatch {
    const SPEC: FileSpec = FileSpec {
        tier: Tier::Write,
        example: r#"{"operation": "apply_patch", "patch": "*** Begin Patch\n*** Update File: src/login.rs\n@@\nlet tries = 3;\n===\nlet tries = 5;\n*** Add File: docs/login.md\nFive tries.\n*** End Patch\n"}"#,
        messages: &[
            ("done", "Success: Applied patch to {N} file(s)"),
            ("it has no section", "Error: Patch contains no operations"),
            (
                "text stands where a header belongs",
                "Error: Invalid patch: Unexpected line in patch (expected a section header): {line}",
            ),
            ("the file to add is there", "Error: Cannot add '{path}': file already exists"),
            ("the file to delete is not there", "Error: Cannot delete '{path}': file not found"),
            ("the file to update is not there", "Error: Cannot update '{path}': file not found"),
            ("the file to move is not there", "Error: Cannot move '{path}': file not found"),
            (
                "there is something where it is to go",
                "Error: Cannot move '{path}' to '{to}': destination already exists",
            ),
            ("a hunk has nothing to find", "Error: Empty hunk in update for '{path}'"),
            ("a hunk is not found", "Error: Hunk not found in '{path}': '{preview}'"),
            ("a hunk is found more than once", "Error: Ambiguous hunk in '{path}': '{preview}' matches {N} locations"),
            (
                "the file has changed since this session read it",
                "Error: Cannot update '{path}': file changed since it was read - re-read before editing (or pass force=True to override).",
            ),
            (
                "the file is UTF-16",
                "Error: Cannot update '{path}': UTF-16 encoding is not supported. Please convert the file to UTF-8.",
            ),
        ],
    };

    fn writes(&self, root: &Root) -> Result<Vec<Place>, Fault> {
        let patch = self.parsed()?;
        let mut places = Vec::with_capacity(patch.sections.len());
        for section in &patch.sections {
            let to = match &section.change {
                SectionChange::Move { to } | SectionChange::Update { move_to: Some(to), .. } => Some(to),
                SectionChange::Add { .. } | SectionChange::Update { move_to: None, .. } | SectionChange::Delete => None,
            };
            for path in std::iter::once(&section.path).chain(to) {
                places.push(root.place(path).map_err(|fault| fault.detail("line", section.line))?);
            }
        }
        places.sort();
        places.dedup();
        Ok(places)
    }

    fn plan(&self, need: &dyn FileNeed) -> Result<FilePlan, Fault> {
        let patch = self.parsed()?;
        let mut composed = Composed {
            need,
            force: self.force.unwrap_or_default(),
            files: Vec::new(),
            at: BTreeMap::new(),
            warnings: Vec::new(),
        };
        for section in &patch.sections {
            let path = section.path.as_str();
            match &section.change {
                SectionChange::Add { content } => composed.add(path, content)?,
                SectionChange::Delete => composed.delete(path)?,
                SectionChange::Move { to } => composed.relocate(path, to)?,
                SectionChange::Update { hunks, move_to } => {
                    composed.update(path, hunks)?;
                    if let Some(to) = move_to {
                        composed.relocate(path, to)?;
                    }
                }
            }
        }
        composed.finish()
    }
}

impl ApplyPatch {
    fn parsed(&self) -> Result<Patch, Fault> {
        edit::parse(&self.patch).map_err(|error| {
            let fault = Fault::words(Code::BadPatch, format!("Error: {}", error.message));
            fault.hint(error.hint()).detail("line", error.line)
        })
    }
}

/// All files of a patch as its sections leave them, one after the other.
struct Composed<'a> {
    need: &'a dyn FileNeed,
    force: bool,
    /// In the order in which the patch names them first.
    files: Vec<Draft<'a>>,
    at: BTreeMap<Place, usize>,
    warnings: Vec<String>,
}

impl<'a> Composed<'a> {
    fn draft(&mut self, path: &str) -> Result<usize, Fault> {
        let place = self.need.root().place(path)?;
        if let Some(at) = self.at.get(&place) {
            return Ok(*at);
        }
        let base = self.need.to_write(&place)?;
        let now = base.clone().map(Bytes::Of);
        self.at.insert(place.clone(), self.files.len());
        self.files.push(Draft {
            place,
            base,
            now,
            hunks: Vec::new(),
            replacements: Vec::new(),
            moved_from: None,
            moved_to: None,
        });
        Ok(self.files.len() - 1)
    }

    fn add(&mut self, path: &str, content: &str) -> Result<(), Fault> {
        let at = self.draft(path)?;
        let draft = &mut self.files[at];
        if draft.now.is_some() {
            return Err(Fault::words(Code::FileExists, format!("Error: Cannot add '{path}': file already exists"))
                .detail("path", draft.place.as_str()));
        }
        draft.now = Some(Bytes::New(content.as_bytes().to_vec()));
        // In the place of a file that the patch deletes, it overwrites that file.
        if draft.base.is_some() && !self.force {
            whole_file_seen(self.need, &draft.place)?;
        }
        Ok(())
    }

    fn update(&mut self, path: &str, hunks: &'a [edit::Hunk]) -> Result<(), Fault> {
        let at = self.existing(path, "update", Stale::Update)?;
        self.files[at].hunks.extend(hunks);
        for hunk in hunks.iter().filter(|hunk| hunk.layout > 0) {
            self.warnings.push(format!(
                "{} blank line(s) at the end of the hunk at line {} were taken as the layout of the patch",
                hunk.layout, hunk.line
            ));
        }
        Ok(())
    }

    fn delete(&mut self, path: &str) -> Result<(), Fault> {
        let at = self.existing(path, "delete", Stale::Delete)?;
        // A hunk that does not fit is a mistake also where the file goes afterwards.
        self.files[at].settle()?;
        self.files[at].now = None;
        Ok(())
    }

    fn relocate(&mut self, path: &str, to: &str) -> Result<(), Fault> {
        let from = self.existing(path, "move", Stale::Move)?;
        self.files[from].settle()?;
        let onto = self.draft(to)?;
        let refused =
            |code, why: &str| Err(Fault::words(code, format!("Error: Cannot move '{path}' to '{to}': {why}")));
        if from == onto {
            return refused(Code::BadPatch, "source and destination are the same path");
        }
        if self.files[onto].now.is_some() {
            return refused(Code::FileExists, "destination already exists");
        }
        let origin = self.files[from].moved_from.clone().unwrap_or_else(|| self.files[from].place.clone());
        let target = self.files[onto].place.clone();
        let replacements = std::mem::take(&mut self.files[from].replacements);
        let now = self.files[from].now.take();
        self.files[from].moved_to = Some(target);
        let draft = &mut self.files[onto];
        draft.now = now;
        draft.replacements = replacements;
        draft.moved_from = Some(origin);
        Ok(())
    }

    /// A file that is there by now, and that is what the session has read.
    fn existing(&mut self, path: &str, verb: &str, stale: Stale) -> Result<usize, Fault> {
        let at = self.draft(path)?;
        let draft = &self.files[at];
        if draft.now.is_none() {
            return Err(Fault::words(Code::FileMissing, format!("Error: Cannot {verb} '{path}': file not found"))
                .detail("path", draft.place.as_str()));
        }
        if draft.base.is_some() {
            fresh(self.need, (&draft.place, draft.base.as_ref()), (None, self.force), stale)?;
        }
        Ok(at)
    }

    /// Puts the pending hunks of all files in, on all cores. The first fault in the order of the patch is told.
    fn settle_all(&mut self) -> Result<(), Fault> {
        let open = self.files.iter_mut().filter(|draft| !draft.hunks.is_empty()).collect();
        on_all_cores(open, Draft::settle).into_iter().collect()
    }

    /// A patch cannot make both `a` and `a/b`.
    fn no_file_is_a_folder(&self) -> Result<(), Fault> {
        let files: BTreeSet<&str> =
            self.files.iter().filter(|draft| draft.now.is_some()).map(|draft| draft.place.as_str()).collect();
        for path in files.iter().copied() {
            if let Some(folder) =
                path.match_indices('/').map(|(end, _)| &path[..end]).find(|folder| files.contains(folder))
            {
                let why =
                    format!("Error: Conflicting operations: '{folder}' is to be a file, and the folder of '{path}'");
                return Err(Fault::words(Code::BadPatch, why).detail("path", path));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<FilePlan, Fault> {
        self.settle_all()?;
        self.no_file_is_a_folder()?;
        let bases: BTreeMap<Place, Option<Arc<Base>>> =
            self.files.iter().map(|draft| (draft.place.clone(), draft.base.clone())).collect();
        let mut plan = FilePlan { several: true, warnings: self.warnings, ..FilePlan::default() };
        let mut told = Vec::new();
        let mut room = told::MAX_DIFFS;
        for draft in self.files {
            if let Some((file, said)) = tell(&draft, &bases, room.min(told::MAX_DIFF)) {
                room = room.saturating_sub(file.diff.as_ref().map_or(0, String::len));
                plan.files.push(file);
                told.push(said);
            }
            let stays = match (&draft.now, &draft.base) {
                (Some(now), Some(base)) => now.is(base),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            if stays {
                continue;
            }
            let shown = shown(self.need, &draft);
            let (after, like) = (draft.now.map(Bytes::into_content), draft.moved_from);
            plan.changes.push(FileChange { place: draft.place, base: draft.base, after, like, shown });
        }
        if plan.changes.is_empty() {
            return Err(Fault::words(Code::NoChange, "Error: The patch leaves every file as it is"));
        }
        self.need.proved("every hunk is found in exactly one place of the file as it is".to_owned());
        plan.text = format!("Success: Applied patch to {} file(s)\n\n{}", plan.files.len(), told::bounded(told));
        Ok(plan)
    }
}
