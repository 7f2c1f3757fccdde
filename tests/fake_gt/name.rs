//! Branch names as Graphite rewrites them.

use serde_json::Value;

use crate::config_dir;

/// The name real gt makes of an asked one: prefix, then odd characters replaced.
pub(crate) fn branch_name(asked: &str) -> String {
    let text = std::fs::read_to_string(config_dir().join("user_config")).unwrap_or_default();
    let config: Value = serde_json::from_str(&text).unwrap_or_default();
    let prefix = config["branchPrefix"].as_str().unwrap_or_default();
    let replacement = config["branchReplacement"].as_str().unwrap_or("_");
    let full = if asked.starts_with(prefix) { asked.to_owned() } else { format!("{prefix}{asked}") };
    let mut name = String::new();
    let mut replaced = false;
    for letter in full.chars() {
        let kept = letter.is_ascii_alphanumeric() || "_./-".contains(letter);
        match (kept, replaced) {
            (true, _) => name.push(letter),
            (false, false) => name.push_str(replacement),
            (false, true) => {}
        }
        replaced = !kept;
    }
    while name.contains("..") {
        name = name.replace("..", ".");
    }
    let parts = name.split('/').map(|part| part.trim_start_matches('.')).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("/");
    let name = name.trim_end_matches(['/', '.']);
    name.strip_suffix(".lock").unwrap_or(name).to_owned()
}
