//! The registration of transformers for the replies of tables (docs/spec/ql.md 9): a JSON object,
//! `{"table": "module"}`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::layout::Layout;

/// Modules by the names of tables. Their paths start at the folder, with or without a slash before
/// them.
pub type Xformers = BTreeMap<String, String>;

/// Reads the registration. The default file need not exist.
///
/// # Errors
/// The file cannot be read, or is not a JSON object of texts.
pub(super) fn read(layout: &Layout, configured: Option<&str>) -> io::Result<Xformers> {
    let path = layout.transformers(configured);
    let is_named = layout.xformers.is_some() || configured.is_some();
    let about = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => return Ok(Xformers::new()),
        other => other.map_err(about)?,
    };
    let wrong = |error: serde_json::Error| {
        let what = format!("{error}; expected a JSON object of tables and the modules that read their replies");
        about(io::Error::new(io::ErrorKind::InvalidData, what))
    };
    let named: Xformers = serde_json::from_slice(&bytes).map_err(wrong)?;
    // Old files name modules from the working directory, by a path that begins with a slash.
    Ok(named.into_iter().map(|(table, module)| (table, module.trim_start_matches('/').to_owned())).collect())
}

/// Returns true if a file may be the module, below the folder that hooks see or in a package.
pub(super) fn is_there(root: &Path, module: &str) -> bool {
    [root.to_owned(), root.join("node_modules")]
        .iter()
        .any(|folder| ["", ".js", ".json", ".cjs"].iter().any(|ending| folder.join(format!("{module}{ending}")).exists()))
}
