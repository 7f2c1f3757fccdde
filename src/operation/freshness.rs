//! Whether a file is still what the caller has read: the hash that the caller names, else what its session has seen.

use std::sync::Arc;

use crate::fault::{Code, Fault};
use crate::files::{Base, Place, Shown};
use crate::plan::FileNeed;
use crate::value::FileHash;

/// Whose words a refusal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stale {
    /// `edit_file`'s.
    Edit,
    /// `write_file`'s.
    Write,
    /// Those of a patch that updates the file.
    Update,
    /// Those of a patch that deletes the file.
    Delete,
    /// Those of a patch that moves the file.
    Move,
}

/// Refuses an edit of a file that is not what the caller has read: `expected_hash` counts before `force`, and `force`
/// before what the session has read last.
pub(super) fn fresh(
    need: &dyn FileNeed,
    (place, base): (&Place, Option<&Arc<Base>>),
    (expected, force): (Option<&FileHash>, bool),
    stale: Stale,
) -> Result<(), Fault> {
    // Asked for late: for a large file somebody else computes it meanwhile.
    let digest = || base.map(|base| base.digest());
    if let Some(expected) = expected {
        let digest = digest();
        if digest.is_some_and(|digest| expected.is(digest)) {
            need.proved(format!("`{place}` has the expected hash"));
            return Ok(());
        }
        let current = digest.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        let words = format!(
            "Error: File has been modified since last read. Please re-read the file before editing. Expected hash: {}..., Current hash: {}...",
            head(&String::from(expected.clone())),
            head(&current)
        );
        return Err(changed(Fault::words(Code::FileChanged, words), place, &current));
    }
    let Some(known) = need.known(place).filter(|_| !force) else { return Ok(()) };
    let current = digest().map_or_else(|| "none".to_owned(), |digest| digest.to_string());
    if known.sha256 == current {
        need.proved(format!("`{place}` is as this session has read it"));
        return Ok(());
    }
    Err(changed(Fault::words(Code::FileChanged, words(stale, place, (&known.sha256, &current))), place, &current))
}

fn words(stale: Stale, place: &Place, (recorded, current): (&str, &str)) -> String {
    let of_patch = |verb: &str| {
        format!(
            "Error: Cannot {verb} '{place}': file changed since it was read - re-read before editing (or pass force=True to override)."
        )
    };
    match stale {
        Stale::Edit => format!(
            "Error: File changed since it was read - re-read before editing (or pass force=True to override). Recorded hash: {}..., Current hash: {}...",
            head(recorded),
            head(current)
        ),
        Stale::Write => format!(
            "Refusing to write {place}: file changed since it was read - re-read before writing (or pass force=True)"
        ),
        Stale::Update => of_patch("update"),
        Stale::Delete => of_patch("delete"),
        Stale::Move => of_patch("move"),
    }
}

fn changed(fault: Fault, place: &Place, current: &str) -> Fault {
    fault.detail("path", place.as_str()).detail("current", current)
}

fn head(hash: &str) -> String {
    hash.chars().take(8).collect()
}

/// Refuses to write over a file of which the session has been shown only a part.
pub(super) fn whole_file_seen(need: &dyn FileNeed, place: &Place) -> Result<(), Fault> {
    match need.known(place).map(|known| known.shown) {
        Some(Shown::Lines(ranges)) => Err(unseen(place, &ranges)),
        Some(Shown::All | Shown::Unread) | None => Ok(()),
    }
}

fn unseen(place: &Place, ranges: &[(usize, usize)]) -> Fault {
    let shown: Vec<String> = ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    let shown = if shown.is_empty() { "no line".to_owned() } else { format!("only lines {}", shown.join(", ")) };
    Fault::new(Code::NotShown, format!("this session has seen {shown} of `{place}`")).detail("path", place.as_str())
}
