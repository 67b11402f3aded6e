//! `polywire formats`.

use polywire_core::Error;
use polywire_core::format::{Format, Nature, SchemaNeed};
use polywire_formats::registry::FORMATS;
use serde::Serialize;

use crate::args::formats::{FormatsArgs, ListReport};
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// Runs the verb.
pub fn run(args: &FormatsArgs) -> Result<(), Failure> {
    let text = match args.report {
        ListReport::Table => table(),
        ListReport::Json => json()?,
    };
    stdout::write(text.as_bytes()).map_err(|error| unwritten(&error))
}

fn nature(format: &Format) -> &'static str {
    match format.nature {
        Nature::Text => "text",
        Nature::Binary => "binary",
    }
}

fn schema(format: &Format) -> &'static str {
    match format.schema {
        SchemaNeed::None => "none",
        SchemaNeed::Optional => "optional",
        SchemaNeed::Required => "required",
    }
}

fn table() -> String {
    let mut rows = vec![["NAME", "FORMAT", "USE", "KIND", "SCHEMA", "EXTENSIONS", "STARTS WITH"].map(str::to_string)];
    for format in FORMATS {
        let usage = if format.writer.is_some() || format.binder.is_some_and(|binder| binder.writes()) { "read, write" } else { "read" };
        rows.push([
            format.name.into(),
            format.title.into(),
            usage.into(),
            nature(format).into(),
            schema(format).into(),
            format.extensions.join(" "),
            format.magic.into(),
        ]);
    }
    let widths: Vec<usize> = (0..7).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
    writes: bool,
    kind: &'static str,
    schema: &'static str,
    media_types: &'static [&'static str],
    endings: &'static [&'static str],
    starts_with: &'static str,
}

fn json() -> Result<String, Error> {
    let listed = |format: &&Format| Listed {
        name: format.name,
        title: format.title,
        writes: format.writer.is_some() || format.binder.is_some_and(|binder| binder.writes()),
        kind: nature(format),
        schema: schema(format),
        media_types: format.media_types,
        endings: format.extensions,
        starts_with: format.magic,
    };
    let formats: Vec<Listed> = FORMATS.iter().map(listed).collect();
    let text =
        serde_json::to_string_pretty(&formats).map_err(|error| Error::internal(format!("a list that cannot be written: {error}")))?;
    Ok(text + "\n")
}
