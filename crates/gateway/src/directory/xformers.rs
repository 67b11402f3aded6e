//! Which transformers read the replies of which tables (specification 9): a JSON object, `{"table": "module"}`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Modules by the names of tables. They are named from the folder, with or without a slash before them.
pub type Xformers = BTreeMap<String, String>;

/// Where they are registered if nobody says.
const USUAL: &str = "config/xformers.json";

/// Reads what is registered: in `file`, else in the file below `root` that the configuration names, else in the usual one, which need not be there.
///
/// # Errors
/// The file cannot be read, or is no JSON object of texts.
pub(super) fn read(root: &Path, file: Option<&Path>, configured: Option<&str>) -> io::Result<Xformers> {
    let path = match (file, configured) {
        (Some(file), _) => file.to_owned(),
        (None, configured) => root.join(configured.unwrap_or(USUAL)),
    };
    let about = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && file.is_none() && configured.is_none() => return Ok(Xformers::new()),
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
