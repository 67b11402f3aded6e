//! Formats as callers name them: a name, a schema, settings.

use std::path::{Path, PathBuf};

use polywire_core::format::{Dialect, Format};
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::{Error, ErrorKind, Fault};
use polywire_formats::registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::fault::Failure;
use crate::schema::Schema;
use crate::source::bytes_of;

/// A schema as a caller names it.
#[derive(Clone)]
pub enum Given {
    /// A file.
    File(PathBuf),
    /// The text itself.
    Text(Vec<u8>),
    /// A schema that was inferred or read.
    Common(Schema),
}

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    /// Takes a path, the text of a schema, or a `Schema`. A `str` with a line break or a brace is
    /// text, and no path.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Given> {
        if let Ok(schema) = object.cast::<Schema>() {
            return Ok(Given::Common(schema.get().clone()));
        }
        if let Some(text) = bytes_of(&object)? {
            return Ok(Given::Text(text.to_vec()));
        }
        match object.extract::<String>() {
            Ok(text) if text.contains(['\n', '{']) => Ok(Given::Text(text.into_bytes())),
            _ => Ok(Given::File(object.extract()?)),
        }
    }
}

impl Given {
    /// Reports whether a format takes the schema: its file extension is the format's, or no
    /// format's.
    pub fn is_for(&self, format: &Format) -> bool {
        let Some(binder) = format.binder else { return false };
        match self {
            Given::Common(_) => binder.adopts(),
            Given::Text(text) => binder.recognises(text),
            Given::File(path) => {
                let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
                binder.endings().contains(&extension)
                    || !registry::FORMATS.iter().filter_map(|format| format.binder).any(|binder| binder.endings().contains(&extension))
            }
        }
    }
}

/// A schema, the message type in it, and the folders of imported files.
#[derive(Clone, Default)]
pub struct Binding {
    pub schema: Option<Given>,
    pub message: Option<String>,
    pub include: Vec<String>,
}

impl Binding {
    /// Returns the format, bound to the schema if there is one that it takes.
    pub fn dialect(&self, format: &'static Format) -> Result<Dialect, Error> {
        let Some(schema) = self.schema.as_ref().filter(|schema| schema.is_for(format)) else { return Ok(format.into()) };
        let message = self.message.as_deref();
        match schema {
            Given::File(path) => Dialect::with_schema(format, path, message, &self.include),
            Given::Text(text) => {
                let binder = format.binder.ok_or_else(|| Error::internal("a schema for a format that takes none"))?;
                let text = SchemaText { name: "schema", bytes: text, identity: "" };
                Ok(Dialect::bound(format, binder.bind_text(&text, &mut NoFiles, message)?))
            }
            Given::Common(schema) => polywire::schema::adopt(format.name, schema.common()),
        }
    }

    /// Fails if there is a schema that none of `formats` takes.
    pub fn is_used_by(&self, formats: &[&'static Format]) -> Result<(), Error> {
        let Some(schema) = &self.schema else { return Ok(()) };
        if formats.iter().any(|format| schema.is_for(format)) {
            return Ok(());
        }
        let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
        let error = Error::usage(format!("a schema for {}", names.join(" and ")));
        Err(error.expected("a format that takes a schema in this language").hint("name the format if it was recognised as another"))
    }
}

/// A format that a caller names, with all that explains it.
#[derive(Clone, Default)]
pub struct Spoken {
    pub format: Option<&'static Format>,
    pub binding: Binding,
    pub settings: Vec<(String, String)>,
}

impl<'py> FromPyObject<'_, 'py> for Spoken {
    type Error = PyErr;

    /// Takes a dictionary with the keys `format`, `schema`, `type`, `include` and `settings`, of
    /// which any may be missing.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Spoken> {
        let given = object.cast::<PyDict>()?;
        let has = |key: &str| Ok::<_, PyErr>(given.get_item(key)?.filter(|value| !value.is_none()));
        let format = has("format")?.map(|name| name.extract::<String>()).transpose()?;
        let mut spoken = Spoken { format: format.map(|name| find(&name)).transpose()?, ..Spoken::default() };
        spoken.binding.schema = has("schema")?.map(|schema| schema.extract()).transpose()?;
        spoken.binding.message = has("type")?.map(|name| name.extract()).transpose()?;
        for folder in has("include")?.map(|include| include.extract::<Vec<PathBuf>>()).transpose()?.unwrap_or_default() {
            spoken.binding.include.push(folder.to_string_lossy().into_owned());
        }
        if let Some(settings) = has("settings")? {
            for (name, value) in settings.cast::<PyDict>()?.iter() {
                // A switch has the empty value.
                let value = if value.extract::<bool>().is_ok_and(|on| on) { String::new() } else { value.extract()? };
                spoken.settings.push((name.extract()?, value));
            }
        }
        Ok(spoken)
    }
}

/// Returns the format with a name.
pub fn find(name: &str) -> Result<&'static Format, Failure> {
    Ok(registry::find(name)?)
}

impl Spoken {
    /// Returns the dialect that is read.
    pub fn read(&self, format: &'static Format) -> Result<Dialect, Error> {
        self.binding.is_used_by(&[format])?;
        self.applied(self.binding.dialect(format)?, true)
    }

    /// Returns the dialect that is written.
    pub fn written(&self, format: &'static Format) -> Result<Dialect, Error> {
        self.binding.is_used_by(&[format])?;
        self.applied(self.binding.dialect(format)?, false)
    }

    /// Returns a dialect with the settings, and for reading with the usual ones.
    pub fn applied(&self, dialect: Dialect, reads: bool) -> Result<Dialect, Error> {
        let mut given: Vec<(&str, &str)> = self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let known = dialect.format().settings.map(|settings| settings.settings()).unwrap_or_default();
        if reads && !dialect.is_bound() {
            let has = |name: &str| self.settings.iter().any(|(given, _)| given == name);
            let usual = known.iter().filter(|setting| setting.reads && !has(setting.name));
            given.extend(usual.filter_map(|setting| Some((setting.name, setting.usual?))));
        }
        dialect.with_settings(&given)
    }

    /// Returns the format of a file that is written: the named one, or that of the extension.
    pub fn format_of(&self, path: Option<&Path>) -> Result<&'static Format, Error> {
        let named = self.format.or_else(|| registry::by_extension(path?.extension()?.to_str()?));
        named.ok_or_else(|| {
            let names: Vec<&str> = registry::FORMATS.iter().map(|format| format.name).collect();
            let error = Error::new(ErrorKind::UnknownFormat, Fault::Caller).seen("no format").expected("the format of the output");
            error.hint(format!("name it: {}", names.join(", ")))
        })
    }
}
