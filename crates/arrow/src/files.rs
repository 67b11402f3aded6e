//! Files of columns: Arrow's IPC as a file or a stream, and Parquet.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter as IpcFile, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use polywire_core::tools::caught;
use polywire_core::walk::Path;
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::narrow::{Narrow, narrowed};
use crate::pieces::{Pieces, claims_of_file};

/// A kind of file that holds columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Arrow's IPC stream.
    Stream,
    /// Arrow's IPC file, also known as Feather version 2.
    File,
    /// Parquet.
    Parquet,
}

/// First bytes of an IPC file.
pub(crate) const ARROW: &[u8] = b"ARROW1";

/// First bytes of a Parquet file.
pub(crate) const PARQUET: &[u8] = b"PAR1";

impl FileKind {
    /// Returns the kind of file that starts with `bytes`, of which eight are enough.
    ///
    /// ```
    /// use polywire_arrow::FileKind;
    ///
    /// assert_eq!(FileKind::recognise(b"PAR1...."), Some(FileKind::Parquet));
    /// assert_eq!(FileKind::recognise(b"{\"id\":1}"), None);
    /// ```
    pub fn recognise(bytes: &[u8]) -> Option<FileKind> {
        match bytes {
            _ if bytes.starts_with(ARROW) => Some(FileKind::File),
            // The second is the mark of a file whose footer is encrypted, which its reader refuses.
            _ if bytes.starts_with(PARQUET) || bytes.starts_with(b"PARE") => Some(FileKind::Parquet),
            // The mark of a message, and the length of the schema, which is small.
            [0xff, 0xff, 0xff, 0xff, _, _, _, 0, ..] => Some(FileKind::Stream),
            _ => None,
        }
    }
}

/// Compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Squeeze {
    /// None.
    #[default]
    None,
    /// Snappy, for Parquet only.
    Snappy,
    /// LZ4.
    Lz4,
    /// Zstandard.
    Zstd,
}

enum Into<W: Write + Send> {
    Stream(Box<StreamWriter<W>>),
    File(Box<IpcFile<W>>),
    Parquet(Box<ArrowWriter<W>>),
}

/// Writes batches to a file.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use polywire_arrow::{FileKind, FileWriter, Source, Squeeze, open};
///
/// let ids: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
/// let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
/// let mut writer = FileWriter::new(FileKind::Parquet, Vec::new(), &batch.schema(), Squeeze::Zstd)?;
/// writer.write(&batch)?;
/// let file = writer.finish()?;
///
/// let read: Vec<RecordBatch> = open(Source::Bytes(file.into()), None)?.collect::<Result<_, _>>()?;
/// assert_eq!(read[0], batch);
/// # Ok::<(), polywire_core::Error>(())
/// ```
pub struct FileWriter<W: Write + Send> {
    into: Into<W>,
}

impl<W: Write + Send> FileWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// The kind of file cannot hold the schema, or not be compressed so; or writing fails.
    pub fn new(kind: FileKind, out: W, schema: &SchemaRef, squeeze: Squeeze) -> Result<FileWriter<W>> {
        let ipc = || -> Result<IpcWriteOptions> {
            let compression = match squeeze {
                Squeeze::None => None,
                Squeeze::Lz4 => Some(CompressionType::LZ4_FRAME),
                Squeeze::Zstd => Some(CompressionType::ZSTD),
                Squeeze::Snappy => return Err(Error::usage("Snappy in an Arrow file").expected("LZ4 or Zstandard")),
            };
            IpcWriteOptions::default().try_with_compression(compression).map_err(written)
        };
        let into = match kind {
            FileKind::Stream => Into::Stream(Box::new(StreamWriter::try_new_with_options(out, schema, ipc()?).map_err(written)?)),
            FileKind::File => Into::File(Box::new(IpcFile::try_new_with_options(out, schema, ipc()?).map_err(written)?)),
            FileKind::Parquet => {
                let compression = match squeeze {
                    Squeeze::None => Compression::UNCOMPRESSED,
                    Squeeze::Snappy => Compression::SNAPPY,
                    Squeeze::Lz4 => Compression::LZ4_RAW,
                    Squeeze::Zstd => Compression::ZSTD(ZstdLevel::default()),
                };
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_created_by(concat!("polywire ", env!("CARGO_PKG_VERSION")).to_string())
                    .set_statistics_enabled(EnabledStatistics::Chunk)
                    .build();
                Into::Parquet(Box::new(ArrowWriter::try_new(out, Arc::clone(schema), Some(properties)).map_err(of_parquet)?))
            }
        };
        Ok(FileWriter { into })
    }

    /// Writes a batch. Parquet collects batches until a row group is full.
    ///
    /// # Errors
    /// The batch has another schema, or writing fails.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.into {
            Into::Stream(writer) => writer.write(batch).map_err(written),
            Into::File(writer) => writer.write(batch).map_err(written),
            Into::Parquet(writer) => {
                writer.write(batch).map_err(of_parquet)?;
                // A row group is held in memory.
                if writer.in_progress_size() >= 128 << 20 {
                    writer.flush().map_err(of_parquet)?;
                }
                Ok(())
            }
        }
    }

    /// Returns the output. Its bytes may be taken out of it, if nothing else is put in.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.into {
            Into::Stream(writer) => writer.get_mut(),
            Into::File(writer) => writer.get_mut(),
            Into::Parquet(writer) => writer.inner_mut(),
        }
    }

    /// Ends the file, and returns the output.
    ///
    /// # Errors
    /// Writing fails.
    pub fn finish(self) -> Result<W> {
        match self.into {
            Into::Stream(writer) => writer.into_inner().map_err(written),
            Into::File(writer) => writer.into_inner().map_err(written),
            Into::Parquet(writer) => writer.into_inner().map_err(of_parquet),
        }
    }
}

#[cold]
fn written(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => Error::io("writing", &error),
        other => Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format!("columns that the file cannot hold: {other}")),
    }
}

#[cold]
fn of_parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) if error.is::<std::io::Error>() => match error.downcast::<std::io::Error>() {
            Ok(error) => Error::io("writing", &error),
            Err(error) => Error::internal(error.to_string()),
        },
        other => Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format!("columns that Parquet cannot hold: {other}")),
    }
}

/// The input of a file of columns.
pub enum Source {
    /// All bytes.
    Bytes(Bytes),
    /// A file, which is read piece by piece.
    File(File),
    /// Bytes as they come. Arrow's stream is read batch by batch; of other files, at most this
    /// number of bytes is kept in memory.
    Read(Box<dyn Read + Send>, u64),
}

/// Most bytes of a file that comes from a pipe, unless the caller has another bound: 1 GiB.
pub const MOST: u64 = 1 << 30;

/// Batches of a file.
pub struct Opened {
    kind: FileKind,
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
    failed: bool,
}

/// Opens a file of columns, whose first bytes name its kind. With `select`, only the columns
/// of these names are read.
///
/// # Errors
/// It is no such file, is damaged, or cannot be read.
pub fn open(source: Source, select: Option<&[String]>) -> Result<Opened> {
    guarded(|| open_any(source, select.map(Wanted::Names)))?
}

/// Opens a file of columns. Those in which no path leads to a value may be left out.
pub(crate) fn open_wanted(source: Source, wanted: Option<&[Path]>) -> Result<Opened> {
    guarded(|| open_any(source, wanted.map(Wanted::Paths)))?
}

/// The columns that are read.
#[derive(Clone, Copy)]
enum Wanted<'w> {
    /// Those of these names.
    Names(&'w [String]),
    /// At least those to whose values a path leads.
    Paths(&'w [Path]),
}

fn open_any(source: Source, select: Option<Wanted<'_>>) -> Result<Opened> {
    match source {
        Source::Bytes(bytes) => match FileKind::recognise(&bytes) {
            Some(FileKind::Parquet) => parquet(bytes, select),
            Some(FileKind::File) => file(Cursor::new(bytes), select),
            _ => stream(Cursor::new(bytes), select),
        },
        Source::File(mut input) => {
            let mut head = [0; 8];
            let reading = |error: std::io::Error| Error::io("reading", &error);
            let mut have = 0;
            while have < head.len() {
                match input.read(&mut head[have..]).map_err(reading)? {
                    0 => break,
                    read => have += read,
                }
            }
            input.seek(SeekFrom::Start(0)).map_err(reading)?;
            match FileKind::recognise(&head[..have]) {
                Some(FileKind::Parquet) => parquet(input, select),
                Some(FileKind::File) => file(std::io::BufReader::new(input), select),
                _ => stream(std::io::BufReader::new(input), select),
            }
        }
        Source::Read(mut input, most) => {
            let mut head = Vec::new();
            let reading = |error: std::io::Error| Error::io("reading", &error);
            input.by_ref().take(8).read_to_end(&mut head).map_err(reading)?;
            match FileKind::recognise(&head) {
                Some(FileKind::Parquet | FileKind::File) => {
                    input.by_ref().take(most.saturating_sub(8).saturating_add(1)).read_to_end(&mut head).map_err(reading)?;
                    if head.len() as u64 > most {
                        return Err(Error::new(ErrorKind::Limit, Fault::Caller)
                            .seen(format!("a file of columns from a pipe, of more than {most} bytes"))
                            .expected("a file, which is read piece by piece, or a shorter one")
                            .hint("save it to a file first"));
                    }
                    open_any(Source::Bytes(head.into()), select)
                }
                _ => stream(Cursor::new(head).chain(input), select),
            }
        }
    }
}

fn places(schema: &SchemaRef, select: Option<Wanted<'_>>) -> Result<Option<Vec<usize>>> {
    let Some(Wanted::Names(select)) = select else { return Ok(None) };
    let place = |name: &String| {
        let error = || Error::usage(format!("the column `{name}`")).expected("a column of the file");
        schema.index_of(name).map_err(|_| error())
    };
    let mut places = select.iter().map(place).collect::<Result<Vec<usize>>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(Some(places))
}

fn parquet<R: parquet::file::reader::ChunkReader + 'static>(input: R, select: Option<Wanted<'_>>) -> Result<Opened> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(input).map_err(|error| damaged("Parquet", &error))?;
    // The batches of the reader lack the metadata of the schema.
    let mut schema = Arc::clone(builder.schema());
    let narrow = match select {
        Some(Wanted::Paths(paths)) => narrowed(&schema, paths).filter(|narrow| narrow.of == builder.parquet_schema().num_columns()),
        _ => None,
    };
    let builder = match places(builder.schema(), select)? {
        Some(places) => {
            schema = Arc::new(schema.project(&places).map_err(|error| damaged("Parquet", &error))?);
            let mask = parquet::arrow::ProjectionMask::roots(builder.parquet_schema(), places);
            builder.with_projection(mask)
        }
        None => match &narrow {
            Some(narrow) => {
                let mask = parquet::arrow::ProjectionMask::leaves(builder.parquet_schema(), narrow.leaves.iter().copied());
                builder.with_projection(mask)
            }
            None => builder,
        },
    };
    let rows = batch_rows(builder.metadata().row_groups().iter().map(|group| (group.num_rows(), group.total_byte_size())));
    let reader = builder.with_batch_size(rows).build().map_err(|error| damaged("Parquet", &error))?;
    if let Some(Narrow { metadata, .. }) = narrow {
        let fields = arrow_array::RecordBatchReader::schema(&reader).fields().clone();
        schema = Arc::new(arrow_schema::Schema::new(fields).with_metadata(metadata));
    }
    let whole = Arc::clone(&schema);
    let batches = reader.map(move |batch| {
        let (_, columns, rows) = batch?.into_parts();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&whole), columns, &options)
    });
    Ok(Opened { kind: FileKind::Parquet, schema, batches: Box::new(batches), failed: false })
}

/// Most rows of a batch that is read.
const ROWS: usize = 8192;

/// Bytes of a batch that is read, about.
const BATCH: u64 = 64 << 20;

/// Returns the rows of a batch, by the rows and bytes of each row group. Long values are read few
/// at a time, so that they fit into memory and 32-bit offsets.
fn batch_rows(groups: impl Iterator<Item = (i64, i64)>) -> usize {
    let long = |(rows, bytes): (i64, i64)| u64::try_from(bytes).unwrap_or(0) / u64::try_from(rows).unwrap_or(1).max(1);
    let longest = groups.map(long).max().unwrap_or(0);
    usize::try_from(BATCH / longest.max(1)).map_or(ROWS, |rows| rows.clamp(1, ROWS))
}

fn file<R: Read + Seek + Send + 'static>(mut input: R, select: Option<Wanted<'_>>) -> Result<Opened> {
    let places = match select {
        None => None,
        Some(Wanted::Paths(_)) => None,
        Some(_) => {
            let whole = FileReader::try_new(&mut input, None).map_err(|error| damaged("Arrow", &error))?;
            places(&whole.schema(), select)?
        }
    };
    claims_of_file(&mut input)?;
    let reader = FileReader::try_new(input, places).map_err(|error| damaged("Arrow", &error))?;
    Ok(Opened { kind: FileKind::File, schema: reader_schema(&reader), batches: Box::new(reader), failed: false })
}

fn stream<R: Read + Send + 'static>(input: R, select: Option<Wanted<'_>>) -> Result<Opened> {
    let reader = Pieces::open(input)?;
    let schema = reader.schema();
    let (schema, batches): (SchemaRef, Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>) = match places(&schema, select)? {
        None => (schema, Box::new(reader)),
        Some(places) => {
            let projected = Arc::new(schema.project(&places).map_err(|error| damaged("Arrow", &error))?);
            (projected, Box::new(reader.map(move |batch| batch.and_then(|batch| batch.project(&places)))))
        }
    };
    Ok(Opened { kind: FileKind::Stream, schema, batches, failed: false })
}

fn reader_schema(reader: &dyn arrow_array::RecordBatchReader) -> SchemaRef {
    reader.schema()
}

#[cold]
pub(crate) fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    // Its reader does not say so where only columns are encrypted.
    let clear = if name == "Parquet" { ", not encrypted" } else { "" };
    Error::new(ErrorKind::Syntax, Fault::Data).seen(error.to_string()).expected(format!("a sound file of {name}{clear}"))
}

/// Calls code of others that reads any bytes: a panic of it is damage.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T> {
    caught(call).ok_or_else(|| damaged("columns", &"a file that its reader cannot take"))
}

impl Opened {
    /// Returns the kind of the file.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Returns the schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Iterator for Opened {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.failed {
            return None;
        }
        let next = guarded(|| self.batches.next());
        let next = match next {
            Ok(next) => next?.map_err(|error| match error {
                ArrowError::IoError(_, error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Error::io("reading", &error),
                other => damaged(if self.kind == FileKind::Parquet { "Parquet" } else { "columns" }, &other),
            }),
            Err(error) => Err(error),
        };
        self.failed = next.is_err();
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that counts the bytes that are read of it.
    struct Counted(Bytes, Arc<std::sync::atomic::AtomicU64>);

    impl parquet::file::reader::Length for Counted {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }
    }

    impl parquet::file::reader::ChunkReader for Counted {
        type T = bytes::buf::Reader<Bytes>;

        fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
            self.0.get_read(start)
        }

        fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
            self.1.fetch_add(length as u64, std::sync::atomic::Ordering::Relaxed);
            self.0.get_bytes(start, length)
        }
    }

    #[test]
    fn only_wanted_leaves_of_parquet_are_read() {
        use arrow_array::{ArrayRef, Int64Array, StructArray};
        let numbers = |of: i64| Arc::new((0..50_000).map(|row| row * 7919 % of).collect::<Int64Array>()) as ArrayRef;
        let names: Vec<String> = (0..40).map(|at| format!("c{at}")).collect();
        let nested: Vec<(Arc<arrow_schema::Field>, ArrayRef)> = (0..10)
            .map(|at| (Arc::new(arrow_schema::Field::new(format!("n{at}"), arrow_schema::DataType::Int64, false)), numbers(9973 + at)))
            .collect();
        let mut columns: Vec<(&str, ArrayRef)> = names.iter().map(|name| (name.as_str(), numbers(9973))).collect();
        columns.push(("nested", Arc::new(StructArray::from(nested))));
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer = FileWriter::new(FileKind::Parquet, Vec::new(), &batch.schema(), Squeeze::None).unwrap();
        writer.write(&batch).unwrap();
        let file = Bytes::from(writer.finish().unwrap());
        let read = |paths: &[&str]| {
            let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path).unwrap()).collect();
            let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
            let opened = parquet(Counted(file.clone(), Arc::clone(&count)), Some(Wanted::Paths(&paths))).unwrap();
            let schema = opened.schema();
            let rows: usize = opened.map(|batch| batch.unwrap().num_rows()).sum();
            assert_eq!(rows, 50_000);
            (schema, count.load(std::sync::atomic::Ordering::Relaxed))
        };
        let (whole, all) = read(&["*"]);
        assert_eq!(whole, batch.schema());
        let (one, few) = read(&["c7"]);
        assert_eq!(one.fields().len(), 1);
        assert!(few * 20 < all, "{few} bytes of {all}");
        let (deep, few) = read(&["nested.n3", "c1"]);
        assert_eq!(deep.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["c1", "nested"]);
        assert!(few * 15 < all, "{few} bytes of {all}");
        // A path that leads nowhere leaves nothing to read, so all is read.
        assert_eq!(read(&["nothing"]).0, batch.schema());
    }

    #[test]
    fn long_values_are_read_few_at_a_time() {
        assert_eq!(batch_rows([(1000, 8000), (0, 0)].into_iter()), 8192);
        assert_eq!(batch_rows([(1000, 8000), (10, 160 << 20)].into_iter()), 4);
        assert_eq!(batch_rows([(1, i64::MAX)].into_iter()), 1);
        assert_eq!(batch_rows([(-1, -1)].into_iter()), 8192);
    }
}
