//! Files that change are noticed.

use std::io;
use std::path::{Path, PathBuf};

use notify::{RecursiveMode, Watcher};
use tokio::sync::mpsc;

use crate::directory::Places;

/// What is looked at, and what of it is not.
struct Interest {
    places: Places,
    /// The access log, which changes all the time.
    log: Option<PathBuf>,
}

impl Interest {
    fn concerns(&self, path: &Path) -> bool {
        let is_named = self.places.files.iter().any(|file| file == path);
        let is_below = self.places.folders.iter().any(|folder| path.starts_with(folder));
        (is_named || is_below) && !self.is_log(path)
    }

    fn is_log(&self, path: &Path) -> bool {
        let Some(log) = &self.log else { return false };
        log.file_name() == path.file_name() && path.canonicalize().is_ok_and(|path| path == *log)
    }
}

/// Tells `changes` when something changes at `places`, except for the file `log`, for as long as the watcher lives.
///
/// # Errors
/// A place cannot be watched.
pub(super) fn watch(places: Places, log: Option<PathBuf>, changes: mpsc::Sender<()>) -> io::Result<impl Watcher + use<>> {
    let interest = Interest { places: places.clone(), log };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let concerns = |event: notify::Event| event.paths.is_empty() || event.paths.iter().any(|path| interest.concerns(path));
        if event.is_ok_and(|event| !event.kind.is_access() && concerns(event)) {
            // A full channel tells it already.
            let _ = changes.try_send(());
        }
    })
    .map_err(io::Error::other)?;
    for folder in &places.folders {
        watcher.watch(folder, RecursiveMode::Recursive).map_err(io::Error::other)?;
    }
    for file in &places.files {
        // Who saves a file puts a new one in its place, which a watch of the old one does not see.
        let folder = file.parent().unwrap_or(file);
        let watched = watcher.watch(folder, RecursiveMode::NonRecursive).or_else(|_| watcher.watch(file, RecursiveMode::NonRecursive));
        watched.map_err(io::Error::other)?;
    }
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::directory::Layout;

    #[tokio::test]
    async fn files_outside_of_the_folder_are_noticed_each_time_they_are_replaced() {
        let all = std::env::temp_dir().join(format!("polywire-notice-{}", std::process::id()));
        let (root, other) = (all.join("root"), all.join("other"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&other).unwrap();
        let replace = |name: &str| {
            fs::write(other.join("draft"), "{}").unwrap();
            fs::rename(other.join("draft"), other.join(name)).unwrap();
        };
        ["config.json", "x.json", "access.log", "unrelated"].into_iter().for_each(replace);
        let layout = Layout { config: Some(other.join("config.json")), ..Layout::new(&root) };
        let places = layout.places(Some("../other/x.json"));
        let log = other.join("access.log").canonicalize().unwrap();
        let interest = Interest { places: places.clone(), log: Some(log.clone()) };
        let real = |path: PathBuf| path.canonicalize().unwrap();
        for (path, concerns) in [("config.json", true), ("x.json", true), ("access.log", false), ("unrelated", false)] {
            assert_eq!(interest.concerns(&real(other.join(path))), concerns, "{path}");
        }
        assert!(interest.concerns(&real(root.clone()).join("tables/a.ql")));

        let (sender, mut changes) = mpsc::channel(1);
        let watcher = watch(places, Some(log), sender).unwrap();
        for name in ["config.json", "config.json", "x.json", "x.json", "config.json"] {
            // What is left of the one before.
            while tokio::time::timeout(Duration::from_millis(100), changes.recv()).await.is_ok() {}
            replace(name);
            tokio::time::timeout(Duration::from_secs(60), changes.recv()).await.unwrap_or_else(|_| panic!("{name}")).unwrap();
        }
        drop(watcher);
        fs::remove_dir_all(all).unwrap();
    }
}
