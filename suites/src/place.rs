//! Where a suite is found, and of which version it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::suite::Suite;

/// File in a suite's folder with its version, for copies that are no checkouts.
const VERSION: &str = ".suite-version";

/// Folder of a suite whose cases are facts of a document, and are in the runner.
pub const IN_HERE: &str = ".";

/// A suite's folder.
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// Date and commit, or the version of the package.
    pub version: String,
}

/// Finds a suite in the first of `folders` that has it.
pub fn find(suite: &Suite, folders: &[PathBuf]) -> Option<Place> {
    let folder = folders.iter().map(|folder| folder.join(suite.folder)).find(|folder| folder.join(suite.needs).exists())?;
    if suite.folder == IN_HERE {
        return Some(Place { folder, version: "as published".to_string() });
    }
    let version = written(&folder).or_else(|| committed(&folder)).or_else(|| packaged(&folder)).unwrap_or_else(|| "unknown".to_string());
    Some(Place { folder, version })
}

fn written(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join(VERSION)).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_string())
}

/// Returns date and commit of a checkout.
fn committed(folder: &Path) -> Option<String> {
    if !folder.join(".git").exists() {
        return None;
    }
    let out = Command::new("git").arg("-C").arg(folder).args(["log", "-1", "--format=%cs %h"]).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    (out.status.success() && !text.trim().is_empty()).then(|| text.trim().to_string())
}

fn packaged(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(package.get("version")?.as_str()?.to_string())
}
