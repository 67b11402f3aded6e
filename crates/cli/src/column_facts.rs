//! The facts about a file of columns that `polywire inspect` shows.

use polywire_core::Error;
use polywire_core::format::{ColumnFacts, ColumnPiece};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Pieces that people see one by one.
const SHOWN: usize = 20;

/// Returns the facts for people.
pub fn text(facts: &ColumnFacts) -> String {
    let rows: u64 = facts.pieces.iter().map(|piece| piece.rows).sum();
    let mut text = facts.kind.clone();
    if let Some(by) = &facts.written_by {
        text.push_str(&format!(", written by {by}"));
    }
    let plural = |count: u64, word: &str| match (count, word.ends_with("ch")) {
        (1, _) => format!("1 {word}"),
        (_, true) => format!("{count} {word}es"),
        (_, false) => format!("{count} {word}s"),
    };
    let pieces = plural(facts.pieces.len() as u64, facts.piece);
    text.push_str(&format!("\n{} in {pieces}, {}\n", plural(rows, "row"), plural(facts.bytes, "byte")));
    let mut table = vec![["COLUMN", "BYTES", "TYPE"].map(str::to_string)];
    for column in &facts.columns {
        let bytes = column.bytes.map_or_else(|| "-".into(), |bytes| bytes.to_string());
        let ty = if column.nullable { format!("{}, nullable", column.ty) } else { column.ty.clone() };
        table.push([column.name.escape_default().to_string(), bytes, ty]);
    }
    add(&mut text, &table);
    let mut table = vec![[facts.piece.to_uppercase(), "ROWS".into(), "BYTES".into(), "COMPRESSION".into()]];
    for (number, piece) in facts.pieces.iter().take(SHOWN).enumerate() {
        let ColumnPiece { rows, bytes, compression, .. } = piece;
        table.push([(number + 1).to_string(), rows.to_string(), bytes.to_string(), compression.clone()]);
    }
    add(&mut text, &table);
    if facts.pieces.len() > SHOWN {
        text.push_str(&format!("… {} more\n", facts.pieces.len() - SHOWN));
    }
    text
}

/// Adds a table, whose last column is as wide as it is.
fn add<const N: usize>(text: &mut String, table: &[[String; N]]) {
    text.push('\n');
    for row in table {
        let mut line = String::new();
        for (index, cell) in row.iter().enumerate() {
            let width = table.iter().map(|row| row[index].width()).max().unwrap_or(0);
            line.push_str(cell);
            line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

#[derive(Serialize)]
struct Told<'f> {
    kind: &'f str,
    written_by: Option<&'f str>,
    bytes: u64,
    rows: u64,
    columns: Vec<ToldColumn<'f>>,
    pieces: Vec<ToldPiece<'f>>,
}

#[derive(Serialize)]
struct ToldColumn<'f> {
    name: &'f str,
    r#type: &'f str,
    nullable: bool,
    bytes: Option<u64>,
}

#[derive(Serialize)]
struct ToldPiece<'f> {
    rows: u64,
    bytes: u64,
    compression: &'f str,
}

/// Returns the facts as one line of JSON.
///
/// # Errors
/// They cannot be written, which is a fault of the program.
pub fn json(facts: &ColumnFacts) -> Result<String, Error> {
    let columns = facts.columns.iter().map(|column| ToldColumn {
        name: &column.name,
        r#type: &column.ty,
        nullable: column.nullable,
        bytes: column.bytes,
    });
    let pieces = facts.pieces.iter().map(|piece| ToldPiece { rows: piece.rows, bytes: piece.bytes, compression: &piece.compression });
    let told = Told {
        kind: &facts.kind,
        written_by: facts.written_by.as_deref(),
        bytes: facts.bytes,
        rows: facts.pieces.iter().map(|piece| piece.rows).sum(),
        columns: columns.collect(),
        pieces: pieces.collect(),
    };
    let text = serde_json::to_string(&told).map_err(|error| Error::internal(format!("facts that cannot be written: {error}")))?;
    Ok(text + "\n")
}
