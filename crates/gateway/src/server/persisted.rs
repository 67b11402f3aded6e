//! The script that a caller asks for: its text, or its hash where scripts are persisted.

use polywire_ql::error::QueryError;

use super::caller::Caller;
use crate::callers::keys::Hash;
use crate::directory::Directory;

/// Returns the text of the script that a caller sends or names.
///
/// # Errors
/// There is none, or it is not among those that are persisted.
pub(super) fn script(directory: &Directory, caller: &Caller) -> Result<String, QueryError> {
    let given = |name: &str| caller.parameter(name).filter(|text| !text.is_empty());
    let persists = directory.settings.ad_hoc.persisted.is_some();
    if let Some(named) = given("hash").filter(|_| persists) {
        let known = Hash::read(&named).and_then(|hash| directory.persisted(&hash));
        let shown: String = named.chars().take(64).collect();
        return known.map(|script| script.text.to_string()).ok_or_else(|| unknown(&format!("the hash {shown}")));
    }
    let script = given("s").ok_or_else(|| {
        let hint = if persists { "name a script by its SHA-256 as the parameter hash" } else { "send a script as the parameter s" };
        QueryError::new("missing_query", "Missing query").hint(hint)
    })?;
    permitted(directory, &script)?;
    Ok(script)
}

/// Checks that a script may run, where only those that are persisted do.
///
/// # Errors
/// It is not among them.
pub(super) fn permitted(directory: &Directory, script: &str) -> Result<(), QueryError> {
    match directory.settings.ad_hoc.persisted {
        Some(_) if directory.persisted(&Hash::of(script.as_bytes())).is_none() => Err(unknown("the script that was sent")),
        _ => Ok(()),
    }
}

fn unknown(what: &str) -> QueryError {
    QueryError::new("unknown_script", format!("{what} is not among the persisted scripts, and no others run"))
        .status(403)
        .hint("add the script to the place that `persisted` of `adHoc` in config.json names")
}
