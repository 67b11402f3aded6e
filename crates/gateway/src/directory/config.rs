//! The configuration: JSON, or JSON5.

use std::fs;
use std::io;
use std::path::PathBuf;

use bytes::Bytes;
use polywire_core::Limits;
use polywire_doc::Datum;

use super::known::{Odd, odd};
use super::layout::Layout;
use super::settings::{Settings, probed};
use super::sources;
use crate::decode::{data_type, request_body};

/// Members of the configuration that may hold tokens and passwords of the gateway itself. No script
/// sees them.
const OWN: [&str; 5] = ["adHoc", "cache", "callers", "proxy", "rates"];

/// The configuration.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// The part that tables and routes see.
    pub all: Datum,
    /// The part that scripts of callers see: without values that lie elsewhere.
    pub public: Datum,
    /// The gateway's own settings.
    pub settings: Settings,
    /// Files with values.
    pub files: Vec<PathBuf>,
    /// Members that are no settings.
    pub odd: Vec<Odd>,
    /// The configuration's own file, as people know it.
    pub file: String,
}

/// Reads the configuration.
pub(super) fn read(layout: &Layout) -> io::Result<Config> {
    let file = layout.config();
    let shown = file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, format!("{shown}: {what}"));
    let bytes = match &file {
        Some(file) => fs::read(file).map_err(|error| io::Error::new(error.kind(), format!("{shown}: {error}")))?,
        None => b"{}".to_vec(),
    };
    let bytes = strict(bytes).map_err(&wrong)?;
    let bytes = Bytes::from(bytes);
    let config = request_body(&bytes, Some(data_type()), &Limits::DEFAULT).map_err(|error| wrong(error.to_string()))?;
    if !config.view().is_object() {
        return Err(wrong("expected a JSON object".to_owned()));
    }
    let found = sources::resolve(&config, &layout.root).map_err(&wrong)?;
    // Mistakes have their line where the text is the file's own.
    let settings = if found.secrets.is_empty() { serde_json::from_slice(&bytes) } else { serde_json::from_slice(&found.all.to_json()) };
    let mut settings: Settings = settings.map_err(|error| wrong(error.to_string()))?;
    settings.exchange.secret_values = found.secrets;
    settings.ecv_path.as_deref().map_or(Ok(()), probed).map_err(&wrong)?;
    let (all, public) = (without_own(&found.all), without_own(&found.public));
    Ok(Config { all, public, settings, files: found.files, odd: odd(found.all.view()), file: shown })
}

/// Returns the configuration without the members that no script sees.
fn without_own(config: &Datum) -> Datum {
    let shown = config.view().members().filter(|(name, _)| !OWN.contains(name));
    Datum::object(shown.map(|(name, value)| (name, value.to_datum())))
}

/// Returns the configuration as JSON. The original reads names without quotes, comments and
/// trailing commas, which is JSON5.
fn strict(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let Err(mistake) = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) else { return Ok(bytes) };
    let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
    match json5::from_str::<serde_json::Value>(text) {
        Ok(value) => Ok(value.to_string().into_bytes()),
        Err(_) => Err(mistake.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_quotes_and_comments_are_read() {
        let text = b"{ // of the shop\n shop: { key: 'k', \"hosts\": [1, 2,], },\n}";
        let read: serde_json::Value = serde_json::from_slice(&strict(text.to_vec()).unwrap()).unwrap();
        assert_eq!(read, serde_json::json!({"shop": {"key": "k", "hosts": [1, 2]}}));
        assert_eq!(strict(b"{\"n\": 1.50}".to_vec()).unwrap(), b"{\"n\": 1.50}");
        assert!(strict(b"{\n \"a\": }".to_vec()).unwrap_err().contains("line 2"));
    }
}
