//! The pieces of Arrow's IPC: a stream of messages, each a length, a head and a body.
//!
//! A piece is read as far as its bytes come, and the sizes that it claims for compressed values are
//! checked before they are decoded.

use std::io::{self, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{BodyCompression, CompressionType, Message, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use polywire_core::{Error, Result};

use crate::files::damaged;

/// Most bytes that the values of one compressed batch may have: 2 GiB.
const MOST_DECODED: i64 = 2 << 30;

/// Bytes of a piece at which its body begins, within `whole`.
pub(crate) struct Piece {
    pub whole: Vec<u8>,
    head: std::ops::Range<usize>,
}

impl Piece {
    /// Reads the next piece; `None` at the end of the stream.
    ///
    /// # Errors
    /// The input ends within it, or it is damaged.
    pub(crate) fn next(input: &mut impl Read) -> Result<Option<Piece>, ArrowError> {
        let mut whole = Vec::new();
        let mut more = |whole: &mut Vec<u8>, bytes: usize| -> Result<bool, ArrowError> {
            let before = whole.len();
            input.by_ref().take(bytes as u64).read_to_end(whole)?;
            Ok(whole.len() - before == bytes)
        };
        let cut = || ArrowError::IpcError("a stream that ends within a batch".into());
        if !more(&mut whole, 4)? {
            return if whole.is_empty() { Ok(None) } else { Err(cut()) };
        }
        let mut start = 0;
        // Old streams lack the mark before the length.
        if whole == [0xff; 4] {
            start = 4;
            if !more(&mut whole, 4)? {
                return Err(cut());
            }
        }
        let len = u32::from_le_bytes([whole[start], whole[start + 1], whole[start + 2], whole[start + 3]]) as usize;
        if len == 0 {
            return Ok(None);
        }
        let head = start + 4..start + 4 + len;
        if !more(&mut whole, len)? {
            return Err(cut());
        }
        let body = message(&whole[head.clone()])?.bodyLength();
        let body = usize::try_from(body).map_err(|_| ArrowError::IpcError(format!("a body of {body} bytes")))?;
        if !more(&mut whole, body)? {
            return Err(cut());
        }
        let piece = Piece { whole, head };
        let body = &piece.whole[piece.head.end..];
        claims(&piece.message()?, &mut |at| {
            let claim = usize::try_from(at).ok().and_then(|at| body.get(at..)).and_then(|rest| rest.first_chunk::<8>());
            Ok(claim.copied())
        })?;
        Ok(Some(piece))
    }

    pub(crate) fn message(&self) -> Result<Message<'_>, ArrowError> {
        message(&self.whole[self.head.clone()])
    }
}

fn message(head: &[u8]) -> Result<Message<'_>, ArrowError> {
    root_as_message(head).map_err(|error| ArrowError::IpcError(format!("the head of a batch: {error}")))
}

/// Returns the number of rows of a batch's piece, and its compression; `None` for other pieces.
pub(crate) fn batch_of(message: &Message<'_>) -> Option<(u64, &'static str)> {
    let batch = message.header_as_record_batch()?;
    Some((u64::try_from(batch.length()).unwrap_or(0), compression(batch.compression())))
}

fn compression(of: Option<BodyCompression<'_>>) -> &'static str {
    match of.map(|compression| compression.codec()) {
        None => "none",
        Some(CompressionType::LZ4_FRAME) => "lz4",
        Some(CompressionType::ZSTD) => "zstd",
        Some(_) => "unknown",
    }
}

/// Refuses a batch whose compressed values claim more bytes than a batch may have. `read` returns
/// eight bytes of the body.
fn claims(message: &Message<'_>, read: &mut dyn FnMut(i64) -> Result<Option<[u8; 8]>, ArrowError>) -> Result<(), ArrowError> {
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    let mut all = 0i64;
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
        let Some(claimed) = read(buffer.offset())? else { continue };
        all = all.saturating_add(i64::from_le_bytes(claimed).max(0));
    }
    if all > MOST_DECODED {
        return Err(ArrowError::IpcError(format!("a batch whose values claim {all} bytes, of at most {MOST_DECODED}")));
    }
    Ok(())
}

/// Refuses an IPC file whose footer or batches claim more bytes than there are, or may be.
///
/// # Errors
/// They do, the footer is damaged, or reading fails.
pub(crate) fn claims_of_file(input: &mut (impl Read + Seek)) -> Result<()> {
    let reading = |error: io::Error| Error::io("reading", &error);
    let wrong = |seen: &str| damaged("Arrow", &seen);
    let len = input.seek(SeekFrom::End(0)).map_err(reading)?;
    let mut tail = [0; 10];
    // Magic and padding at the start, length and magic at the end.
    if len < 18 {
        return Err(wrong("a file without a footer"));
    }
    input.seek(SeekFrom::Start(len - 10)).map_err(reading)?;
    input.read_exact(&mut tail).map_err(reading)?;
    let [a, b, c, d, ..] = tail;
    let footer_len = u64::from(u32::from_le_bytes([a, b, c, d]));
    if &tail[4..] != b"ARROW1" || footer_len > len - 18 {
        return Err(wrong("a file whose footer is cut off or damaged"));
    }
    let mut footer = Vec::new();
    input.seek(SeekFrom::Start(len - 10 - footer_len)).map_err(reading)?;
    input.by_ref().take(footer_len).read_to_end(&mut footer).map_err(reading)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged("Arrow", &error))?;
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let places = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()].map(|place| u64::try_from(place).ok());
        let [Some(offset), Some(head), Some(body)] = places else { return Err(wrong("a batch at a place below zero")) };
        if offset.saturating_add(head).saturating_add(body) > len {
            return Err(wrong("a batch beyond the end of the file"));
        }
        let mut bytes = Vec::new();
        input.seek(SeekFrom::Start(offset)).map_err(reading)?;
        input.by_ref().take(head).read_to_end(&mut bytes).map_err(reading)?;
        let start = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = bytes.get(start..).ok_or_else(|| wrong("a batch without a head"))?;
        let message = message_of(message)?;
        let mut read = |at: i64| {
            let Ok(at) = u64::try_from(at) else { return Ok(None) };
            let mut claim = [0; 8];
            input.seek(SeekFrom::Start(offset + head + at.min(len)))?;
            Ok(input.read_exact(&mut claim).is_ok().then_some(claim))
        };
        claims(&message, &mut read).map_err(|error| damaged("Arrow", &error))?;
    }
    input.seek(SeekFrom::Start(0)).map_err(reading)?;
    Ok(())
}

fn message_of(head: &[u8]) -> Result<Message<'_>> {
    message(head).map_err(|error| damaged("Arrow", &error))
}

/// The piece that ends a stream.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// Batches of a stream.
pub(crate) struct Pieces<R> {
    input: R,
    decoder: StreamDecoder,
    schema: SchemaRef,
    /// A batch that came while the schema was read.
    first: Option<RecordBatch>,
    /// The rest of a piece that was decoded in part.
    rest: Buffer,
    ended: bool,
}

impl<R: Read> Pieces<R> {
    /// Reads the schema of a stream.
    ///
    /// # Errors
    /// It is damaged, or cannot be read.
    pub(crate) fn open(input: R) -> Result<Pieces<R>> {
        let (decoder, schema) = (StreamDecoder::new(), SchemaRef::new(arrow_schema::Schema::empty()));
        let rest = Buffer::from(Vec::<u8>::new());
        let mut pieces = Pieces { input, decoder, schema, first: None, rest, ended: false };
        // A piece without a body is taken only with the next one.
        while pieces.first.is_none() && pieces.decoder.schema().is_none() && !pieces.ended {
            pieces.first = pieces.piece().map_err(failed)?;
        }
        pieces.schema = pieces.decoder.schema().ok_or_else(|| damaged("Arrow", &"a stream without a schema"))?;
        Ok(pieces)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// Decodes up to the next batch.
    fn piece(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            while !self.rest.is_empty() {
                if let Some(batch) = self.decoder.decode(&mut self.rest)? {
                    return Ok(Some(batch));
                }
            }
            if self.ended {
                return Ok(None);
            }
            self.rest = match Piece::next(&mut self.input)? {
                Some(piece) => Buffer::from(piece.whole),
                None => {
                    self.ended = true;
                    Buffer::from(END.to_vec())
                }
            };
        }
    }
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        match self.first.take() {
            Some(batch) => Some(Ok(batch)),
            None => self.piece().transpose(),
        }
    }
}

/// Makes the error of a stream that cannot be read.
pub(crate) fn failed(error: ArrowError) -> Error {
    match error {
        // A codec around the file says so.
        ArrowError::IoError(_, error) if error.kind() == io::ErrorKind::InvalidData => damaged("columns", &error),
        ArrowError::IoError(_, error) if error.kind() != io::ErrorKind::UnexpectedEof => Error::io("reading", &error),
        other => damaged("columns", &other),
    }
}
