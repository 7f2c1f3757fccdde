//! One look at everything, beside `git status`, which looks at less.

use std::time::{Duration, Instant};

use pi_graphite::repo::{Depth, Repo, graphite};

use super::repository::{LARGE, REFS, Repository};
use crate::harness::{Effort, alone, in_turn};
use crate::table::{self, Target};

pub(crate) fn run(effort: &Effort) {
    let large = Repository::new(LARGE);
    let [git, ours] =
        in_turn(effort.rounds, [Box::new(|| large.time("git", &["status", "--porcelain"])), Box::new(|| look(&large))]);
    table::base("50,000 files: git status --porcelain", &git);
    table::compared("50,000 files: open and look", (&ours, &git), Some(Target::Ratio(1.0)));
    drop(large);
    let refs = Repository::new(REFS);
    let times = alone(effort.rounds, Box::new(|| look(&refs)));
    table::alone("10,000 packed tags: open and look", &times, Some(Target::Millis(10.0)));
}

/// The time of one look, the repository opened anew.
pub(crate) fn look(repository: &Repository) -> Duration {
    let started = Instant::now();
    let repo = Repo::open(&repository.path("work")).expect("it is a repository");
    let graphite = graphite(&repo).expect("gt has made its state");
    let snapshot = repo.look(Some(&graphite), Depth::Content).unwrap_or_else(|_| panic!("the stack can be read"));
    std::hint::black_box(snapshot);
    started.elapsed()
}
