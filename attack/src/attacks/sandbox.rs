//! Hooks that look for a way out of their sandbox.

use crate::trial::Trial;

/// The names of the ways in the bundled module.
fn ways() -> Vec<&'static str> {
    let module = include_str!("../../folder/lib/escape.js");
    module
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once(": function"))
        .map(|(name, _)| name)
        .filter(|name| !name.contains(' '))
        .collect()
}

/// Each way, and afterwards a look at what it may have left behind.
pub fn escapes(trial: &Trial<'_>) {
    let before = trial.world.other.connections();
    for way in ways() {
        if let Some(answer) = trial.get(&format!("/escape/{way}")) {
            trial.expect(!answer.text().contains("root:"), || format!("{way}: {}", answer.short()));
        }
        for look in ["asked", "globalSeen"] {
            if let Some(answer) = trial.get(&format!("/escape/{look}")) {
                trial.expect(answer.text() == "\"clean\"", || format!("after {way}, {look}: {}", answer.short()));
            }
        }
    }
    trial.expect(trial.world.other.connections() == before, || "a hook has connected".to_owned());
    let written = trial.world.folder.path().join("lib/escaped").exists();
    trial.expect(!written, || "a hook has written a file".to_owned());
}

#[cfg(test)]
mod tests {
    #[test]
    fn ways_are_read_from_the_module() {
        let ways = super::ways();
        assert!(ways.len() > 30 && ways.contains(&"fs") && ways.contains(&"asked"), "{ways:?}");
    }
}
