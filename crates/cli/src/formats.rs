//! `polywire formats`.

use polywire_core::Error;
use polywire_core::format::{Format, Nature, SchemaNeed};
use polywire_formats::registry;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::args::formats::{FormatsArgs, ListReport};
use crate::failure::{Failure, unwritten};
use crate::{stdout, terminal};

/// Columns of the list, where the terminal has as many.
const WIDTH: usize = 80;

/// Runs the verb.
pub fn run(args: &FormatsArgs) -> Result<(), Failure> {
    let text = match args.report {
        ListReport::Table => table(terminal::columns().map_or(WIDTH, |columns| columns.min(WIDTH))),
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

fn usage(format: &Format) -> &'static str {
    let is_written = format.writer.is_some() || format.columns.is_some() || format.binder.is_some_and(|binder| binder.writes());
    if is_written { "read, write" } else { "read" }
}

/// Makes the list for people. Each format has a row, and a line below it with its title and its
/// first bytes.
fn table(width: usize) -> String {
    let mut rows = vec![(["NAME", "KIND", "USE", "SCHEMA", "EXTENSIONS"].map(str::to_string), "FORMAT: FIRST BYTES".to_string())];
    for format in registry::all() {
        let cells = [format.name, nature(format), usage(format), schema(format), &format.extensions.join(" ")].map(str::to_string);
        rows.push((cells, format!("{}: {}", format.title, format.magic)));
    }
    // The last column takes what is left.
    let widths = [0, 1, 2, 3].map(|column| rows.iter().map(|(cells, _)| cells[column].width()).max().unwrap_or(0));
    let indent = widths.iter().sum::<usize>() + 2 * widths.len();
    let is_narrow = width < indent + 20;
    let mut text = String::new();
    for ([name, kind, usage, schema, mut extensions], mut about) in rows {
        let [a, b, c, d] = widths;
        if is_narrow {
            about = format!("{about}; {}", std::mem::take(&mut extensions));
        }
        let extensions = wrapped(&extensions, width.saturating_sub(indent)).join(&format!("\n{:indent$}", ""));
        text.push_str(format!("{name:a$}  {kind:b$}  {usage:c$}  {schema:d$}  {extensions}").trim_end());
        for line in wrapped(&about, width.saturating_sub(a + 2)) {
            text.push_str(&format!("\n{:a$}  {line}", ""));
        }
        text.push('\n');
    }
    text
}

/// Breaks a text between its words into lines of a width; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
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
    let listed = |format: &Format| Listed {
        name: format.name,
        title: format.title,
        writes: usage(format) == "read, write",
        kind: nature(format),
        schema: schema(format),
        media_types: format.media_types,
        endings: format.extensions,
        starts_with: format.magic,
    };
    let formats: Vec<Listed> = registry::all().map(listed).collect();
    let text =
        serde_json::to_string_pretty(&formats).map_err(|error| Error::internal(format!("a list that cannot be written: {error}")))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_fits_its_width() {
        for width in [80, 72, 60, 52] {
            let text = table(width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
        }
        assert!(registry::all().all(|format| table(WIDTH).lines().any(|line| line.split(' ').next() == Some(format.name))));
    }

    #[test]
    fn long_words_have_a_line_of_their_own() {
        assert_eq!(wrapped("a bb cccccc d", 4), ["a bb", "cccccc", "d"]);
    }
}
