//! Characters that a reader takes for others.

/// A character, what it is taken for, and its name.
type Lookalike = (char, &'static str, &'static str);

/// Those that word processors, web pages and models put in the place of plain ones.
const LOOKALIKES: &[Lookalike] = &[
    ('\u{2018}', "'", "left single quotation mark"),
    ('\u{2019}', "'", "right single quotation mark"),
    ('\u{201a}', "'", "low single quotation mark"),
    ('\u{201b}', "'", "reversed single quotation mark"),
    ('\u{2032}', "'", "prime"),
    ('\u{201c}', "\"", "left double quotation mark"),
    ('\u{201d}', "\"", "right double quotation mark"),
    ('\u{201e}', "\"", "low double quotation mark"),
    ('\u{201f}', "\"", "reversed double quotation mark"),
    ('\u{2033}', "\"", "double prime"),
    ('\u{2010}', "-", "hyphen"),
    ('\u{2011}', "-", "non-breaking hyphen"),
    ('\u{2012}', "-", "figure dash"),
    ('\u{2013}', "-", "en dash"),
    ('\u{2014}', "-", "em dash"),
    ('\u{2015}', "-", "horizontal bar"),
    ('\u{2212}', "-", "minus sign"),
    ('\u{2026}', "...", "ellipsis"),
    ('\u{00a0}', " ", "no-break space"),
    ('\u{2002}', " ", "en space"),
    ('\u{2003}', " ", "em space"),
    ('\u{2007}', " ", "figure space"),
    ('\u{2009}', " ", "thin space"),
    ('\u{200a}', " ", "hair space"),
    ('\u{202f}', " ", "narrow no-break space"),
    ('\u{3000}', " ", "ideographic space"),
    ('\u{2028}', " ", "line separator"),
    ('\u{2029}', " ", "paragraph separator"),
    ('\u{0085}', " ", "next line"),
    ('\u{000b}', " ", "vertical tab"),
    ('\u{000c}', "", "form feed"),
    ('\r', "", "carriage return"),
    ('\u{00ad}', "", "soft hyphen"),
    ('\u{200b}', "", "zero width space"),
    ('\u{200c}', "", "zero width non-joiner"),
    ('\u{200d}', "", "zero width joiner"),
    ('\u{2060}', "", "word joiner"),
    ('\u{feff}', "", "byte order mark"),
];

/// Names of the first four look-alikes that only one of two lines has.
pub(super) fn names(wanted: &str, found: &str) -> String {
    let only = |(character, ..): &&Lookalike| wanted.contains(*character) != found.contains(*character);
    let name = |(character, plain, name): &Lookalike| {
        let holder = if wanted.contains(*character) { "`old_string`" } else { "the text" };
        let plain = if plain.is_empty() { "nothing".to_owned() } else { format!("`{plain}`") };
        format!("U+{:04X} ({name}, taken for {plain}) in {holder}", u32::from(*character))
    };
    LOOKALIKES.iter().filter(only).take(4).map(name).collect::<Vec<_>>().join(", ")
}

/// A text with plain characters for their look-alikes, and white space as runs of one space.
pub(super) fn fold(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match LOOKALIKES.iter().find(|(like, ..)| !character.is_ascii_graphic() && *like == character) {
            Some((_, taken_for, _)) => plain += taken_for,
            None => plain.push(character),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in which an accented letter is the same however it is composed, and so are all accented letters.
///
/// Enough to tell that composition may be what differs, without Unicode's tables.
pub(super) fn compose(text: &str) -> String {
    let mut composed = String::with_capacity(text.len());
    for character in text.chars() {
        if is_mark(character) {
            if !composed.ends_with(char::REPLACEMENT_CHARACTER) {
                composed.pop();
                composed.push(char::REPLACEMENT_CHARACTER);
            }
        } else if !character.is_ascii() && character.is_alphabetic() {
            composed.push(char::REPLACEMENT_CHARACTER);
        } else {
            composed.push(character);
        }
    }
    composed
}

/// Whether a text has combining marks.
pub(super) fn is_decomposed(text: &str) -> bool {
    text.chars().any(is_mark)
}

fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}
