//! Whole tables as data: a list of rows. Each row is a list of texts, or an object if the first row
//! names the columns.

use bytes::Bytes;
use polywire_core::{Budget, Error, ErrorKind, Result, Scalar, Str};
use polywire_doc::{Builder, Convention, Conventions, Declared, Member, Place, Read, Reading, Reads, Repeated};

use super::lex::{self, BOM, Cell, Marks, NAME, after_blank_lines, after_break, unescape};
use crate::coerce;

/// The conventions of CSV.
#[derive(Debug, Clone, Copy)]
pub struct CsvTable;

static LIST: &[Convention] = &[
    Convention {
        name: "table",
        about: "a list of rows, each a list of texts; with a header, each an object whose members are named by the first row",
    },
    Convention { name: HEADER, about: "a list of rows, each an object whose members are named by the first row" },
];

/// Name of the convention in which the first row names the columns, whatever the media type says.
const HEADER: &str = "header";

impl Conventions for CsvTable {
    fn list(&self) -> &'static [Convention] {
        LIST
    }

    fn read(&self, convention: &str, body: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read> {
        if !LIST.iter().any(|known| known.name == convention) {
            return Err(Error::usage(format!("the convention `{convention}`")).expected("`table` or `header`"));
        }
        let reading = &Reading { header: reading.header || convention == HEADER, ..*reading };
        table(body, reading, budget).map_err(|error| error.format_is(NAME))
    }
}

/// A column that the first row names.
struct Column {
    member: Member,
    place: Option<Place>,
    declared: Declared,
}

fn table(body: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read> {
    let text = std::str::from_utf8(body).map_err(|error| {
        let at = error.valid_up_to();
        Error::data(ErrorKind::Encoding, at as u64)
            .seen(format!("byte 0x{:02x}", body[at]))
            .expected("UTF-8 text")
            .hint("name the character set in the media type")
    })?;
    let bytes = text.as_bytes();
    let mut at = after_blank_lines(bytes, if bytes.starts_with(BOM) { BOM.len() } else { 0 });
    let first_line = bytes[at..].iter().position(|&byte| matches!(byte, b'\n' | b'\r')).map_or(&bytes[at..], |end| &bytes[at..at + end]);
    let quote = Marks::default().quote;
    let marks = Marks { separator: lex::separator(first_line, quote), quote };
    let mut builder = Builder::new(body.clone(), Repeated::Group);
    let mut unescaped = String::new();
    let mut skipped = 0;
    let mut columns: Option<Vec<Column>> = None;
    builder.open_list(Member::ELEMENT)?;
    while at < bytes.len() {
        let names_columns = reading.header && columns.is_none();
        let mut named = Vec::new();
        budget.item(at as u64)?;
        match (&columns, names_columns) {
            (_, true) => {}
            (Some(_), _) => builder.open_object(Member::ELEMENT)?,
            (None, _) => builder.open_list(Member::ELEMENT)?,
        }
        for n in 0.. {
            let cell = lex::cell(bytes, at, marks, 0)?;
            budget.item(at as u64)?;
            at = cell.end();
            let value = contents(text, cell, marks, &mut unescaped);
            if names_columns {
                let declared = reading.shape.member(reading.shape.root(), value.get());
                named.push(Column {
                    place: reading.wanted.member(reading.wanted.root(), value.get()),
                    member: Member { name: builder.name(value.get()), listed: reading.shape.is_list(declared) },
                    declared,
                });
            } else if let Some(columns) = &columns {
                let Some(column) = columns.get(n) else {
                    return Err(Error::data(ErrorKind::Syntax, cell.start() as u64)
                        .seen(format!("cell {} of a row", n + 1))
                        .expected(format!("the {} columns that the first row names", columns.len())));
                };
                if column.place.is_some() {
                    put(&mut builder, column, value, reading, budget.limits().digits)?;
                } else {
                    skipped += (cell.end() - cell.start()) as u64;
                }
            } else {
                builder.scalar(Member::ELEMENT, Scalar::Text(value))?;
            }
            if bytes.get(at) != Some(&marks.separator) {
                break;
            }
            at += 1;
        }
        if names_columns {
            columns = Some(named);
        } else {
            builder.close()?;
        }
        at = after_blank_lines(bytes, after_break(bytes, at));
    }
    builder.close()?;
    Ok(Read { doc: builder.finish()?, skipped })
}

fn put(builder: &mut Builder, column: &Column, value: Str<'_, '_, str>, reading: &Reading<'_>, digits: u32) -> Result<()> {
    let mut scratch = String::new();
    let number = match reading.shape.reading(column.declared) {
        Some(Reads::Number) => coerce::number(value.get().trim(), &mut scratch, digits),
        _ => None,
    };
    builder.scalar(column.member, number.unwrap_or(Scalar::Text(value.scratch())))
}

/// Returns a cell's text, with its quotes unescaped.
fn contents<'t>(text: &'t str, cell: Cell, marks: Marks, unescaped: &'t mut String) -> Str<'t, 't, str> {
    let inner = &text[cell.from..cell.to];
    if !cell.doubled {
        return Str::Input(inner);
    }
    unescape(inner, &cell, marks, unescaped);
    Str::Scratch(unescaped)
}
