//! Lines of the table: what, ratio, median, shortest, spread, target and whether it is met.

use std::time::Duration;

use crate::harness::Times;

/// What a line is held to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// At most so many times as long as what it is compared with.
    Ratio(f64),
    /// At most so many milliseconds, in the median.
    Millis(f64),
}

/// The machine as it is now: other programs are part of the result.
pub(crate) fn machine() {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(2).collect::<Vec<_>>().join(" and ");
    println!("\n{cores} cores, load {load} over the last one and five minutes");
}

pub(crate) fn heading(part: &str) {
    println!("\n{part:<50} {:>7} {:>10} {:>10} {:>19}  target", "ratio", "median", "shortest", "spread");
}

/// A line that others are compared with.
pub(crate) fn base(what: &str, times: &Times) {
    line(what, Some(1.0), times, None);
}

/// A line that is compared with another.
pub(crate) fn compared(what: &str, (times, base): (&Times, &Times), target: Option<Target>) {
    line(what, Some(times.against(base)), times, target);
}

/// A line that stands alone.
pub(crate) fn alone(what: &str, times: &Times, target: Option<Target>) {
    line(what, None, times, target);
}

/// How a time grows with ten times the bytes.
pub(crate) fn growth(what: &str, (small, large): (&Times, &Times), most: f64) {
    let ratio = large.median().as_secs_f64() / small.median().as_secs_f64();
    println!("{:<50} {ratio:>7.2} {:>41}  {}", format!("{what}, 10 MB by 1 MB"), "", verdict(ratio, most, "≤", ""));
}

/// How a time grows with twice as much.
pub(crate) fn grown(what: &str, (once, twice): (&Times, &Times), most: f64) {
    let ratio = twice.against(once);
    let (once, twice) = (millis(once.median()), millis(twice.median()));
    println!("{what:<50} {ratio:>7.2} {once:>7.2} ms {twice:>7.2} ms {:>19}  {}", "", verdict(ratio, most, "≤", "×"));
}

/// Instructions, and how many there are for each of the baseline.
pub(crate) fn instructions(what: &str, count: u64, ratio: Option<f64>, most: f64) {
    let (shown, held) = match ratio {
        Some(ratio) => (format!("{ratio:.3}"), if ratio > most { "GROWN" } else { "as before" }),
        None => (String::new(), "not in the baseline"),
    };
    println!("{what:<50} {shown:>7} {:>7.1} M  {:>30}  {held}", mega(count), "");
}

/// One number by another.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn quotient(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}

/// A number of bytes and its limit.
pub(crate) fn bytes(what: &str, used: u64, most: u64) {
    let of = |bytes: u64| mega(bytes);
    let ratio = of(used) / of(most);
    println!("{what:<50} {ratio:>7.2} {:>7.1} MB {:>30}  {}", of(used), "", verdict(of(used), of(most), "≤", " MB"));
}

fn line(what: &str, ratio: Option<f64>, times: &Times, target: Option<Target>) {
    let (low, high) = times.spread();
    let spread = format!("{:.2} to {:.2}", millis(low), millis(high));
    let shown = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
    let held = match target {
        None => String::new(),
        Some(Target::Ratio(most)) => verdict(ratio.unwrap_or(f64::INFINITY), most, "≤", "×"),
        Some(Target::Millis(most)) => verdict(millis(times.median()), most, "≤", " ms"),
    };
    let (median, least) = (millis(times.median()), millis(times.least()));
    println!("{what:<50} {shown:>7} {median:>7.2} ms {least:>7.2} ms {spread:>19}  {held}");
}

fn verdict(value: f64, most: f64, sign: &str, unit: &str) -> String {
    let met = if value <= most { "met" } else { "MISSED" };
    format!("{sign} {most}{unit}: {met}")
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "sizes of memory are far below 2^52")]
fn mega(bytes: u64) -> f64 {
    (bytes as f64 / 1e5).round() / 10.0
}
