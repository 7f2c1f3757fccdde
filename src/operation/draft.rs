//! One file of a patch on its way from what it is to what the patch makes of it, and what is told of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bytes::Bytes;
use super::told::{self, not_text};
use crate::edit::{self, Diff, Frame, Match, Replacement, Text};
use crate::fault::Fault;
use crate::files::{Base, Place, Shown};
use crate::plan::{FileAction, FileNeed, FileReport};

/// One file on its way.
pub(super) struct Draft<'a> {
    pub(super) place: Place,
    pub(super) base: Option<Arc<Base>>,
    /// Its bytes so far; `None` when it is not there.
    pub(super) now: Option<Bytes>,
    /// Hunks that are still to be found, all of them in the bytes so far.
    pub(super) hunks: Vec<&'a edit::Hunk>,
    pub(super) replacements: Vec<Replacement>,
    /// Where it came from.
    pub(super) moved_from: Option<Place>,
    /// Where it went.
    pub(super) moved_to: Option<Place>,
}

impl Draft<'_> {
    /// Finds the hunks that are pending, all in the text as it is, and puts the new text in.
    pub(super) fn settle(&mut self) -> Result<(), Fault> {
        if self.hunks.is_empty() {
            return Ok(());
        }
        let now = self.now.take().expect("hunks are only added to a file that is there");
        let path = self.place.as_str();
        let refused = format!("Error: Cannot update '{path}': ");
        let text = Text::of(now.as_slice()).map_err(|error| not_text(&self.place, error, &refused))?;
        let replacements = edit::resolve(text.body, &self.hunks, (Match::Fuzzy, edit::Kind::of(path)))
            .map_err(|error| told::hunk_fault(path, &error))?;
        self.now = Some(match &now {
            Bytes::Of(base) => Bytes::Edited(Arc::clone(base), told::edited(base, &text, &replacements)?),
            Bytes::Edited(..) | Bytes::New(_) => {
                Bytes::New(text.spliced(&replacements).map_err(told::overlapping)?.into_bytes())
            }
        });
        self.replacements = replacements;
        self.hunks.clear();
        Ok(())
    }
}

/// What the session has been shown of a file as the patch leaves it: what it had been shown of those bytes before,
/// wherever they were, and what it wrote itself.
pub(super) fn shown(need: &dyn FileNeed, draft: &Draft<'_>) -> Shown {
    let known = need.known(draft.moved_from.as_ref().unwrap_or(&draft.place));
    match &draft.now {
        Some(Bytes::Edited(base, after)) => match Text::of(base.bytes()) {
            Ok(before) => {
                let lines = told::lines_of(&before, after);
                told::shown_after(known, base, (before.body, &lines), &draft.replacements)
            }
            Err(_) => Shown::Unread,
        },
        Some(Bytes::Of(_)) => known.map_or(Shown::Unread, |known| known.shown),
        Some(Bytes::New(_)) if draft.base.is_none() && draft.moved_from.is_none() => Shown::All,
        // Written in several steps: nothing more than before is claimed.
        Some(Bytes::New(_)) | None => match known.map(|known| known.shown) {
            Some(Shown::Lines(_)) => Shown::Lines(Vec::new()),
            Some(shown) => shown,
            None => Shown::Unread,
        },
    }
}

/// What is told of one file; nothing of the old place of one that moved, and of one that came and went.
pub(super) fn tell(
    draft: &Draft<'_>,
    bases: &BTreeMap<Place, Option<Arc<Base>>>,
    limit: usize,
) -> Option<(FileReport, String)> {
    let path = draft.place.as_str();
    let Some(now) = &draft.now else {
        let gone = draft.base.is_some() && draft.moved_to.is_none();
        return gone
            .then(|| (FileReport::new(&draft.place, FileAction::Deleted), format!("Deleted {}", told::path(path))));
    };
    let from = draft.moved_from.as_ref();
    let origin = from.and_then(|from| bases.get(from)?.clone()).or_else(|| draft.base.clone());
    let (action, said) = match (from, &draft.base) {
        (Some(from), _) => {
            (FileAction::Moved, format!("Renamed {} -> {}", told::path(from.as_str()), told::path(path)))
        }
        (None, Some(_)) => (FileAction::Changed, format!("Updated {}", told::path(path))),
        (None, None) => (FileAction::Created, format!("Added {}", told::path(path))),
    };
    let mut file = FileReport::new(&draft.place, action);
    file.moved_from = from.map(ToString::to_string);
    let diff = compare(&mut file, draft, (origin.as_ref(), now), limit);
    if !draft.replacements.is_empty() {
        file.replaced = Some(draft.replacements.len());
        file.replacements = draft.replacements.iter().take(told::MAX_REPLACEMENTS).map(told::replacement).collect();
    }
    let mut said = said;
    if let Some(diff) = diff {
        told::diff(&mut file, &diff);
        said = format!("{said}\n{}", edit::brief(&diff));
    }
    said.push_str(&told::drift(&file.replacements));
    said.truncate(said.trim_end().len());
    Some((file, said))
}

/// Tells of the lines, and the diff of both texts; none where one of them is no text, and none of a mere move.
fn compare(
    file: &mut FileReport,
    draft: &Draft<'_>,
    (origin, now): (Option<&Arc<Base>>, &Bytes),
    limit: usize,
) -> Option<Diff> {
    let path = draft.place.as_str();
    let from = draft.moved_from.as_ref().map_or(path, Place::as_str);
    let frame = Frame { before: if origin.is_some() { from } else { edit::NO_FILE }, after: path, limit };
    let before = origin.map(|base| Text::of(base.bytes())).transpose();
    // What changed is known then: the rest of the file need not be compared.
    if let (Bytes::Edited(base, after), Some(origin), Ok(Some(before))) = (now, origin, &before)
        && Arc::ptr_eq(base, origin)
    {
        told::lines(file, &told::lines_of(before, after), before);
        return Some(edit::of_replacements(&frame, before.body, &draft.replacements));
    }
    let after = Text::of(now.as_slice()).ok()?;
    told::text(file, &after);
    let old = before.ok()?.map_or("", |text| text.body);
    let is_mere_move = origin.is_some() && draft.moved_from.is_some() && old == after.body;
    (!is_mere_move).then(|| edit::full(&frame, old, after.body))
}
