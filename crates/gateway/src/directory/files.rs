//! Files of clauses: relative to the folder of their script, and always below the directory.

use std::path::{Component, Path, PathBuf};

/// Returns the path of `file` below the directory `root`, as a clause of a script in `folder` names
/// it; `None` if it lies outside. A folder that lies outside counts as the root.
pub(crate) fn below(root: &Path, folder: &Path, file: &str) -> Option<PathBuf> {
    let joined: PathBuf = folder.strip_prefix(root).unwrap_or(Path::new("")).join(file);
    let mut parts = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::Normal(name) => parts.push(name),
            Component::ParentDir if parts.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_lies_outside() {
        let found = |folder: &str, file: &str| below(Path::new("/d"), Path::new(folder), file);
        assert_eq!(found("/d/tables/a", "x.proto").unwrap(), Path::new("tables/a/x.proto"));
        assert_eq!(found("/d/tables/a", "./../b/x").unwrap(), Path::new("tables/b/x"));
        assert_eq!(found("/d", "../x"), None);
        assert_eq!(found("/d/tables", "../../x"), None);
        assert_eq!(found("/d/tables", "/etc/passwd"), None);
    }
}
