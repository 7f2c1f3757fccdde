//! The same work on many things, on all cores.

use std::num::NonZero;

/// Works on each thing and returns the results in the order of the things. Neighbours share a core.
pub fn on_all_cores<T: Send, R: Send>(things: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if things.len() < 2 {
        return things.into_iter().map(work).collect();
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = things.len().div_ceil(cores);
    let mut things = things.into_iter();
    let shares: Vec<Vec<T>> = (0..cores).map(|_| things.by_ref().take(share).collect()).collect();
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(move || share.into_iter().map(work).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("the work does not panic")).collect()
    })
}
