//! How alike two texts are: `2·M/T` after Ratcliff and Obershelp, as `difflib.SequenceMatcher(None, a, b, autojunk=False)`
//! gives it, in bounded work.

use std::collections::HashMap;
use std::ops::Range;

/// The work that may still be done, in steps of about a nanosecond.
#[derive(Debug)]
pub(super) struct Budget(pub(super) usize);

/// The work is used up: nothing can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

impl Budget {
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(steps).ok_or(Exhausted)?;
        Ok(())
    }
}

/// A character, as a number: its first place among the target's different ones.
pub(super) type Symbol = u32;

/// A character that the target does not have.
const FOREIGN: Symbol = Symbol::MAX;

/// The text that others are compared with.
#[derive(Debug)]
pub(super) struct Target {
    symbols: Vec<Symbol>,
    /// Where each symbol stands, in rising order.
    places: Vec<Vec<usize>>,
    ascii: [Symbol; 128],
    others: HashMap<char, Symbol>,
}

/// A run of symbols that both texts have.
#[derive(Debug, Clone, Copy, Default)]
struct Shared {
    a: usize,
    b: usize,
    len: usize,
}

impl Target {
    pub(super) fn new(text: &str) -> Self {
        let mut target =
            Self { symbols: Vec::new(), places: Vec::new(), ascii: [FOREIGN; 128], others: HashMap::new() };
        for (at, character) in text.chars().enumerate() {
            let mut symbol = target.symbol(character);
            if symbol == FOREIGN {
                symbol = Symbol::try_from(target.places.len()).expect("there are fewer characters than 2^32");
                target.places.push(Vec::new());
                match target.ascii.get_mut(character as usize) {
                    Some(slot) => *slot = symbol,
                    None => drop(target.others.insert(character, symbol)),
                }
            }
            target.places[symbol as usize].push(at);
            target.symbols.push(symbol);
        }
        target
    }

    /// Its length in characters.
    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// The symbol of a character.
    pub(super) fn symbol(&self, character: char) -> Symbol {
        match self.ascii.get(character as usize) {
            Some(symbol) => *symbol,
            None => self.others.get(&character).copied().unwrap_or(FOREIGN),
        }
    }

    /// How often each symbol stands in the target.
    pub(super) fn counts(&self) -> Vec<usize> {
        self.places.iter().map(Vec::len).collect()
    }

    /// How alike `a` and the target are, from 0 to 1. The order counts: `difflib` is not symmetric either.
    pub(super) fn ratio(&self, a: &[Symbol], budget: &mut Budget) -> Result<f64, Exhausted> {
        let mut matched = 0;
        let mut areas = vec![(0..a.len(), 0..self.len())];
        while let Some((left, right)) = areas.pop() {
            if left.is_empty() || right.is_empty() {
                continue;
            }
            let shared = self.longest(a, &left, &right, budget)?;
            if shared.len > 0 {
                matched += shared.len;
                areas.push((left.start..shared.a, right.start..shared.b));
                areas.push((shared.a + shared.len..left.end, shared.b + shared.len..right.end));
            }
        }
        Ok(quotient(matched, a.len() + self.len()))
    }

    /// The longest run in both areas; of equally long ones the first in `a`, of those the first in the target.
    ///
    /// A run of at least `reach` symbols holds one of every `reach`-th symbol of `a`, so only those are looked up, with
    /// a falling `reach`: a long run is found after a few. `difflib` looks up all, which is quadratic.
    fn longest(
        &self,
        a: &[Symbol],
        left: &Range<usize>,
        right: &Range<usize>,
        budget: &mut Budget,
    ) -> Result<Shared, Exhausted> {
        let mut reach = left.len().min(right.len());
        loop {
            let mut best = Shared::default();
            for at in (left.start + reach - 1..left.end).step_by(reach) {
                budget.spend(4)?;
                let places = self.places.get(a[at] as usize).map_or(&[][..], Vec::as_slice);
                let from = places.partition_point(|&place| place < right.start);
                for &place in places[from..].iter().take_while(|&&place| place < right.end) {
                    let shared = self.around(a, (at, place), left, right);
                    budget.spend(1 + shared.len)?;
                    if shared.precedes(&best) {
                        best = shared;
                    }
                }
            }
            if best.len >= reach || reach == 1 {
                return Ok(best);
            }
            reach = best.len.max(reach / 2);
        }
    }

    /// The whole run that goes through a pair of equal symbols.
    fn around(&self, a: &[Symbol], at: (usize, usize), left: &Range<usize>, right: &Range<usize>) -> Shared {
        let equal = |(a, b): (&Symbol, &Symbol)| a == b;
        let before = a[left.start..at.0].iter().rev().zip(self.symbols[right.start..at.1].iter().rev());
        let back = before.take_while(|pair| equal(*pair)).count();
        let after = a[at.0..left.end].iter().zip(&self.symbols[at.1..right.end]);
        let forth = after.take_while(|pair| equal(*pair)).count();
        Shared { a: at.0 - back, b: at.1 - back, len: back + forth }
    }
}

impl Shared {
    fn precedes(&self, other: &Self) -> bool {
        self.len > other.len || (self.len == other.len && (self.a, self.b) < (other.a, other.b))
    }
}

/// `2·matched/total`, and 1 for two empty texts.
#[expect(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 characters")]
pub(super) fn quotient(matched: usize, total: usize) -> f64 {
    if total == 0 { 1.0 } else { 2.0 * matched as f64 / total as f64 }
}

/// How alike two short texts are.
pub(super) fn ratio(a: &str, b: &str, budget: &mut Budget) -> Result<f64, Exhausted> {
    let target = Target::new(b);
    let symbols: Vec<Symbol> = a.chars().map(|character| target.symbol(character)).collect();
    target.ratio(&symbols, budget)
}

#[cfg(test)]
mod tests {
    use super::{Budget, ratio};

    #[test]
    fn ratios_are_those_of_python() {
        let table: Vec<(String, String, f64)> =
            serde_json::from_str(include_str!("similar_difflib.json")).expect("a table of pairs with their ratio");
        assert!(table.len() >= 200);
        for (a, b, expected) in table {
            let found = ratio(&a, &b, &mut Budget(usize::MAX)).expect("enough budget");
            assert!((found - expected).abs() < 1e-12, "{a:?} {b:?}: {found}, difflib says {expected}");
        }
    }

    #[test]
    fn work_is_bounded() {
        let same = "a".repeat(100_000);
        assert!(ratio(&same, &format!("b{same}"), &mut Budget(1_000_000)).is_err());
    }
}
