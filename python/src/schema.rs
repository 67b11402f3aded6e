//! Schemas: inferred, written, compared.

use std::path::PathBuf;
use std::sync::Arc;

use polywire_core::schema::language::Direction;
use polywire_core::text::sources::NoFiles;
use polywire_core::{Error, ErrorKind, Fault};
use polywire_schema::check::versions::{self, Version};
use polywire_schema::check::{Question, check as compared};
use polywire_schema::infer::Inference;
use polywire_schema::languages;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::border::apart;
use crate::columns::exported;
use crate::dialect::Given;
use crate::fault::Failure;
use crate::reading::Reading;
use crate::source::Source;

/// A schema in the terms that all languages share.
#[pyclass(module = "polywire", frozen)]
#[derive(Clone)]
pub struct Schema(Arc<polywire_core::schema::Schema>);

impl Schema {
    pub fn new(schema: polywire_core::schema::Schema) -> Schema {
        Schema(Arc::new(schema))
    }

    pub fn common(&self) -> &polywire_core::schema::Schema {
        &self.0
    }
}

#[pymethods]
impl Schema {
    /// Returns the schema as text of a language, and appends to `losses` what the language cannot
    /// express.
    #[pyo3(signature = (language = "listing", losses = None))]
    fn text(&self, py: Python<'_>, language: &str, losses: Option<Bound<'_, PyAny>>) -> PyResult<String> {
        let (text, lost) = apart(py, || Ok(languages::find(language)?.write_mapped(&self.0)?))?;
        if let Some(losses) = losses {
            for loss in lost {
                losses.call_method1("append", (format!("{}: {}", loss.at, loss.what),))?;
            }
        }
        Ok(text)
    }

    /// Returns the columns of the schema's messages, for libraries that take Arrow's schemas.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported(py, &self.0)
    }

    /// Makes a schema of its mapping, for `pickle`.
    #[staticmethod]
    fn from_mapping(mapping: &str) -> PyResult<Schema> {
        let schema = polywire_core::schema::mapped(mapping.as_bytes());
        let schema = schema.unwrap_or_else(|| Err(Error::usage("other text").expected("the mapping of a schema")));
        Ok(Schema::new(schema.map_err(Failure::from)?))
    }

    fn __reduce__<'py>(this: &Bound<'py, Schema>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let mapping = polywire_core::schema::mapping(this.get().common());
        let mapping = mapping.ok_or_else(|| {
            let error = Error::new(ErrorKind::Unsupported, Fault::Schema).seen("a schema with types that no message shows");
            Failure::from(error.expected("a schema that other processes can be given"))
        })?;
        Ok((this.get_type().getattr("from_mapping")?, (mapping,)))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, "listing", None)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<polywire.Schema\n{}>", self.text(py, "listing", None)?))
    }
}

/// Infers the schema of all messages of an input.
#[pyfunction]
#[pyo3(signature = (source, reading, name = None, threads = 1, progress = None))]
pub fn infer_schema(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    reading: Reading,
    name: Option<&str>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Schema> {
    let source = Source::new(source, progress)?;
    apart(py, move || {
        let watch = source.watch();
        let (mut stream, mut walker) = reading.open(source)?;
        let mut inference = Inference::new();
        inference.add_stream(&mut stream, &mut walker, threads).map_err(|error| watch.cause(error))?;
        if inference.samples() == 0 {
            let error = walker.no_entry().unwrap_or_else(|| Error::truncated(stream.offset(), "a message"));
            return Err(error.into());
        }
        Ok(Schema::new(inference.finish(name)))
    })
}

/// Compares versions of a schema, and returns whether they are compatible, a text and JSON.
#[pyfunction]
#[pyo3(signature = (old, new, language = None, direction = None, r#type = None, include = Vec::new(), strict = false))]
#[allow(clippy::too_many_arguments)]
pub fn check(
    py: Python<'_>,
    old: Given,
    new: Given,
    language: Option<&str>,
    direction: Option<&str>,
    r#type: Option<&str>,
    include: Vec<PathBuf>,
    strict: bool,
) -> PyResult<(bool, String, String)> {
    let include: Vec<String> = include.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
    apart(py, move || {
        let language = match (language, &new) {
            (Some(name), _) => languages::find(name)?,
            (None, Given::File(path)) => {
                let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
                languages::by_extension(extension).ok_or_else(|| no_language(&format!("the file {}", path.display())))?
            }
            (None, _) => return Err(no_language("a text").into()),
        };
        let rules = language.compatibility().ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(format!("a schema in the language {}", language.title()))
                .expected("a language with compatibility rules")
        })?;
        let directions = match direction {
            None => Direction::ALL.to_vec(),
            Some(name) => {
                let found = Direction::ALL.iter().find(|direction| direction.name() == name);
                vec![*found.ok_or_else(|| Error::usage(format!("the direction `{name}`")).expected("backward or forward"))?]
            }
        };
        let mut versions = [version(&old, "old", &include)?, version(&new, "new", &include)?];
        let question = Question { root: r#type, directions, strict };
        let verdict = compared(rules, &mut versions, &question).map_err(Error::from)?;
        Ok((verdict.holds(), verdict.text(), verdict.json()))
    })
}

fn no_language(seen: &str) -> Error {
    let names: Vec<&str> = languages::LANGUAGES.iter().filter(|one| one.reader().is_some()).map(|one| one.name()).collect();
    Error::usage(format!("{seen}, which shows no language"))
        .expected("the language of the schema")
        .hint(format!("name it: {}", names.join(", ")))
}

fn version(given: &Given, label: &str, include: &[String]) -> Result<Version, Failure> {
    match given {
        Given::File(path) => Ok(versions::file(path, include)?),
        Given::Text(text) => Ok(Version { label: label.into(), bytes: text.clone(), identity: label.into(), files: Box::new(NoFiles) }),
        Given::Common(_) => Err(Error::usage("a schema that is no text").expected("a file, or the text of a schema").into()),
    }
}
