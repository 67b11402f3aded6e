//! Values of types to a stream of messages.

use std::io::{BufWriter, Write};

use polywire_core::{Error, Lost, Result};
use serde_core::Serialize;

use crate::IntoDialect;
use crate::serde::write::TypedWriter;

/// Writes values to an output as a stream of messages, one by one. Its sibling is
/// [`Messages`](crate::serde::Messages).
///
/// Memory: a buffer of 64 KiB, and the longest message. [`StreamWriter::finish`] writes the rest of
/// the buffer. A drop does so too, and reports no error.
pub struct StreamWriter<W: Write> {
    writer: TypedWriter,
    output: BufWriter<W>,
    /// The last message.
    message: Vec<u8>,
    count: u64,
}

impl<W: Write> StreamWriter<W> {
    const BUFFER: usize = 64 << 10;

    /// Makes a stream of messages of a format.
    ///
    /// # Errors
    /// The format has no such name, cannot be written, or not without a schema.
    pub fn new(output: W, format: impl IntoDialect) -> Result<StreamWriter<W>> {
        let mut writer = TypedWriter::new(format)?;
        writer.begin_stream();
        Ok(StreamWriter { writer, output: BufWriter::with_capacity(Self::BUFFER, output), message: Vec::new(), count: 0 })
    }

    /// Sets whether a value that the format cannot hold is written as well as it can: see
    /// [`TypedWriter::lossy`].
    #[must_use]
    pub fn lossy(self, lossy: bool) -> StreamWriter<W> {
        StreamWriter { writer: self.writer.lossy(lossy), ..self }
    }

    /// Writes a value as the next message.
    ///
    /// # Errors
    /// The format cannot hold the value, and nothing of it was written: the next value may follow.
    /// Or the output failed.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.message.clear();
        self.writer.write(value, &mut self.message)?;
        self.output.write_all(&self.message).map_err(|error| Error::io("writing", &error))?;
        self.count += 1;
        Ok(())
    }

    /// Returns the number of messages so far.
    pub fn written(&self) -> u64 {
        self.count
    }

    /// Returns the losses since the last call, if they are accepted.
    pub fn losses(&mut self) -> Vec<Lost> {
        self.writer.losses()
    }

    /// Hands all messages so far on to the output, such as a socket whose other end waits for them.
    ///
    /// # Errors
    /// The output failed.
    pub fn flush(&mut self) -> Result<()> {
        self.output.flush().map_err(|error| Error::io("writing", &error))
    }

    /// Writes the rest of the buffer, and returns the output.
    ///
    /// # Errors
    /// The output failed.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        self.output.into_inner().map_err(|error| Error::io("writing", error.error()))
    }
}
