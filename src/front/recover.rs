//! `recover`: edits that were killed half way are finished or taken back, and a person reads what was done.

use std::process::ExitCode;

use super::cli::{print_out, view_fault};
use crate::engine::{Context, recover_now};

/// Settles what is left, and tells.
pub(super) fn show(context: &Context, json: bool) -> ExitCode {
    let recovered = match recover_now(context) {
        Ok(recovered) => recovered,
        Err(fault) => return view_fault(&fault, json),
    };
    if json {
        return print_out(&serde_json::to_string(&recovered).expect("plain data serialises"));
    }
    let sentences = recovered.sentences();
    let written = if sentences.is_empty() {
        print_out("Nothing was left half done.")
    } else {
        print_out(&sentences.iter().map(|sentence| format!("- {sentence}")).collect::<Vec<_>>().join("\n"))
    };
    if recovered.unsettled.is_empty() { written } else { ExitCode::from(7) }
}
