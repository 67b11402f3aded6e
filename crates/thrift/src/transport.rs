//! How messages follow each other in a stream: by their own ends, each behind its length (framed),
//! or each behind a length and a header (`doc/specs/HeaderFormat.md` of
//! <https://github.com/apache/thrift>).

use std::sync::Arc;

use polywire_core::bytes::Input;
use polywire_core::walk::Forward;
use polywire_core::{Budget, Error, ErrorKind, Fault, Frame, Lost, Note, Reader, Result, Sink, Span, Writer};

use crate::plan::Plan;
use crate::read::ThriftReader;
use crate::wire::envelope::Found;
use crate::wire::{Binary, Compact, Protocol, has_control};
use crate::write::ThriftWriter;

/// Transport of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Transport {
    /// Messages follow each other.
    #[default]
    Plain,
    /// Each behind its length of four bytes.
    Framed,
    /// Each behind its length and a header.
    Header,
}

/// Names of the transports.
const NAMES: [(&str, Transport); 3] = [("plain", Transport::Plain), ("framed", Transport::Framed), ("header", Transport::Header)];

/// Largest length of a frame: more would look like the start of an HTTP request.
const MOST: usize = 0x3fff_ffff;

/// First two bytes of a header.
const MAGIC: u16 = 0x0fff;

/// Bytes before the part of a header that has a size of its own.
const FIXED: usize = 10;

impl Transport {
    /// Returns the transport of a name.
    ///
    /// # Errors
    /// There is none of the name.
    pub fn named(name: &str) -> Result<Transport> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, transport)| *transport).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            Error::usage(format!("the transport `{name}`")).expected(format!("one of {}", names.join(", ")))
        })
    }

    /// Returns a reader of messages in this transport.
    pub fn reader<P: Protocol>(self, old: bool, plan: Option<&Arc<Plan>>) -> Box<dyn Reader> {
        match self {
            Transport::Plain => Box::new(ThriftReader::<P>::new(old).by(plan)),
            Transport::Framed => Box::new(Framed { inner: ThriftReader::<P>::new(old).by(plan) }),
            Transport::Header => {
                Box::new(Headed { format: P::NAME, binary: ThriftReader::new(old).by(plan), compact: ThriftReader::new(false).by(plan) })
            }
        }
    }

    /// Returns a writer of messages in this transport.
    pub fn writer<P: Protocol>(self, old: bool, plan: Option<&Arc<Plan>>, relay: bool) -> Box<dyn Writer> {
        let inner = ThriftWriter::<P>::new(old).by(plan, relay);
        match self {
            Transport::Plain => Box::new(inner),
            Transport::Framed => Box::new(FrameWriter { inner, header: false, old }),
            Transport::Header => Box::new(FrameWriter { inner, header: true, old }),
        }
    }
}

/// Finds the message behind the length at the start of `buf`.
fn frame(buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
    if buf.is_empty() && eof {
        return Ok(Frame::End);
    }
    let Some(length) = buf.first_chunk::<4>() else {
        return if eof {
            Err(Error::truncated(base + buf.len() as u64, "the length of a message"))
        } else {
            Ok(Frame::More(4 - buf.len()))
        };
    };
    let length = u32::from_be_bytes(*length) as usize;
    if length > MOST {
        return Err(Error::data(ErrorKind::Range, base)
            .seen(format!("a frame of {length} bytes"))
            .expected(format!("a length of four bytes, at most {MOST}"))
            .hint("without --transport, messages follow each other without lengths"));
    }
    let end = 4 + length;
    Ok(match end.checked_sub(buf.len()).filter(|missing| *missing > 0) {
        None => Frame::Message { start: 4, end },
        // An unfinished message is walked as it is.
        Some(_) if eof => Frame::Message { start: 4, end: buf.len() },
        Some(missing) => Frame::More(missing),
    })
}

/// Reader of messages behind their lengths.
struct Framed<P> {
    inner: ThriftReader<P>,
}

impl<P: Protocol> Reader for Framed<P> {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        frame(buf, base, eof).map_err(|error| error.format_is(P::NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.inner.walk(msg, base, sink, budget)
    }
}

/// Reader of messages behind headers, which name the protocol.
struct Headed {
    format: &'static str,
    binary: ThriftReader<Binary>,
    compact: ThriftReader<Compact>,
}

impl Reader for Headed {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        frame(buf, base, eof).map_err(|error| error.format_is(self.format))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let header = Header::read(msg, base).map_err(|error| error.format_is(self.format))?;
        let span = Span::at(base, 0, header.len);
        match header.says(base, budget)? {
            Some(text) => sink.note(Note::Directive(&text), span)?,
            None => sink.note(Note::Frame("header"), span)?,
        }
        let (body, at) = (&msg[header.len..], base + header.len as u64);
        match header.protocol {
            Binary::ID => self.binary.walk(body, at, sink, budget),
            _ => self.compact.walk(body, at, sink, budget),
        }
    }
}

/// A header.
struct Header<'m> {
    flags: u16,
    protocol: u64,
    /// Keys and values.
    infos: Vec<(&'m [u8], &'m [u8])>,
    /// Number of its bytes.
    len: usize,
}

impl<'m> Header<'m> {
    fn read(msg: &'m [u8], base: u64) -> Result<Header<'m>> {
        let mut input = Input::new(msg, base);
        let magic = input.u16_be("the first bytes of a header")?;
        if magic != MAGIC {
            return Err(Error::data(ErrorKind::Syntax, base)
                .seen(format!("the bytes {:02x} {:02x}", magic >> 8, magic & 0xff))
                .expected("0f ff, the start of a header")
                .hint("frames without headers are `--transport framed`"));
        }
        let flags = input.u16_be("the flags of a header")?;
        input.u32_be("the sequence number of a header")?;
        let size = usize::from(input.u16_be("the size of a header")?) * 4;
        let len = FIXED + size;
        input.take(size as u64, "the rest of a header")?;
        // Bytes behind the header's end belong to no part of it.
        let mut input = Input::new(&msg[..len], base);
        input.seek(FIXED);
        let at = input.offset();
        let protocol = input.varint("the number of a protocol")?;
        if ![Binary::ID, Compact::ID].contains(&protocol) {
            return Err(Error::data(ErrorKind::Unsupported, at)
                .seen(format!("the protocol {protocol}"))
                .expected("0, the binary protocol, or 2, the compact one"));
        }
        let at = input.offset();
        if input.varint("the number of transforms")? > 0 {
            let transform = match input.varint("a transform")? {
                1 => "zlib",
                2 => "a signature (HMAC)",
                3 => "Snappy",
                _ => "an unknown transform",
            };
            return Err(Error::data(ErrorKind::Unsupported, at)
                .seen(format!("a message behind {transform}"))
                .expected("one that is not transformed"));
        }
        let mut infos = Vec::new();
        // Information of an unknown kind is stepped over, with all that follows.
        while input.remaining() > 0 && matches!(input.varint("the kind of information")?, 1 | 2) {
            for _ in 0..input.varint("the number of keys")? {
                let mut text = |what| {
                    let len = input.varint("the length of a key or a value")?;
                    input.take(len, what)
                };
                infos.push((text("a key")?, text("a value")?));
            }
        }
        Ok(Header { flags, protocol, infos, len })
    }

    /// Returns what the header says beyond the message, as lines of text. `None` if that is
    /// nothing.
    fn says(&self, base: u64, budget: &mut Budget) -> Result<Option<String>> {
        if self.infos.is_empty() && self.flags == 0 {
            return Ok(None);
        }
        budget.decode(4 * self.len as u64, base)?;
        let shown = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(text) if !has_control(bytes) => text.to_owned(),
            _ => bytes.escape_ascii().to_string(),
        };
        let flags = (self.flags != 0).then(|| format!("flags {:#x}", self.flags));
        let infos = self.infos.iter().map(|(key, value)| format!("{}: {}", shown(key), shown(value)));
        Ok(Some(flags.into_iter().chain(infos).collect::<Vec<_>>().join("\n")))
    }
}

/// Writes the length, and the header if there is one, before each message.
struct FrameWriter<P> {
    inner: ThriftWriter<P>,
    header: bool,
    old: bool,
}

impl<'m, P: Protocol> Forward<'m> for FrameWriter<P> {
    type To = ThriftWriter<P>;

    fn to(&mut self) -> &mut ThriftWriter<P> {
        &mut self.inner
    }

    fn needs(&self) -> polywire_core::Needs {
        Sink::needs(&self.inner)
    }
}

impl<P: Protocol> Writer for FrameWriter<P> {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut message = Vec::new();
        self.inner.finish(&mut message)?;
        let mut header = Vec::new();
        if self.header {
            let sequence = match P::envelope(&message, 0, true, self.old) {
                Found::Envelope(places) => places.sequence,
                _ => 0,
            };
            header.extend(MAGIC.to_be_bytes());
            header.extend([0, 0]);
            header.extend(sequence.to_be_bytes());
            header.extend([0, 1, P::ID as u8, 0, 0, 0]);
        }
        let length = header.len() + message.len();
        if length > MOST {
            return Err(Error::new(ErrorKind::Range, Fault::Data)
                .seen(format!("a message of {length} bytes"))
                .expected(format!("at most {MOST} in a frame"))
                .format_is(P::NAME));
        }
        out.extend((length as u32).to_be_bytes());
        out.extend(header);
        out.extend(message);
        Ok(())
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.inner.losses()
    }
}
