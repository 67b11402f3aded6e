//! The formats of files of columns, as the registry has them.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use polywire_core::format::{
    Bound, ColumnFact, ColumnFacts, ColumnPiece, ColumnRows, ColumnSource, Columnar, Confidence, Configure, Configured, Framing, Nature,
    SchemaNeed, Setting,
};
use polywire_core::walk::Path;
use polywire_core::{Error, ErrorKind, Fault, Format, Reader, Result, Schema, Writer};

use crate::files::{FileKind, Opened, Source, Squeeze, damaged, guarded, open, open_wanted};
use crate::foreign::{self, common_schema};
use crate::options::{Bad, Decimals, Options, Rest, Sums};
use crate::pieces::{Piece, Pieces, batch_of, failed};
use crate::plan::Plan;
use crate::rows::{RowBytes, RowReader};
use crate::writer::ColumnWriter;

/// Arrow's IPC: as a file, which is also known as Feather version 2, and as a stream. Both are
/// read; the file is written.
pub static ARROW: Format = declared("arrow", "Apache Arrow", of_arrow, &Kind(FileKind::File))
    .media_types(&["application/vnd.apache.arrow.file"])
    .extensions(&["arrow", "feather", "ipc"])
    .magic("a file: 41 52 52 4f 57 31 (ARROW1)");

/// Arrow's IPC stream. A file is read, too.
pub static ARROW_STREAM: Format = declared("arrow-stream", "Apache Arrow, streaming", of_stream, &Kind(FileKind::Stream))
    .media_types(&["application/vnd.apache.arrow.stream"])
    .extensions(&["arrows"])
    .magic("ff ff ff ff, a length, a schema");

/// Parquet.
pub static PARQUET: Format = declared("parquet", "Apache Parquet", of_parquet, &Kind(FileKind::Parquet))
    .media_types(&["application/vnd.apache.parquet"])
    .extensions(&["parquet"])
    .magic("50 41 52 31 (PAR1), at its end too");

const fn declared(name: &'static str, title: &'static str, recognise: fn(&[u8], bool) -> Confidence, kind: &'static Kind) -> Format {
    Format::new(name, title, Nature::Binary, recognise, || Box::new(RowReader))
        .schema(SchemaNeed::Optional)
        .framing(Framing::Lengths)
        .settings(kind)
        .columns(kind)
        .may_be_empty()
}

fn is(kind: FileKind, start: &[u8]) -> Confidence {
    if FileKind::recognise(start) == Some(kind) { Confidence::Certain } else { Confidence::No }
}

fn of_arrow(start: &[u8], _: bool) -> Confidence {
    is(FileKind::File, start)
}

fn of_stream(start: &[u8], _: bool) -> Confidence {
    // The head of the first piece is a schema: its table's place comes first.
    match (is(FileKind::Stream, start), start.get(8..12)) {
        (Confidence::Certain, Some([_, 0, 0, 0])) => Confidence::Certain,
        _ => Confidence::No,
    }
}

fn of_parquet(start: &[u8], whole: bool) -> Confidence {
    match is(FileKind::Parquet, start) {
        // A file that lacks its end is damaged.
        Confidence::Certain if whole && !start.ends_with(b"PAR1") => Confidence::Likely,
        confidence => confidence,
    }
}

const SUMS: &str = "sums";
const BAD: &str = "bad";
const DECIMALS: &str = "decimals";
const COMPRESSION: &str = "column-compression";

static SETTINGS: &[Setting] = &[
    Setting::new(SUMS, "FORM", "Form of sum types in columns: struct or union").writes(SUMS),
    Setting::new(BAD, "POLICY", "Bad messages in columns: fail, or column for a row with the reason in _error").writes(BAD),
    Setting::new(DECIMALS, "FORM", "Decimals in columns: text, or digits and those after the point, as in 38.9").writes(DECIMALS),
    Setting::new(COMPRESSION, "CODEC", "Compression of columns: none, snappy, lz4 or zstd").writes(COMPRESSION),
];

/// A kind of file as a format.
struct Kind(FileKind);

/// Choices of the user.
#[derive(Debug, Clone)]
struct Choices {
    options: Options,
    squeeze: Squeeze,
}

impl Kind {
    fn usual(&self) -> Choices {
        let parquet = self.0 == FileKind::Parquet;
        Choices { options: Options::default().for_parquet(parquet), squeeze: if parquet { Squeeze::Zstd } else { Squeeze::None } }
    }
}

impl Choices {
    /// Returns the choices with these settings.
    fn with(mut self, kind: FileKind, given: &[(&str, &str)]) -> Result<Choices> {
        for (name, value) in given {
            let error = |expected: &'static str| Error::usage(format!("`{value}` for {name}")).expected(expected);
            match *name {
                SUMS => {
                    self.options.sums = match *value {
                        "struct" => Sums::Structs,
                        "union" if kind == FileKind::Parquet => return Err(error("struct: Parquet has no unions")),
                        "union" => Sums::Union,
                        _ => return Err(error("struct or union")),
                    }
                }
                BAD => {
                    self.options.bad = match *value {
                        "fail" => Bad::Fail,
                        "column" => Bad::Column,
                        "skip" => return Err(error("fail or column").hint("--skip-bad leaves bad messages out, in every format")),
                        _ => return Err(error("fail or column")),
                    }
                }
                DECIMALS => {
                    let digits = value.split_once('.').and_then(|(all, after)| Some((all.parse().ok()?, after.parse().ok()?)));
                    self.options.decimals = match (*value, digits) {
                        ("text", _) => Decimals::Text,
                        (_, Some((precision, scale))) => Decimals::Fixed { precision, scale },
                        _ => return Err(error("text, or numbers of digits such as 38.9")),
                    };
                    self.options.check()?;
                }
                COMPRESSION => {
                    self.squeeze = match *value {
                        "none" => Squeeze::None,
                        "lz4" => Squeeze::Lz4,
                        "zstd" => Squeeze::Zstd,
                        "snappy" if kind == FileKind::Parquet => Squeeze::Snappy,
                        _ if kind == FileKind::Parquet => return Err(error("none, snappy, lz4 or zstd")),
                        _ => return Err(error("none, lz4 or zstd")),
                    }
                }
                _ => return Err(Error::internal("a setting that columns do not have")),
            }
        }
        Ok(self)
    }
}

impl Configure for Kind {
    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>> {
        // Without a schema nothing is written, and readers have no settings.
        self.usual().with(self.0, given)?;
        Ok(Arc::new(Unbound))
    }
}

/// A format of columns without a schema.
struct Unbound;

impl Configured for Unbound {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(RowReader)
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        None
    }
}

/// A format of columns with a schema.
struct Adopted {
    kind: FileKind,
    schema: Schema,
    choices: Choices,
    plan: Arc<Plan>,
}

impl Adopted {
    fn new(kind: FileKind, schema: &Schema, choices: Choices) -> Result<Adopted> {
        let plan = Arc::new(Plan::new(schema, &choices.options)?);
        Ok(Adopted { kind, schema: schema.clone(), choices, plan })
    }
}

impl Bound for Adopted {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(RowReader)
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(ColumnWriter::new(self.kind, self.choices.squeeze, Arc::clone(&self.plan))))
    }

    fn configured(&self, given: &[(&str, &str)]) -> Result<Option<Arc<dyn Bound>>> {
        let choices = self.choices.clone().with(self.kind, given)?;
        Ok(Some(Arc::new(Adopted::new(self.kind, &self.schema, choices)?)))
    }
}

impl Columnar for Kind {
    fn rows(&self, source: ColumnSource, wanted: Option<&[Path]>) -> Result<ColumnRows> {
        let (schema, batches) = guarded(|| self.batches(source, wanted))??;
        let is_all = foreign::plan(&schema)?.rest.is_none();
        Ok(ColumnRows { schema: common_schema(&schema), is_all, bytes: Box::new(RowBytes::new(batches)) })
    }

    fn facts(&self, source: ColumnSource) -> Result<ColumnFacts> {
        guarded(|| self.told(source))?
    }

    fn adopt(&self, schema: &Schema, is_all: bool) -> Result<Arc<dyn Bound>> {
        let mut choices = self.usual();
        if is_all {
            choices.options.rest = Rest::Refuse;
        }
        Ok(Arc::new(Adopted::new(self.0, schema, choices)?))
    }
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

impl Kind {
    fn batches(&self, source: ColumnSource, wanted: Option<&[Path]>) -> Result<(SchemaRef, Batches)> {
        let opened = match source {
            ColumnSource::File(file) => open_wanted(Source::File(file), wanted)?,
            ColumnSource::Read(input, most) => match begun(input)? {
                (Some(FileKind::Parquet | FileKind::File), input) => whole(input, most)?,
                (Some(FileKind::Stream), input) => {
                    let pieces = Pieces::open(input)?;
                    return Ok((pieces.schema(), Box::new(Guarded(Some(pieces)))));
                }
                (None, _) => return Err(self.other()),
            },
        };
        let is_arrow = |kind| kind != FileKind::Parquet;
        if is_arrow(opened.kind()) != is_arrow(self.0) {
            return Err(self.other());
        }
        Ok((opened.schema(), Box::new(opened)))
    }

    #[cold]
    fn other(&self) -> Error {
        let expected = if self.0 == FileKind::Parquet { "a file of Parquet" } else { "a file or a stream of Arrow" };
        Error::data(ErrorKind::Syntax, 0).seen("other first bytes").expected(expected)
    }

    fn told(&self, source: ColumnSource) -> Result<ColumnFacts> {
        let (kind, input, file): (_, Box<dyn Read>, _) = match source {
            ColumnSource::File(mut file) => {
                let again = file.try_clone().map_err(|error| Error::io("opening", &error))?;
                let mut head = Vec::new();
                file.by_ref().take(8).read_to_end(&mut head).map_err(|error| Error::io("reading", &error))?;
                (FileKind::recognise(&head), Box::new(Cursor::new(head).chain(file)), Some(again))
            }
            ColumnSource::Read(input, most) => {
                let (kind, input) = begun(input)?;
                (kind, Box::new(input.take(most)), None)
            }
        };
        let is_arrow = matches!(kind, Some(FileKind::Stream | FileKind::File));
        match (kind, file) {
            _ if is_arrow == (self.0 == FileKind::Parquet) => Err(self.other()),
            (Some(FileKind::Parquet), Some(file)) => of_row_groups(file),
            (Some(FileKind::Parquet), None) => {
                let mut bytes = Vec::new();
                let mut input = input;
                input.read_to_end(&mut bytes).map_err(|error| Error::io("reading", &error))?;
                of_row_groups(bytes::Bytes::from(bytes))
            }
            (Some(kind), _) => of_pieces(kind, input),
            (None, _) => Err(self.other()),
        }
    }
}

/// Returns the kind of file that the first bytes show, and all bytes.
fn begun(mut input: Box<dyn Read>) -> Result<(Option<FileKind>, Box<dyn Read>)> {
    let mut head = Vec::new();
    input.by_ref().take(8).read_to_end(&mut head).map_err(|error| Error::io("reading", &error))?;
    Ok((FileKind::recognise(&head), Box::new(Cursor::new(head).chain(input))))
}

/// Opens a file that comes from a pipe, from memory.
fn whole(input: Box<dyn Read>, most: u64) -> Result<Opened> {
    let mut bytes = Vec::new();
    input.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| failed(ArrowError::IoError(String::new(), error)))?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::Limit, Fault::Caller)
            .seen(format!("a file of columns from a pipe, of more than {most} bytes"))
            .expected("a file, which is read piece by piece, or a shorter one")
            .hint("save it to a file first"));
    }
    open(Source::Bytes(bytes.into()), None)
}

/// Batches of a stream; a panic of the code that reads them is damage.
struct Guarded<R>(Option<Pieces<R>>);

impl<R: Read> Iterator for Guarded<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        let pieces = self.0.as_mut()?;
        let next = guarded(|| pieces.next()).and_then(|next| next.transpose().map_err(failed));
        if next.is_err() {
            self.0 = None;
        }
        next.transpose()
    }
}

fn columns(schema: &SchemaRef) -> Vec<ColumnFact> {
    let column = |field: &Arc<arrow_schema::Field>| {
        let mut fact = ColumnFact::default();
        (fact.name, fact.ty, fact.nullable) = (field.name().clone(), field.data_type().to_string(), field.is_nullable());
        fact
    };
    schema.fields().iter().map(column).collect()
}

/// Returns what a Parquet file says about itself.
fn of_row_groups<R: ChunkReader + 'static>(input: R) -> Result<ColumnFacts> {
    let mut facts = ColumnFacts::default();
    facts.bytes = input.len();
    let builder = ParquetRecordBatchReaderBuilder::try_new(input).map_err(|error| damaged("Parquet", &error))?;
    let metadata = builder.metadata();
    (facts.kind, facts.piece) = (format!("Parquet, version {}", metadata.file_metadata().version()), "row group");
    facts.written_by = metadata.file_metadata().created_by().map(str::to_string);
    facts.columns = columns(builder.schema());
    facts.columns.iter_mut().for_each(|column| column.bytes = Some(0));
    let natural = |number: i64| u64::try_from(number).unwrap_or(0);
    for group in metadata.row_groups() {
        let mut piece = ColumnPiece::default();
        piece.rows = natural(group.num_rows());
        let mut codecs: Vec<String> = Vec::new();
        for (leaf, column) in group.columns().iter().enumerate() {
            let bytes = natural(column.compressed_size());
            piece.bytes = piece.bytes.saturating_add(bytes);
            let root = group.schema_descr().get_column_root_idx(leaf);
            if let Some(fact) = facts.columns.get_mut(root) {
                fact.bytes = fact.bytes.map(|all| all.saturating_add(bytes));
            }
            let codec = codec(&column.compression().to_string());
            if !codecs.contains(&codec) {
                codecs.push(codec);
            }
        }
        piece.compression = if codecs.is_empty() { "none".into() } else { codecs.join(", ") };
        facts.pieces.push(piece);
    }
    Ok(facts)
}

/// Returns the name of a codec, without its level.
fn codec(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default().to_ascii_lowercase();
    if name == "uncompressed" { "none".into() } else { name }
}

/// Returns what an Arrow file or stream says about itself. Its pieces follow each other in a file
/// as they do in a stream.
fn of_pieces(kind: FileKind, input: Box<dyn Read>) -> Result<ColumnFacts> {
    let mut input = BufReader::new(input);
    let reading = |error: std::io::Error| Error::io("reading", &error);
    let mut facts = ColumnFacts::default();
    facts.piece = "batch";
    facts.kind = if kind == FileKind::File { "Arrow, a file" } else { "Arrow, a stream" }.into();
    if kind == FileKind::File {
        // The magic, and its padding, whose length is the writer's choice.
        facts.bytes = std::io::copy(&mut input.by_ref().take(8), &mut std::io::sink()).map_err(reading)?;
        while input.fill_buf().map_err(reading)?.first() == Some(&0) {
            input.consume(1);
            facts.bytes += 1;
        }
    }
    let mut schema = None;
    while let Some(piece) = Piece::next(&mut input).map_err(failed)? {
        facts.bytes += piece.whole.len() as u64;
        let message = piece.message().map_err(failed)?;
        if let Some((rows, compression)) = batch_of(&message) {
            let mut found = ColumnPiece::default();
            (found.rows, found.bytes, found.compression) = (rows, piece.whole.len() as u64, compression.into());
            facts.pieces.push(found);
        } else if schema.is_none() {
            let found = message.header_as_schema().ok_or_else(|| damaged("Arrow", &"a stream without a schema"))?;
            schema = Some(Arc::new(arrow_ipc::convert::try_fb_to_schema(found).map_err(failed)?));
        }
    }
    // The end mark of eight bytes, and a file's footer.
    facts.bytes += 8 + std::io::copy(&mut input, &mut std::io::sink()).map_err(reading)?;
    facts.columns = columns(&schema.ok_or_else(|| damaged("Arrow", &"a stream without a schema"))?);
    Ok(facts)
}
