//! Files of the workspace: reached beneath one directory handle, read whole, changed all together or not at all.

mod base;
mod commit;
mod content;
mod cores;
mod excerpt;
mod glob;
mod journal;
mod list;
mod reads;
mod recover;
mod root;
mod rules;
mod search;
mod settle;
mod store;
#[cfg(test)]
mod tree;
mod walk;

pub use base::{Base, MAX_FILE, read, read_all};
pub use commit::{Landed, NotLanded, Write, commit};
pub use content::Content;
pub use cores::on_all_cores;
pub use glob::MAX_PATTERN;
pub use list::{Kind, ListLimits, Listed, Listing, list};
pub use reads::{Known, Reads, Rewritten, Shown};
pub use recover::{Recovered, has_orphans, recover};
pub use root::{Access, MAX_PATH, Parent, Place, Root};
pub use rules::{MAX_IGNORE_FILE, excludes_file};
pub use search::{
    Case, FileMatches, Limits, LineMatch, MAX_LINE, MAX_REGEX_LINE, Needle, Pattern, SearchResult, search,
};
pub use store::{FILE_WAIT, Hold, Patience, Store, key_of};
pub use walk::{MAX_DEPTH, MAX_ENTRIES, Scope, Skipped, Stop};
