//! Every rung, misses, and replacing everywhere, at three sizes: the time and how it grows.

use pi_graphite::edit::Rung;
use serde_json::{Value, json};

use super::input::{self, SIZES};
use super::site::{Flip, Site, edit};
use crate::harness::{Contender, Effort, Times, alone, in_turn};
use crate::table::{self, Target};

/// Most milliseconds at 10 MB.
const MOST: Target = Target::Millis(150.0);
/// Most growth from 1 MB to 10 MB.
const GROWTH: f64 = 12.0;

/// A name, and the two requests that change the function with a number there and back.
type Case = (&'static str, Option<Rung>, fn(usize) -> Flip);

const CASES: &[Case] = &[
    ("exact", Some(Rung::Exact), |number| {
        Flip::new(("value", "other"), |old, new| request(&input::line(number, old), &input::line(number, new)))
    }),
    ("line_trimmed", Some(Rung::LineTrimmed), |number| {
        Flip::new(("value", "other"), |old, new| request(&(start(number, old) + "  "), &start(number, new)))
    }),
    ("whitespace_normalised", Some(Rung::WhitespaceNormalised), |number| {
        Flip::new(("value", "other"), |old, new| {
            request(&start(number, old).replace(" = ", "  =  "), &start(number, new))
        })
    }),
    ("indentation_flexible", Some(Rung::IndentationFlexible), |number| {
        let flat = |verb| start(number, verb).lines().map(str::trim).collect::<Vec<_>>().join("\n");
        Flip::new(("value", "other"), |old, new| request(&flat(old), &flat(new)))
    }),
    ("block_anchor", Some(Rung::BlockAnchor), |number| {
        let recalled = |verb| input::function(number, verb).trim_end().replace("let total =", "let totals =");
        Flip::new(("value", "other"), |old, new| request(&recalled(old), &recalled(new)))
    }),
];

pub(crate) fn run(effort: &Effort) {
    for (name, rung, of) in CASES {
        let times = SIZES.map(|(size, bytes)| {
            let (site, text) = (Site::new(), input::source(bytes));
            site.put("ours.rs", &text);
            let mut flip = of(input::middle(&text));
            let (_, first) = site.send(flip.turn());
            let found = first.file.as_ref().and_then(|file| file.replacements.first()).map(|one| one.rung);
            assert_eq!(found, *rung, "{}", first.text);
            timed(effort, &format!("{name}, {size}"), bytes, Box::new(move || site.done(flip.turn())))
        });
        table::growth(name, (&times[1], &times[2]), GROWTH);
    }
    everywhere(effort);
    repetitive(effort);
}

/// A name, the text, and what is looked for in it.
type Miss = (&'static str, fn(usize) -> String, fn(&str) -> String);

const MISSES: &[Miss] = &[
    ("near miss of 3 lines", input::source, |text| {
        start(input::middle(text), "value").replace("input", "inputs").replace("first >", "first >=")
    }),
    ("far miss of 3 lines", input::source, |_| "alpha beta\ngamma delta\nepsilon zeta eta".to_owned()),
    ("miss of 1,000 lines", input::source, |text| {
        let first = input::middle(text) / 2;
        (first..first + 112).map(|number| input::function(number, "values")).collect()
    }),
    ("miss among look-alike blocks", input::look_alikes, |_| {
        "    if ctx.debug {\n        trace(ctx, state, \"never\");\n        total -= 1;\n    }\n".to_owned()
    }),
];

pub(crate) fn misses(effort: &Effort) {
    for (name, of, wanted) in MISSES {
        let times = SIZES.map(|(size, bytes)| {
            let (site, text) = (Site::new(), of(bytes));
            site.put("ours.rs", &text);
            let request = request(&wanted(&text), "nothing").to_string();
            timed(effort, &format!("{name}, {size}"), bytes, Box::new(move || site.missed(request.as_bytes())))
        });
        table::growth(name, (&times[1], &times[2]), GROWTH);
    }
    in_12500_lines(effort);
}

/// The one case that has a target of its own: 200 lines that a model recalls wrongly, in a file of 12,500.
fn in_12500_lines(effort: &Effort) {
    let site = Site::new();
    let text: String = input::source(1_000_000).split_inclusive('\n').take(12_500).collect();
    site.put("ours.rs", &text);
    let number = input::middle(&text);
    let wanted: String = (number..number + 22).map(|number| input::function(number, "values")).collect();
    let request = request(&wanted, "nothing").to_string();
    let times = alone(effort.rounds, Box::new(|| site.missed(request.as_bytes())));
    table::alone("miss of 200 lines in 12,500", &times, Some(Target::Millis(10.0)));
}

/// Twenty matches in a thousand bytes, so 200,000 in 10 MB.
fn everywhere(effort: &Effort) {
    let times = SIZES.map(|(size, bytes)| {
        let site = Site::new();
        let line = "    let value = call(value, another, third, f);\n";
        site.put("ours.rs", &line.repeat(bytes / line.len()));
        let mut flip = Flip::new(("value", "other"), |old, new| {
            let mut request = request(&format!("let {old}"), &format!("let {new}"));
            request["replace_all"] = json!(true);
            request
        });
        let name = format!("replace_all, {} matches, {size}", bytes / line.len());
        timed(effort, &name, bytes, Box::new(move || site.done(flip.turn())))
    });
    table::growth("replace_all", (&times[1], &times[2]), GROWTH);
}

fn repetitive(effort: &Effort) {
    let times = SIZES.map(|(size, bytes)| {
        let site = Site::new();
        site.put("ours.rs", &input::repetitive(bytes));
        let mut flip = Flip::new(("only = value", "only = other"), request);
        let name = format!("exact in 100 repeated lines, {size}");
        timed(effort, &name, bytes, Box::new(move || site.done(flip.turn())))
    });
    table::growth("exact in 100 repeated lines", (&times[1], &times[2]), GROWTH);
}

fn timed(effort: &Effort, name: &str, bytes: usize, contender: Contender<'_>) -> Times {
    let [times] = in_turn(effort.rounds, [contender]);
    table::alone(name, &times, (bytes == 10_000_000).then_some(MOST));
    times
}

fn request(old: &str, new: &str) -> Value {
    edit("ours.rs", old, new)
}

/// Three lines of a function.
fn start(number: usize, verb: &str) -> String {
    let function = input::function(number, verb);
    function.lines().skip(1).take(3).collect::<Vec<_>>().join("\n")
}
