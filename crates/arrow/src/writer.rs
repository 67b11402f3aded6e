//! The writer of files of columns: messages come one by one, and leave as batches.

use std::sync::Arc;

use polywire_core::{Error, Field, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use crate::files::{FileKind, FileWriter, Squeeze};
use crate::options::Bad;
use crate::plan::Plan;
use crate::sink::Rows;

/// Writes a file of columns. A message that stands alone is a file of one row.
pub(crate) struct ColumnWriter {
    kind: FileKind,
    squeeze: Squeeze,
    rows: Rows,
    /// The file, once it has begun. Its output is taken out of it.
    file: Option<FileWriter<Vec<u8>>>,
    streams: bool,
}

impl ColumnWriter {
    pub(crate) fn new(kind: FileKind, squeeze: Squeeze, plan: Arc<Plan>) -> ColumnWriter {
        ColumnWriter { kind, squeeze, rows: Rows::new(plan), file: None, streams: false }
    }

    fn file(&mut self) -> Result<&mut FileWriter<Vec<u8>>> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(FileWriter::new(self.kind, Vec::new(), self.rows.plan().schema(), self.squeeze)?)),
        }
    }

    /// Writes the rows so far as a batch.
    fn batch(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let batch = self.rows.take()?;
        let is_parquet = self.kind == FileKind::Parquet;
        let file = self.file()?;
        if !is_parquet {
            // Uncompressed, it is that long.
            out.reserve_exact(file.get_mut().len() + batch.get_array_memory_size());
        }
        // The file's bytes go where they are wanted, without a copy.
        out.append(file.get_mut());
        std::mem::swap(out, file.get_mut());
        let written = file.write(&batch);
        std::mem::swap(out, file.get_mut());
        written
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.rows.is_empty() {
            self.batch(out)?;
        }
        self.file()?;
        if let Some(file) = self.file.take() {
            out.append(&mut file.finish()?);
        }
        Ok(())
    }
}

impl<'m> Sink<'m> for ColumnWriter {
    fn needs(&self) -> Needs {
        self.rows.needs()
    }

    #[inline]
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.rows.open(open, at)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.rows.field(field, at)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.rows.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.rows.part(part, at)
    }

    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        self.rows.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.rows.note(note, at)
    }
}

impl Writer for ColumnWriter {
    fn begin_stream(&mut self) {
        self.streams = true;
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.rows.finish()?;
        match (self.streams, self.rows.is_ready()) {
            (false, _) => self.end(out),
            (true, true) => self.batch(out),
            (true, false) => Ok(()),
        }
    }

    fn takes_bad(&self) -> bool {
        self.rows.plan().options().bad == Bad::Column
    }

    fn bad(&mut self, error: &Error, out: &mut Vec<u8>) -> Result<()> {
        self.rows.bad(error);
        if self.rows.is_ready() { self.batch(out) } else { Ok(()) }
    }

    fn end_stream(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.end(out)
    }

    fn reset(&mut self) {
        self.rows.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.rows.losses()
    }
}
