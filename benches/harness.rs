//! Rounds in which everything that is compared runs in turn, and what they amount to.

use std::time::Duration;

/// How often things are measured.
pub(crate) struct Effort {
    /// Rounds of what takes milliseconds.
    pub(crate) rounds: usize,
    /// Rounds of what takes a second.
    pub(crate) long: usize,
}

/// Something that is measured: it gets ready, then tells how long the work took.
pub(crate) type Contender<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// The times of one contender, in the order of the rounds.
#[derive(Debug, Clone)]
pub(crate) struct Times(Vec<Duration>);

impl Effort {
    pub(crate) const fn full() -> Self {
        Self { rounds: 21, long: 7 }
    }

    pub(crate) const fn quick() -> Self {
        Self { rounds: 3, long: 1 }
    }
}

/// Lets all contenders run in turn, once unmeasured and then so many rounds; each round begins with another one.
pub(crate) fn in_turn<const N: usize>(rounds: usize, mut contenders: [Contender<'_>; N]) -> [Times; N] {
    for contender in &mut contenders {
        contender();
    }
    let mut times = [const { Vec::new() }; N];
    for round in 0..rounds {
        for turn in 0..N {
            let at = (round + turn) % N;
            times[at].push(contenders[at]());
        }
    }
    times.map(Times)
}

/// Times one thing alone.
pub(crate) fn alone(rounds: usize, contender: Contender<'_>) -> Times {
    let [times] = in_turn(rounds, [contender]);
    times
}

impl Times {
    /// Times that were taken otherwise.
    pub(crate) fn of(times: Vec<Duration>) -> Self {
        Self(times)
    }

    /// The time in the middle.
    pub(crate) fn median(&self) -> Duration {
        self.at(1, 2)
    }

    /// The times that a tenth of the rounds stays below and above.
    pub(crate) fn spread(&self) -> (Duration, Duration) {
        (self.at(1, 10), self.at(9, 10))
    }

    /// The shortest, which other programs have disturbed least.
    pub(crate) fn least(&self) -> Duration {
        self.at(0, 1)
    }

    /// How many times as long as another, round by round: the ratio in the middle.
    pub(crate) fn against(&self, other: &Self) -> f64 {
        let mut ratios: Vec<f64> =
            self.0.iter().zip(&other.0).map(|(one, other)| one.as_secs_f64() / other.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }

    fn at(&self, part: usize, of: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        sorted[(sorted.len() * part / of).min(sorted.len() - 1)]
    }
}
