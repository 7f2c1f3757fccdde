//! Rungs two to four: runs of whole lines that differ from those looked for in white space only.

use super::Rung;
use super::view::{View, collapse, key, trim};

/// Where `old`, as whole lines, is found on the strictest of the white space rungs: first lines, overlapping ones too.
///
/// `fits` says whether a run that begins at a line is within bounds. Takes one pass over the lines, or two.
pub(super) fn find(view: &View<'_>, old: &[&str], fits: impl Fn(usize) -> bool) -> Vec<usize> {
    let collapsed: Vec<u64> = old.iter().map(|line| key(&collapse(line))).collect();
    let alike: Vec<usize> = runs(view.keys(), &collapsed).into_iter().filter(|&first| fits(first)).collect();
    // Whatever is equal when trimmed is equal when collapsed, so one candidate needs no second pass.
    if let [first] = alike[..] {
        return if is_equal(view, old, first) { alike } else { Vec::new() };
    }
    if alike.is_empty() {
        return alike;
    }
    let trimmed: Vec<u64> = old.iter().map(|line| key(trim(line))).collect();
    let keys: Vec<u64> = (0..view.line_count()).map(|index| key(trim(view.line(index)))).collect();
    let stricter: Vec<usize> = runs(&keys, &trimmed).into_iter().filter(|&first| fits(first)).collect();
    if stricter.is_empty() { alike } else { stricter }
}

/// Whether the run of lines from `first` on differs from `old` in white space only.
pub(super) fn is_equal(view: &View<'_>, old: &[&str], first: usize) -> bool {
    old.iter().zip(first..).all(|(old, index)| collapse(old) == collapse(view.line(index)))
}

/// The name of a match: the strictest description that is true of all its lines.
pub(super) fn name(view: &View<'_>, old: &[&str], first: usize) -> Rung {
    let all = |same: fn(&str, &str) -> bool| old.iter().zip(first..).all(|(old, index)| same(old, view.line(index)));
    if !all(|old, file| trim(old) == trim(file)) {
        Rung::WhitespaceNormalised
    } else if all(|old, file| {
        old.trim_start_matches(super::view::BLANKS) == file.trim_start_matches(super::view::BLANKS)
    }) && !all(|old, file| old == file)
    {
        Rung::IndentationFlexible
    } else {
        Rung::LineTrimmed
    }
}

/// Where `pattern` stands in `keys`, overlapping places too, after Knuth, Morris and Pratt.
///
/// Files and patterns of a thousand identical lines are why it is not done place by place.
fn runs(keys: &[u64], pattern: &[u64]) -> Vec<usize> {
    let borders = borders(pattern);
    let mut found = Vec::new();
    let mut matched = 0;
    for (index, key) in keys.iter().enumerate() {
        while matched > 0 && (matched == pattern.len() || pattern[matched] != *key) {
            matched = borders[matched - 1];
        }
        if pattern[matched] == *key {
            matched += 1;
        }
        if matched == pattern.len() {
            found.push(index + 1 - pattern.len());
        }
    }
    found
}

/// For each prefix of the pattern, the length of its longest proper prefix that is also its suffix.
fn borders(pattern: &[u64]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut matched = 0;
    for index in 1..pattern.len() {
        while matched > 0 && pattern[matched] != pattern[index] {
            matched = borders[matched - 1];
        }
        if pattern[matched] == pattern[index] {
            matched += 1;
        }
        borders[index] = matched;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn runs_are_those_that_are_found_place_by_place() {
        for seed in 0..3000_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % below
            };
            let keys: Vec<u64> = (0..next(24)).map(|_| next(2)).collect();
            let pattern: Vec<u64> = (0..=next(5)).map(|_| next(2)).collect();
            let naive: Vec<usize> =
                keys.windows(pattern.len()).enumerate().filter(|(_, run)| *run == pattern).map(|(at, _)| at).collect();
            assert_eq!(runs(&keys, &pattern), naive, "{keys:?} {pattern:?}");
        }
    }
}
