//! Hunks of the block dialect: old lines, a separator, new lines.

use super::error::{PatchError, Reason};
use super::line::{Line, run};
use super::update::{Owner, Raw};
use super::{Dialect, Hunk};

/// Reads the hunks of a section.
pub(super) fn hunks(owner: Owner<'_>, raws: &[Raw<'_, '_>]) -> Result<Vec<Hunk>, PatchError> {
    raws.iter().map(|raw| hunk(owner, raw)).collect()
}

fn hunk(owner: Owner<'_>, raw: &Raw<'_, '_>) -> Result<Hunk, PatchError> {
    let header = raw.header.expect("text before the first `@@` is refused in this dialect");
    if let Some(marker) = raw.body.iter().find(|line| line.star().is_some()) {
        return Err(PatchError::unexpected(Reason::BadHeader, marker));
    }
    let separator = match raw.said() {
        "" => "===",
        said if run(said).is_some_and(|run| run.len() >= 3) => said,
        _ => {
            let what = format!("Text after @@ in a hunk with ===: {}", header.quoted());
            return Err(PatchError::invalid(Reason::BadHunkHeader, header.number, &what));
        }
    };
    let mut at = raw.body.iter().enumerate().filter(|(_, line)| line.is_separator(separator)).map(|(index, _)| index);
    let Some(middle) = at.next() else {
        let what = format!("Hunk without its separator {separator} in {} for '{}'", owner.verb, owner.path);
        return Err(PatchError::invalid(Reason::MissingSeparator, header.number, &what));
    };
    if let Some(second) = at.next().map(|index| &raw.body[index]) {
        let what = format!("Second separator {separator} in the hunk of line {}", header.number);
        return Err(PatchError::invalid(Reason::SecondSeparator, second.number, &what));
    }
    let (old, new) = (&raw.body[..middle], &raw.body[middle + 1..]);
    if old.iter().all(Line::is_blank) {
        return Err(owner.empty_hunk(header.number));
    }
    if raw.said().is_empty() && may_be_v4a(old, new) {
        let what = "Prefixed lines on both sides of ===, so the hunk could be meant in both dialects";
        return Err(PatchError::invalid(Reason::BothDialects, raw.body[middle].number, what));
    }
    let layout = blank_at_end(new).saturating_sub(blank_at_end(old));
    let new = &new[..new.len() - layout];
    let (old, new) = (text(old), text(new));
    let dialect = Dialect::Blocks;
    Ok(Hunk { line: header.number, dialect, old, new, changes: Vec::new(), anchors: Vec::new(), at_end: false, layout })
}

/// Whether someone may have put a separator into a V4A hunk: lines are added below it, and none is above it.
fn may_be_v4a(old: &[Line<'_>], new: &[Line<'_>]) -> bool {
    let adds = |line: &Line<'_>| line.text.starts_with('+');
    old.iter().chain(new).all(Line::has_prefix) && new.iter().any(adds) && !old.iter().any(adds)
}

fn blank_at_end(lines: &[Line<'_>]) -> usize {
    lines.iter().rev().take_while(|line| line.text.is_empty()).count()
}

fn text(lines: &[Line<'_>]) -> String {
    lines.iter().flat_map(|line| [line.unescaped(), "\n"]).collect()
}
