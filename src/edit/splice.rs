//! Putting replacements into a text: every byte outside them stays as it is.

use super::ladder::Replacement;
use super::text::Text;

/// Two replacements that want the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("replacements {first} and {second} overlap")]
pub struct Overlap {
    /// Index of the one that begins first.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
}

/// The body with all replacements made. They may come in any order.
///
/// # Errors
/// [`Overlap`], with the indexes of the first two that want the same bytes.
pub fn splice(body: &str, replacements: &[Replacement]) -> Result<String, Overlap> {
    Text { bom: false, body }.spliced(replacements)
}

impl Text<'_> {
    /// The whole text with all replacements made, its byte order mark too. They may come in any order.
    ///
    /// The file's bytes are written once, since at 10 MB a copy of them costs as much as writing them to the disk does.
    ///
    /// # Errors
    /// [`Overlap`], with the indexes of the first two that want the same bytes.
    pub fn spliced(&self, replacements: &[Replacement]) -> Result<String, Overlap> {
        splice_behind(self.mark(), self.body, replacements)
    }
}

fn splice_behind(mark: &str, body: &str, replacements: &[Replacement]) -> Result<String, Overlap> {
    let mut order: Vec<usize> = (0..replacements.len()).collect();
    order.sort_by_key(|&index| (replacements[index].range.start, replacements[index].range.end));
    if let Some(two) = order.windows(2).find(|two| replacements[two[0]].range.end > replacements[two[1]].range.start) {
        return Err(Overlap { first: two[0], second: two[1] });
    }
    let added: usize = replacements.iter().map(|replacement| replacement.text.len()).sum();
    let mut text = String::with_capacity(mark.len() + body.len() + added);
    text += mark;
    let mut copied = 0;
    for replacement in order.into_iter().map(|index| &replacements[index]) {
        text += &body[copied..replacement.range.start];
        text += &replacement.text;
        copied = replacement.range.end;
    }
    text += &body[copied..];
    Ok(text)
}
