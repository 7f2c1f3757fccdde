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

/// Replacements in the order of the text, which must not overlap.
///
/// # Errors
/// [`Overlap`], with the indexes of the first two that want the same bytes.
pub fn in_order(replacements: &[Replacement]) -> Result<Vec<&Replacement>, Overlap> {
    let follows = |two: &[Replacement]| two[0].range.end <= two[1].range.start;
    if replacements.windows(2).all(follows) {
        return Ok(replacements.iter().collect());
    }
    let mut order: Vec<usize> = (0..replacements.len()).collect();
    order.sort_by_key(|&index| (replacements[index].range.start, replacements[index].range.end));
    if let Some(two) = order.windows(2).find(|two| replacements[two[0]].range.end > replacements[two[1]].range.start) {
        return Err(Overlap { first: two[0], second: two[1] });
    }
    Ok(order.into_iter().map(|index| &replacements[index]).collect())
}

impl Text<'_> {
    /// The whole text with all replacements made, its byte order mark too. They may come in any order.
    ///
    /// # Errors
    /// [`Overlap`], with the indexes of the first two that want the same bytes.
    pub fn spliced(&self, replacements: &[Replacement]) -> Result<String, Overlap> {
        let order = in_order(replacements)?;
        let added: usize = replacements.iter().map(|replacement| replacement.text.len()).sum();
        let mut text = String::with_capacity(self.mark().len() + self.body.len() + added);
        text += self.mark();
        let mut copied = 0;
        for replacement in order {
            text += &self.body[copied..replacement.range.start];
            text += &replacement.text;
            copied = replacement.range.end;
        }
        text += &self.body[copied..];
        Ok(text)
    }
}
