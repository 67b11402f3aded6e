//! How an input is read: its format, the wanted parts, limits.

use polywire_core::format::Format;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Projection, Walker};
use polywire_core::walk::{EntryPath, Path};
use polywire_core::{Error, Limits, Schema};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::dialect::Spoken;
use crate::fault::Failure;
use crate::source::{Source, Watched};

/// How an input is read.
#[derive(Clone)]
pub struct Reading {
    pub spoken: Spoken,
    pub limits: Limits,
    pub doubles: Doubles,
    pub each: Option<EntryPath>,
    select: Option<Vec<Path>>,
}

impl<'py> FromPyObject<'_, 'py> for Reading {
    type Error = PyErr;

    /// Takes a dictionary with the keys of [`Spoken`], and `select`, `each`, `duplicate_keys` and
    /// `limits`.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Reading> {
        let given = object.cast::<PyDict>()?;
        let has = |key: &str| Ok::<_, PyErr>(given.get_item(key)?.filter(|value| !value.is_none()));
        let each = has("each")?.map(|path| path.extract::<String>()).transpose()?;
        let select = has("select")?.map(|paths| match paths.extract::<String>() {
            Ok(path) => Ok(vec![path]),
            Err(_) => paths.extract::<Vec<String>>(),
        });
        let doubles = has("duplicate_keys")?.map(|policy| policy.extract::<String>()).transpose()?;
        let limits = has("limits")?.map(|limits| limits.extract::<Vec<(String, u64)>>()).transpose()?;
        Ok(Reading {
            spoken: object.extract()?,
            limits: limits_of(limits.unwrap_or_default())?,
            doubles: doubles_of(doubles.as_deref())?,
            each: each.map(|path| EntryPath::parse(&path).map_err(Failure::from)).transpose()?,
            select: select.transpose()?.map(|paths| parsed(&paths)).transpose()?,
        })
    }
}

fn parsed(paths: &[String]) -> Result<Vec<Path>, Failure> {
    Ok(paths.iter().map(|path| Path::parse(path)).collect::<Result<Vec<Path>, Error>>()?)
}

fn doubles_of(name: Option<&str>) -> Result<Doubles, Failure> {
    match name {
        None | Some("error") => Ok(Doubles::Refuse),
        Some("first") => Ok(Doubles::First),
        Some("last") => Ok(Doubles::Last),
        Some("keep") => Ok(Doubles::Keep),
        Some(other) => Err(Error::usage(format!("duplicate_keys={other:?}")).expected("error, first, last or keep").into()),
    }
}

fn limits_of(given: Vec<(String, u64)>) -> Result<Limits, Failure> {
    given.into_iter().try_fold(Limits::DEFAULT, |limits, (name, most)| {
        let small = u32::try_from(most).unwrap_or(u32::MAX);
        Ok(match name.as_str() {
            "depth" => limits.with_depth(small),
            "items" => limits.with_items(most),
            "decoded" => limits.with_decoded(most),
            "digits" => limits.with_digits(small),
            _ => return Err(Error::usage(format!("the limit `{name}`")).expected("depth, items, decoded or digits").into()),
        })
    })
}

impl Reading {
    /// Opens an input, and makes its walker.
    pub fn open(&self, source: Source) -> Result<(Stream<Watched>, Walker), Failure> {
        let (stream, format) = source.open(self.spoken.format, &self.limits)?;
        Ok((stream, self.walker(format)?))
    }

    /// Makes the walker of an input of a format.
    pub fn walker(&self, format: &'static Format) -> Result<Walker, Failure> {
        let walker = Walker::new(self.spoken.read(format)?, &self.limits).doubles(self.doubles);
        Ok(walker.select(self.select.as_deref().map(Projection::new)).each(self.each.clone()))
    }

    /// Has the paths lead to the fields that a schema has for members of sum types.
    pub fn name_members(&mut self, schema: &Schema) {
        if let Some(paths) = &mut self.select {
            *paths = polywire_arrow::members(schema, paths);
        }
    }

    /// Has a walker read only the wanted parts.
    pub fn selecting(&self, walker: Walker) -> Walker {
        walker.select(self.select.as_deref().map(Projection::new))
    }

    /// Returns the part of a schema that is wanted.
    pub fn projected(&self, schema: Schema) -> Result<Schema, Failure> {
        match &self.select {
            Some(paths) => Ok(polywire_arrow::project(&schema, paths)?),
            None => Ok(schema),
        }
    }
}
