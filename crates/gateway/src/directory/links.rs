//! Links on the way to a file.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The most links that are followed, as in Linux; more are a circle.
const MAX_LINKS: usize = 40;

/// Returns everything that decides where a path leads: each link, by a path without links before
/// it, and last the target, which need not exist. A file may be replaced by turning any of these
/// links, as Kubernetes does for mounted configurations.
pub(super) fn way(path: &Path) -> Vec<PathBuf> {
    let mut way = Vec::new();
    let mut rest: Vec<OsString> = Vec::new();
    let push = |rest: &mut Vec<OsString>, path: &Path| rest.extend(path.components().rev().map(|part| part.as_os_str().to_owned()));
    push(&mut rest, &std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let mut at = PathBuf::new();
    while let Some(part) = rest.pop() {
        match Path::new(&part).components().next() {
            Some(Component::Normal(name)) => {
                let next = at.join(name);
                match fs::read_link(&next) {
                    Ok(target) if way.len() < MAX_LINKS => {
                        push(&mut rest, &target);
                        way.push(next);
                    }
                    _ => at = next,
                }
            }
            Some(Component::ParentDir) => drop(at.pop()),
            Some(Component::CurDir) | None => {}
            // The root of an absolute path.
            Some(root) => at = PathBuf::from(root.as_os_str()),
        }
    }
    way.push(at);
    way
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_link_is_told_by_its_place() {
        let root = std::env::temp_dir().join(format!("polywire-links-{}", std::process::id()));
        fs::create_dir_all(root.join("mount/..1")).unwrap();
        let root = root.canonicalize().unwrap();
        let links = [
            ("mount/..data", "..1"),
            ("mount/config.json", "..data/config.json"),
            ("config.json", "./nowhere/../mount/config.json"),
            ("round", "round"),
        ];
        for (link, target) in links {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("mount"), root.join("absolute")).unwrap();
        let found = |path: &str| -> Vec<String> {
            let way = way(&root.join(path));
            way.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(found("config.json"), ["config.json", "mount/config.json", "mount/..data", "mount/..1/config.json"]);
        assert_eq!(found("absolute/..data"), ["absolute", "mount/..data", "mount/..1"]);
        assert_eq!(found("mount/none/x"), ["mount/none/x"]);
        assert_eq!(found("round").len(), MAX_LINKS + 1);
        fs::remove_dir_all(root).unwrap();
    }
}
