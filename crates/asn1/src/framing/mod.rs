//! How messages follow each other in a stream, where that is not by their own bytes.
//!
//! | framing | messages | formats |
//! |---|---|---|
//! | `plain` | by their own ends, or one to the end of the input | all |
//! | `length-2`, `length-4` | each behind its length, big-endian | PER, OER |
//! | `ts32297` | call records in a file of 3GPP TS 32.297: a head of the file, and one of each record | BER, PER |

mod length;
mod records;

use polywire_core::columns::Filling;
use polywire_core::{Budget, Error, Frame, Limits, Reader, Result, Sink, Surrogates, Writer};

pub(crate) use length::LengthWriter;
use length::Lengths;
use records::Records;

/// Framing of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Framing {
    /// That of the encoding.
    #[default]
    Plain,
    /// A length of this many octets before each message.
    Length(u8),
    /// Heads of 3GPP TS 32.297.
    CallRecords,
}

impl Framing {
    /// Returns the framing of a name, one of those that are `known`.
    ///
    /// # Errors
    /// There is none of the name.
    pub fn named(name: &str, known: &[&str]) -> Result<Framing> {
        if !known.contains(&name) {
            return Err(Error::usage(format!("the framing `{name}`")).expected(format!("one of {}", known.join(", "))));
        }
        Ok(match name {
            "length-2" => Framing::Length(2),
            "length-4" => Framing::Length(4),
            "ts32297" => Framing::CallRecords,
            _ => Framing::Plain,
        })
    }

    /// Returns a reader of messages in this framing. `record` is the number that 3GPP TS 32.297
    /// gives the encoding.
    pub fn reader(self, inner: Box<dyn Reader>, record: u8) -> Box<dyn Reader> {
        match self {
            Framing::Plain => inner,
            Framing::Length(octets) => Box::new(Framed { inner, frames: Lengths(octets) }),
            Framing::CallRecords => Box::new(Framed { inner, frames: Records::new(record) }),
        }
    }

    /// Returns a writer of messages in this framing, if it is written.
    pub fn writer(self, inner: Box<dyn Writer>) -> Option<Box<dyn Writer>> {
        match self {
            Framing::Plain => Some(inner),
            Framing::Length(octets) => Some(Box::new(LengthWriter::new(inner, octets))),
            Framing::CallRecords => None,
        }
    }
}

/// Finds messages in a stream.
trait Frames: Send + 'static {
    /// Finds the next message, as [`Reader::frame`] does.
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame>;
}

/// Reader of messages that are framed by something else than their encoding.
struct Framed<F> {
    inner: Box<dyn Reader>,
    frames: F,
}

impl<F: Frames> Reader for Framed<F> {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.frames.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.inner.walk(msg, base, sink, budget)
    }

    fn fill(&mut self, msg: &[u8], base: u64, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        self.inner.fill(msg, base, filling, limits)
    }

    fn surrogates(&mut self, surrogates: Surrogates) {
        self.inner.surrogates(surrogates);
    }

    fn count_bits(&mut self, bits: bool) -> bool {
        self.inner.count_bits(bits)
    }

    fn groups_fields(&self) -> bool {
        self.inner.groups_fields()
    }

    fn has_unique_keys(&self) -> bool {
        self.inner.has_unique_keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages of a stream that comes in pieces, or the error.
    fn messages(make: impl Fn() -> Box<dyn Frames>, stream: &[u8], piece: usize) -> Result<Vec<Vec<u8>>> {
        let mut frames = make();
        let (mut from, mut to, mut found) = (0, 0, Vec::new());
        loop {
            let eof = to == stream.len();
            match frames.frame(&stream[from..to], from as u64, eof)? {
                Frame::Message { start, end } => {
                    found.push(stream[from + start..from + end].to_vec());
                    from += end;
                }
                Frame::Between(bytes) => from += bytes,
                Frame::More(_) if eof => panic!("more than there is"),
                Frame::More(_) => to = (to + piece).min(stream.len()),
                Frame::End => return Ok(found),
            }
        }
    }

    /// A file of two records, of these octets.
    fn file(release: u8, record: u8) -> Vec<u8> {
        // No filter of routes, and a private extension of two octets.
        let mut head = [&[0; 48][..], &[0, 0, 0, 2, 9, 9]].concat();
        head[8] = release << 5;
        let mut records = Vec::new();
        for body in [&[0x30, 1, 5][..], &[0x30, 0]] {
            records.extend([0, body.len() as u8, release << 5, record << 5]);
            if release == 7 {
                records.push(1);
            }
            records.extend(body);
        }
        let mut all = [head, records].concat();
        let (length, head) = ((all.len() as u32).to_be_bytes(), 54u32.to_be_bytes());
        all[..4].copy_from_slice(&length);
        all[4..8].copy_from_slice(&head);
        all
    }

    #[test]
    fn call_records_have_heads() {
        for release in [1, 7] {
            let two_files = [file(release, 1), file(release, 1)].concat();
            for piece in [1, 3, 50, 1000] {
                let found = messages(|| Box::new(Records::new(1)), &two_files, piece).unwrap();
                assert_eq!(found, [&[0x30, 1, 5][..], &[0x30, 0], &[0x30, 1, 5], &[0x30, 0]], "{release}, {piece}");
            }
        }
        let refused = |bytes: &[u8]| messages(|| Box::new(Records::new(1)), bytes, 1000).unwrap_err().to_string();
        assert!(refused(&file(1, 4)).contains("a record in XML"), "{}", refused(&file(1, 4)));
        assert!(refused(&file(1, 1)[..30]).contains("the head of the file"));
        assert!(refused(&[0; 60]).contains("a head of 0 octets"));
        assert!(refused(&[0xff; 60]).contains("a head of 4294967295 octets"));
        let mut cut = file(1, 1);
        cut.pop();
        // An unfinished record is walked as it is.
        assert_eq!(messages(|| Box::new(Records::new(1)), &cut, 7).unwrap().last(), Some(&vec![0x30]));
    }

    #[test]
    fn lengths_stand_before_messages() {
        let stream = [0, 2, 7, 8, 0, 0, 0, 1, 9];
        for piece in 1..10 {
            let found = messages(|| Box::new(Lengths(2)), &stream, piece).unwrap();
            assert_eq!(found, [vec![7, 8], vec![], vec![9]], "{piece}");
        }
        assert_eq!(messages(|| Box::new(Lengths(4)), &[0, 0, 0, 1, 5], 1).unwrap(), [[5]]);
        assert_eq!(Lengths(4).frame(&[0xff; 4], 0, false).unwrap(), Frame::More(u32::MAX as usize));
        assert!(messages(|| Box::new(Lengths(4)), &[0, 0], 1).is_err());
    }
}
