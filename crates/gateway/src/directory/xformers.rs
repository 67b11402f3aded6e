//! Which transformers read the replies of which tables (specification 9): a JSON object, `{"table": "module"}`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::layout::Layout;

/// Modules by the names of tables. They are named from the folder, with or without a slash before them.
pub type Xformers = BTreeMap<String, String>;

/// Reads what is registered. The usual file need not be there.
///
/// # Errors
/// The file cannot be read, or is no JSON object of texts.
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
    // Old files name modules from the working directory by a path that begins with a slash.
    Ok(named.into_iter().map(|(table, module)| (table, module.trim_start_matches('/').to_owned())).collect())
}

/// Whether there is something that may be the module, by its path below the folder that hooks see, or as a package.
pub(super) fn is_there(root: &Path, module: &str) -> bool {
    [root.to_owned(), root.join("node_modules")]
        .iter()
        .any(|folder| ["", ".js", ".json", ".cjs"].iter().any(|ending| folder.join(format!("{module}{ending}")).exists()))
}
