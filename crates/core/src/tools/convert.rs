//! From any format to any other, message by message.

use std::io::{Read, Write};

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::dialect::Dialect;
use crate::tools::adapt::Walker;
use crate::tools::loss::LossReport;
use crate::tools::stream::Stream;
use crate::walk::layout::Layout;
use crate::walk::write::Writer;

/// The outcome of a conversion.
#[derive(Debug, Default)]
pub struct Conversion {
    /// Messages written.
    pub messages: u64,
    /// Values that the target could not keep.
    pub losses: LossReport,
}

/// Bytes of output that are collected before they are written.
const CHUNK: usize = 64 << 10;

/// Converts every message that `walker` finds in `input` to the format or dialect `to`. Messages
/// before an error are written.
///
/// If `to` is the dialect that is read, bytes that the schema does not know are kept where the
/// format allows it.
pub fn convert<R: Read>(input: &mut Stream<R>, output: &mut dyn Write, walker: &mut Walker, to: impl Into<Dialect>) -> Result<Conversion> {
    let mut converter = Converter::new(to);
    converter.add(input, output, walker)?;
    Ok(converter.done)
}

/// A conversion of several inputs, one after the other, to one stream.
pub struct Converter {
    to: Dialect,
    layout: Layout,
    /// Made for the first input.
    writer: Option<Box<dyn Writer>>,
    /// Fields that the records have, if the caller knows them.
    fields: Vec<String>,
    out: Vec<u8>,
    done: Conversion,
}

impl Converter {
    /// Starts a conversion to the format or dialect `to`.
    pub fn new(to: impl Into<Dialect>) -> Converter {
        Converter { to: to.into(), layout: Layout::COMPACT, writer: None, fields: Vec::new(), out: Vec::new(), done: Conversion::default() }
    }

    /// Announces the fields that the records of all inputs have, before the first input: see
    /// [`Writer::fields`].
    #[must_use]
    pub fn fields(self, fields: Vec<String>) -> Converter {
        Converter { fields, ..self }
    }

    /// Sets the look of the output. A look of lines is an error for a format that has none; colours
    /// are left out there.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Converter {
        Converter { layout, ..self }
    }

    /// Returns the outcome so far.
    pub fn done(&self) -> &Conversion {
        &self.done
    }

    /// Converts every message that `walker` finds in `input`, and returns their number. Messages
    /// before an error are written.
    ///
    /// # Errors
    /// The format cannot be written, a message cannot be read or written, or `output` fails.
    pub fn add<R: Read>(&mut self, input: &mut Stream<R>, output: &mut dyn Write, walker: &mut Walker) -> Result<u64> {
        let before = self.done.messages;
        let to = self.to.format();
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let Some(mut writer) = walker.writer(&self.to) else { return Err(unwritable(&self.to)) };
                lay_out(&mut *writer, &self.layout, &self.to)?;
                writer.begin_stream();
                writer.fields(&self.fields);
                self.writer.insert(writer)
            }
        };
        walker.meets(&mut **writer);
        let (done, out) = (&mut self.done, &mut self.out);
        out.clear();
        let outcome = loop {
            let message = match input.next(walker) {
                Ok(Some(message)) => message,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            if let (Some(instead), 1..) = (writer.only_one(), done.messages) {
                let error = Error::new(ErrorKind::Unsupported, Fault::Caller)
                    .seen("a second message")
                    .expected("one, since this format does not mark where a message ends")
                    .hint(instead)
                    .at(message.base)
                    .format_is(to.name);
                break Err(input.explain(error));
            }
            let written = out.len();
            if !walker.pass(message.bytes, message.base, &mut **writer, out) {
                let outcome = walker
                    .walk(message.bytes, message.base, &mut **writer)
                    .and_then(|()| writer.finish(out).map_err(|error| error.or_at(message.base)));
                if let Err(error) = outcome {
                    out.truncate(written);
                    break Err(input.explain(error));
                }
                let lost = writer.losses();
                walker.losses(&mut done.losses, message.bytes, message.base, &lost);
            }
            out.extend_from_slice(to.separator.as_bytes());
            done.messages += 1;
            if out.len() >= CHUNK {
                output.write_all(out).map_err(|error| Error::io("writing", &error))?;
                out.clear();
            }
        };
        output.write_all(out).and_then(|()| output.flush()).map_err(|error| Error::io("writing", &error))?;
        outcome.map(|()| self.done.messages - before)
    }
}

/// Sets the look of a writer of `to`.
///
/// # Errors
/// It has lines, and the format has no look of lines.
pub fn lay_out(writer: &mut dyn Writer, layout: &Layout, to: &Dialect) -> Result<()> {
    if *layout == Layout::COMPACT || writer.lay_out(layout) || layout.indent.is_none() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Usage, Fault::Caller)
        .seen(format!("lines and indentation for the format `{}`", to.format().name))
        .expected("a format that has them")
        .hint("leave out --pretty and --indent"))
}

#[cold]
fn unwritable(to: &Dialect) -> Error {
    let error = Error::new(ErrorKind::Unsupported, Fault::Caller)
        .seen(format!("the format `{}`", to.format().name))
        .expected("a format that can be written");
    match (to.format().binder.is_some(), to.is_bound()) {
        (true, false) => error.hint("it is written by a schema: name one with --schema"),
        (_, true) => error.hint("messages of that type can only be read"),
        _ => error,
    }
}
