//! Detection of changed files.

use std::io;
use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use crate::directory::Places;

/// The watched places, and the exception.
struct Interest {
    places: Places,
    /// The logs, which change all the time.
    logs: Vec<PathBuf>,
}

impl Interest {
    fn concerns(&self, path: &Path) -> bool {
        let is_named = self.places.files.iter().any(|file| file == path);
        let is_below = self.places.folders.iter().any(|folder| path.starts_with(folder));
        (is_named || is_below) && !self.is_log(path)
    }

    fn is_log(&self, path: &Path) -> bool {
        self.logs.iter().any(|log| log.file_name() == path.file_name() && path.canonicalize().is_ok_and(|path| path == *log))
    }
}

/// Watches places, for as long as it lives.
pub(super) struct Notice {
    places: Places,
    logs: Vec<PathBuf>,
    changes: mpsc::Sender<()>,
    _watcher: RecommendedWatcher,
}

impl Notice {
    /// Makes a notice that sends to `changes` when something changes at `places`, except for the
    /// files `logs`.
    ///
    /// # Errors
    /// A place cannot be watched.
    pub fn new(places: Places, logs: Vec<PathBuf>, changes: mpsc::Sender<()>) -> io::Result<Notice> {
        let interest = Interest { places: places.clone(), logs: logs.clone() };
        let sender = changes.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let concerns = |event: notify::Event| event.paths.is_empty() || event.paths.iter().any(|path| interest.concerns(path));
            if event.is_ok_and(|event| !event.kind.is_access() && concerns(event)) {
                // A full channel holds the news already.
                let _ = sender.try_send(());
            }
        })
        .map_err(io::Error::other)?;
        for file in &places.files {
            // Saving a file may put a new one in its place, which a watch of the old one does not
            // see.
            let folder = file.parent().unwrap_or(file);
            if watcher.watch(folder, RecursiveMode::NonRecursive).is_err() && file.exists() {
                watcher.watch(file, RecursiveMode::NonRecursive).map_err(io::Error::other)?;
            }
        }
        for folder in &places.folders {
            watcher.watch(folder, RecursiveMode::Recursive).map_err(io::Error::other)?;
        }
        Ok(Notice { places, logs, changes, _watcher: watcher })
    }

    /// Watches the current state of `places`: a link may lead elsewhere, and a watch follows a
    /// folder, not its name.
    ///
    /// # Errors
    /// As [`Notice::new`]: it watches the old places.
    pub fn renew(&mut self, places: Places) -> io::Result<()> {
        *self = Notice::new(places, self.logs.clone(), self.changes.clone())?;
        Ok(())
    }

    /// Watches `places`, if they differ.
    ///
    /// # Errors
    /// As [`Notice::new`]: it watches the old places.
    pub fn follow(&mut self, places: Places) -> io::Result<()> {
        if places == self.places { Ok(()) } else { self.renew(places) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;
    use crate::directory::Layout;

    /// A folder of a test, without links on the way.
    fn fresh(name: &str) -> PathBuf {
        let all = std::env::temp_dir().join(format!("polywire-notice-{name}-{}", std::process::id()));
        fs::create_dir_all(&all).unwrap();
        all.canonicalize().unwrap()
    }

    /// Waits for the rest of earlier changes, makes one, and waits until it is noticed.
    async fn noticed(changes: &mut mpsc::Receiver<()>, what: &str, change: impl FnOnce()) {
        while tokio::time::timeout(Duration::from_millis(100), changes.recv()).await.is_ok() {}
        change();
        tokio::time::timeout(Duration::from_secs(60), changes.recv()).await.unwrap_or_else(|_| panic!("{what}")).unwrap();
    }

    #[tokio::test]
    async fn files_outside_of_the_folder_are_noticed_each_time_they_are_replaced() {
        let all = fresh("files");
        let (root, other) = (all.join("root"), all.join("other"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&other).unwrap();
        let replace = |name: &str| {
            fs::write(other.join("draft"), "{}").unwrap();
            fs::rename(other.join("draft"), other.join(name)).unwrap();
        };
        ["config.json", "x.json", "c.pem", "access.log", "unrelated"].into_iter().for_each(replace);
        let layout = Layout { config: Some(other.join("config.json")), ..Layout::new(&root) };
        let places = layout.places(Some("../other/x.json"), &[&other.join("c.pem")]);
        let log = other.join("access.log");
        let interest = Interest { places: places.clone(), logs: vec![log.clone()] };
        for (path, concerns) in [("config.json", true), ("x.json", true), ("c.pem", true), ("access.log", false), ("unrelated", false)] {
            assert_eq!(interest.concerns(&other.join(path)), concerns, "{path}");
        }
        assert!(interest.concerns(&root.join("tables/a.ql")));

        let (sender, mut changes) = mpsc::channel(1);
        let notice = Notice::new(places, vec![log], sender).unwrap();
        for name in ["config.json", "config.json", "x.json", "c.pem", "x.json", "config.json"] {
            noticed(&mut changes, name, || replace(name)).await;
        }
        drop(notice);
        fs::remove_dir_all(all).unwrap();
    }

    #[tokio::test]
    async fn links_that_are_turned_are_noticed_each_time() {
        let all = fresh("links");
        let (root, mount) = (all.join("root"), all.join("mount"));
        fs::create_dir_all(root.join("tables")).unwrap();
        fs::create_dir_all(&mount).unwrap();
        // As Kubernetes mounts files: each version is a folder, and one link points to the valid
        // one.
        let turn = |version: u32| {
            let folder = format!("..{version}");
            fs::create_dir_all(mount.join(&folder)).unwrap();
            fs::write(mount.join(&folder).join("config.json"), "{}").unwrap();
            symlink(&folder, mount.join("..draft")).unwrap();
            fs::rename(mount.join("..draft"), mount.join("..data")).unwrap();
            if version > 0 {
                fs::remove_dir_all(mount.join(format!("..{}", version - 1))).unwrap();
            }
        };
        turn(0);
        symlink("..data/config.json", mount.join("config.json")).unwrap();
        symlink("../mount/config.json", root.join("config.json")).unwrap();
        let layout = Layout::new(&root);
        let (sender, mut changes) = mpsc::channel(1);
        let mut notice = Notice::new(layout.places(None, &[]), Vec::new(), sender).unwrap();
        for version in 1..5 {
            noticed(&mut changes, "a turned link", || turn(version)).await;
            notice.follow(layout.places(None, &[])).unwrap();
            let file = mount.join(format!("..{version}/config.json"));
            noticed(&mut changes, "what the link leads to now", || fs::write(file, "{ }").unwrap()).await;
        }
        // The folder itself is replaced by another one of its name.
        for n in 0..2 {
            let other = all.join("another");
            fs::create_dir_all(other.join("tables")).unwrap();
            let before = all.join(format!("before{n}"));
            noticed(&mut changes, "another folder", || {
                fs::rename(&root, before).unwrap();
                fs::rename(&other, &root).unwrap();
            })
            .await;
            notice.renew(layout.places(None, &[])).unwrap();
            noticed(&mut changes, "a table", || fs::write(root.join("tables/a.ql"), "").unwrap()).await;
        }
        drop(notice);
        fs::remove_dir_all(all).unwrap();
    }
}
