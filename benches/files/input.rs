//! Texts to work on, the same in every run.

/// Sizes at which things are measured, with their names.
pub(crate) const SIZES: [(&str, usize); 3] = [("0.1 MB", 100_000), ("1 MB", 1_000_000), ("10 MB", 10_000_000)];

/// Source code of about so many bytes: functions of nine lines, some of which repeat.
pub(crate) fn source(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 300);
    let mut number = 0;
    while text.len() < bytes {
        text += &function(number, "value");
        number += 1;
    }
    text
}

/// The number of the function in the middle of such a text.
pub(crate) fn middle(text: &str) -> usize {
    text.matches("\nfn ").count() / 2
}

/// One function. `verb` is what a benchmark changes in it.
pub(crate) fn function(number: usize, verb: &str) -> String {
    let most = number * 7 % 1009;
    format!(
        "fn step_{number}(input: &State) -> Result<u32> {{\n    let first = input.{verb}({number});\n    if first > {most} {{\n        return Err(Fault::at({number}));\n    }}\n    let total = first + {most};\n    Ok(total)\n}}\n\n"
    )
}

/// The changing line of a function.
pub(crate) fn line(number: usize, verb: &str) -> String {
    format!("    let first = input.{verb}({number});")
}

/// Lines that repeat, with one that does not in the middle.
pub(crate) fn repetitive(bytes: usize) -> String {
    let line = |at: usize| format!("    case {} => handle(event, state);\n", at % 100);
    let half: String =
        (0..).map(line).scan(0, |size, line| (*size < bytes / 2).then(|| (*size += line.len(), line).1)).collect();
    format!("{half}    only = value;\n{half}")
}

/// Blocks that all begin and end alike.
pub(crate) fn look_alikes(bytes: usize) -> String {
    let block =
        |at: usize| format!("    if ctx.debug {{\n        log({at}, \"reached\");\n        count += {at};\n    }}\n");
    (0..).map(block).scan(0, |size, block| (*size < bytes).then(|| (*size += block.len(), block).1)).collect()
}
