//! Why lines that were found are not taken.

use std::fmt;

/// Why lines that were found are not taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Doubt {
    /// There are too many look-alikes to compare all.
    TooMany,
    /// A line of the file, counted from 0, is at the depth of the block's own first line and has another name.
    Another { line: usize },
    /// All that it has in common with `old_string` stands elsewhere in the file, too.
    Common { lines: (usize, usize) },
    /// What is to be changed nests otherwise in the file: see this line, counted from 0.
    Nesting { line: usize },
    /// Whether the lines that come in are written in the file's columns or from column 0 cannot be told: see this line.
    Columns { line: usize },
    /// The change is to lines that the file does not have, or right beside such lines.
    Touched { line: usize },
}

impl Doubt {
    /// The line, counted from 0, at which lines that are those of `old_string` stand in another way.
    pub(super) const fn place(self) -> Option<usize> {
        match self {
            Self::Nesting { line } | Self::Columns { line } => Some(line),
            Self::TooMany | Self::Another { .. } | Self::Common { .. } | Self::Touched { .. } => None,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => {
                f.write_str("too many blocks begin and end like `old_string` to compare them all; give the exact lines")
            }
            Self::Another { line } => {
                write!(f, "the block that begins and ends like `old_string` is another one: see line {}", line + 1)
            }
            Self::Common { lines: (first, end) } => write!(
                f,
                "lines {}-{end} are like `old_string`, but nothing that they share stands only there; give the exact lines",
                first + 1
            ),
            Self::Nesting { line } => write!(
                f,
                "line {} is not as deep beside the others as it is in `old_string`; give the file's indentation",
                line + 1
            ),
            Self::Columns { line } => write!(
                f,
                "`old_string` begins within the indentation of line {}, and how deep the new lines are cannot be told; begin both texts with the file's indentation",
                line + 1
            ),
            Self::Touched { line } => write!(
                f,
                "the block that is like `old_string` differs from it at line {}, at or beside what is to be changed; read it again",
                line + 1
            ),
        }
    }
}
