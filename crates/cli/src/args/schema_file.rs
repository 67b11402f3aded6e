//! The schema that explains messages: `--schema`, `--type`, `--include`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;
use polywire_core::Error;
use polywire_core::format::{Binder, Dialect, Format};
use polywire_core::text::sources::MAX_TEXT;
use polywire_formats::registry;

#[derive(Debug, Args)]
pub struct SchemaArg {
    /// Schema for the formats that take one in its language
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,

    /// Type of the messages in that schema [default: set by the schema's language, or the only one
    /// that fits the first message]
    #[arg(long = "type", value_name = "NAME", requires = "schema")]
    pub ty: Option<String>,

    /// Folder with imported schema files; may be repeated [default: the schema's folder and those
    /// above]
    #[arg(short = 'I', long = "include", value_name = "DIR", requires = "schema")]
    pub include: Vec<String>,

    /// Start of the schema file, once it was read.
    #[arg(skip)]
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl SchemaArg {
    /// Returns the options of a verb that has them in another form.
    pub fn new(schema: Option<PathBuf>, ty: Option<String>, include: Vec<String>) -> SchemaArg {
        SchemaArg { schema, ty, include, bytes: OnceLock::new() }
    }

    /// Returns the format bound to the schema if it takes the schema's language, else the format by
    /// itself.
    pub fn dialect(&self, format: &'static Format) -> Result<Dialect, Error> {
        match &self.schema {
            Some(path) if self.is_for(format) => Dialect::with_schema(format, path, self.ty.as_deref(), &self.include),
            _ => Ok(format.into()),
        }
    }

    /// Returns true if the format takes the schema: its file extension is the format's, or no
    /// format's and the bytes look like the format's language.
    pub fn is_for(&self, format: &Format) -> bool {
        let (Some(path), Some(binder)) = (&self.schema, format.binder) else { return false };
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let has = |binder: &dyn Binder| binder.endings().contains(&extension);
        has(binder)
            || !registry::FORMATS.iter().filter_map(|format| format.binder).any(has)
                && self.bytes(path).is_none_or(|bytes| binder.recognises(bytes))
    }

    /// Returns the bytes of the schema file, or `None` if it cannot be read.
    fn bytes(&self, path: &Path) -> Option<&[u8]> {
        let read = || {
            let mut bytes = Vec::new();
            std::fs::File::open(path).and_then(|file| file.take(MAX_TEXT as u64).read_to_end(&mut bytes)).ok()?;
            Some(bytes)
        };
        self.bytes.get_or_init(read).as_deref()
    }

    /// Fails if there is a schema that none of `formats` takes.
    pub fn is_used_by(&self, formats: &[&'static Format]) -> Result<(), Error> {
        if self.schema.is_none() || formats.iter().any(|format| self.is_for(format)) {
            return Ok(());
        }
        let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
        Err(Error::usage(format!("a schema for {}", names.join(" and ")))
            .expected("a format that takes a schema in this language")
            .hint("name the format with --from if it was recognised as another"))
    }
}
