//! The interface for build scripts and the command line.

use std::fmt;
use std::path::{Path, PathBuf};

use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::{Error, ErrorKind, Fault};

use crate::encoding::Encoding;
use crate::options::Options;
use crate::plan::Plan;
use crate::{file, languages};

/// The reason why no code was generated. Its `Debug` text is for people too, since Cargo shows that
/// of a build script whose `main` returns an error.
pub enum GenerateError {
    /// Mistakes in the schema, each with its place.
    Schema(Diagnostics),
    /// Another error: a file that can't be read or written, an unknown schema language.
    Other(Error),
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Schema(diagnostics) => diagnostics.fmt(f),
            GenerateError::Other(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Schema(diagnostics) => write!(f, "the schema has mistakes:\n{diagnostics}"),
            GenerateError::Other(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl std::error::Error for GenerateError {}

impl From<Error> for GenerateError {
    fn from(error: Error) -> GenerateError {
        GenerateError::Other(error)
    }
}

/// Generated code.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Its text.
    pub text: String,
    /// Warnings: the schema is valid, but perhaps not what its author means.
    pub warnings: Diagnostics,
}

/// Settings of the generator. Its functions generate code.
#[derive(Debug, Clone, Default)]
pub struct Config {
    options: Options,
    encodings: Vec<String>,
    folder: Option<PathBuf>,
}

impl Config {
    /// Returns the settings for all types, without serde, written to the folder that Cargo gives to
    /// build scripts.
    pub fn new() -> Config {
        Config::default()
    }

    /// Sets whether there are types that borrow.
    #[must_use]
    pub fn borrowed(mut self, borrowed: bool) -> Config {
        self.options.borrowed = borrowed;
        self
    }

    /// Sets whether there are types that own their parts.
    #[must_use]
    pub fn owned(mut self, owned: bool) -> Config {
        self.options.owned = owned;
        self
    }

    /// Sets whether the types derive serde's traits.
    #[must_use]
    pub fn serde(mut self, serde: bool) -> Config {
        self.options.serde = serde;
        self
    }

    /// Sets whether messages keep unknown fields. Messages of Protocol Buffers get a field for
    /// them.
    #[must_use]
    pub fn unknown_fields(mut self, unknown_fields: bool) -> Config {
        self.options.unknown_fields = unknown_fields;
        self
    }

    /// Sets the include folders, in search order.
    #[must_use]
    pub fn include<N: Into<String>>(mut self, folders: impl IntoIterator<Item = N>) -> Config {
        self.options.include = folders.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the encodings of the types, by their names. The default is that of the schema's
    /// language.
    #[must_use]
    pub fn encodings<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Config {
        self.encodings = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the folder that files are written to, instead of `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Config {
        self.folder = Some(folder.into());
        self
    }

    /// Returns the code of a schema's text. The file extension of `path` says its language. Files
    /// that it includes are relative to the working directory.
    ///
    /// # Errors
    /// Mistakes in the schema; an unknown file extension.
    pub fn generate(&self, path: &Path, text: &[u8]) -> Result<Compiled, GenerateError> {
        if !self.options.borrowed && !self.options.owned {
            let error = Error::usage("neither borrowing nor owning types");
            return Err(error.expected("one of them at least").into());
        }
        let language = languages::by_path(path)?;
        let origin = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
        let mut source = language.read(&path.to_string_lossy(), text, &self.options).map_err(GenerateError::Schema)?;
        if !self.encodings.is_empty() {
            let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            source.encodings = self.chosen(source.encodings, &source.plan, &stem, language.name())?;
        }
        let text = file::text(&source, &origin, &self.options)?;
        Ok(Compiled { text, warnings: source.warnings })
    }

    /// Returns the encodings that are asked for: the language's own, and those that types of any
    /// language can have.
    fn chosen(&self, own: Vec<Box<dyn Encoding>>, plan: &Plan, name: &str, language: &str) -> Result<Vec<Box<dyn Encoding>>, Error> {
        let mut own: Vec<Option<Box<dyn Encoding>>> = own.into_iter().map(Some).collect();
        let mut chosen: Vec<Box<dyn Encoding>> = Vec::new();
        for wanted in &self.encodings {
            if chosen.iter().any(|one| one.name() == wanted) {
                continue;
            }
            let native = own.iter_mut().find(|one| one.as_ref().is_some_and(|one| one.name() == wanted)).and_then(Option::take);
            let foreign = || languages::ENCODINGS.iter().find(|foreign| foreign.name() == wanted);
            chosen.push(match native {
                Some(native) => native,
                None => match foreign() {
                    Some(foreign) => foreign.of(plan, name)?,
                    None => {
                        let mut names: Vec<&str> = languages::ENCODINGS.iter().map(|foreign| foreign.name()).collect();
                        names.push(language);
                        names.dedup();
                        return Err(Error::usage(format!("the encoding `{wanted}`"))
                            .expected(format!("one that types of this schema language have: {}", names.join(", "))));
                    }
                },
            });
        }
        Ok(chosen)
    }

    /// Writes the code of a schema file to the folder, under the file's name with the extension
    /// `rs`, and returns the path of the written file.
    ///
    /// Cargo runs a build script again when any file of its package changes, unless the script says
    /// otherwise.
    ///
    /// # Errors
    /// Those of [`generate`](Self::generate); a file that can't be read or written; neither a
    /// folder nor `OUT_DIR` is set.
    pub fn compile(&self, path: impl AsRef<Path>) -> Result<PathBuf, GenerateError> {
        let path = path.as_ref();
        let text = std::fs::read(path).map_err(|error| unusable(path, "read", &error))?;
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error::usage("no folder to write to").expected("`OUT_DIR`, which Cargo sets for build scripts, or a call of `out_dir`")
            })?,
        };
        let compiled = self.generate(path, &text)?;
        let mut written = folder.join(path.file_stem().unwrap_or_default());
        written.set_extension("rs");
        std::fs::write(&written, compiled.text).map_err(|error| unusable(&written, "written", &error))?;
        Ok(written)
    }
}

fn unusable(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, Fault::Environment)
        .seen(format!("`{}`: {error}", path.display()))
        .expected(format!("a file that can be {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_shows_of_a_build_script_is_for_people() {
        let failed = Config::new().generate(Path::new("fleet.extprot"), b"message m = {\n  a : strin }").unwrap_err();
        let boxed: Box<dyn std::error::Error> = failed.into();
        let shown = format!("{boxed:?}");
        assert!(shown.contains("fleet.extprot:2:7: there is no type `strin` before this"), "{shown}");
        assert!(!shown.contains("Diagnostic"), "{shown}");
        let failed = Config::new().generate(Path::new("fleet.txt"), b"").unwrap_err();
        assert!(format!("{failed:?}").contains(".extprot"));
    }
}
