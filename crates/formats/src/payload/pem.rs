//! PEM (RFC 7468): encodings of ASN.1 as base64 between lines that name their type. A file may have
//! several blocks, and text between them, which is stepped over.
//!
//! The blocks become one encoding after the other. A label that is known has to name the type that
//! its block has.

use std::io::{self, BufRead, BufReader, Read};

use ::base64::Engine;
use ::base64::engine::general_purpose::GeneralPurpose;
use ::base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
#[cfg(feature = "asn1")]
use polywire_asn1::x509;
use polywire_core::format::payload::Codec;

/// The codec.
pub static CODEC: Codec = Codec {
    name: "pem",
    extensions: &["pem"],
    recognise,
    certain: true,
    decoder: |input| Ok(Box::new(Decoder::new(input))),
    encoder: None,
};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// Most bytes of a line that are held at once: lines of base64 may be longer, others are not.
const PIECE: usize = 4096;

/// Beginnings of labels whose blocks hold no ASN.1.
const OTHERS: &[&str] = &["PGP ", "OPENSSH ", "SSH2 ", "AGE "];

static ENGINE: GeneralPurpose = GeneralPurpose::new(
    &::base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

fn recognise(start: &[u8], _: bool) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n');
    let is_text = |line: &[u8]| !line.contains(&0);
    let first = lines.by_ref().take_while(|line| is_text(line)).find_map(label);
    // The line after the label is there too, or the label may be cut.
    first.is_some_and(|label| !is_other(label)) && lines.next().is_some_and(is_text)
}

fn is_other(label: &str) -> bool {
    OTHERS.iter().any(|start| label.starts_with(start))
}

/// Returns the label of a line that begins a block.
fn label(line: &[u8]) -> Option<&str> {
    boundary(line, BEGIN)
}

fn boundary<'l>(line: &'l [u8], start: &[u8]) -> Option<&'l str> {
    let label = line.trim_ascii_end().strip_prefix(start)?.strip_suffix(DASHES)?;
    std::str::from_utf8(label).ok().filter(|label| label.bytes().all(|byte| (0x20..0x7f).contains(&byte)))
}

/// Takes the text of a stream away, and leaves what is encoded in it.
struct Decoder<R> {
    input: BufReader<R>,
    /// Piece of a line, without the line break.
    piece: Vec<u8>,
    /// The piece is the beginning of a line.
    begins: bool,
    /// Number of the line, from 1.
    line: u64,
    block: Option<Block>,
    /// Digits that are no whole group of four yet.
    digits: Vec<u8>,
    /// Decoded bytes, and how many of them were read.
    out: Vec<u8>,
    read: usize,
}

/// Block that is open.
struct Block {
    label: String,
    line: u64,
    part: Part,
    /// Its first bytes were compared with its label.
    checked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Nothing but the label came.
    Start,
    /// Header fields as RFC 1421 has them.
    Headers,
    Digits,
    /// The last digits were padded.
    Padded,
}

impl<R: Read> Decoder<R> {
    fn new(input: R) -> Decoder<R> {
        Decoder {
            input: BufReader::new(input),
            piece: Vec::new(),
            begins: true,
            line: 0,
            block: None,
            digits: Vec::new(),
            out: Vec::new(),
            read: 0,
        }
    }

    /// Reads a line, or a piece of one. Returns false at the end.
    fn next_piece(&mut self) -> io::Result<bool> {
        let continues = self.piece.len() >= PIECE;
        self.piece.clear();
        let read = self.input.by_ref().take(PIECE as u64).read_until(b'\n', &mut self.piece)?;
        self.begins = !continues;
        self.line += u64::from(!continues && read > 0);
        if self.piece.last() == Some(&b'\n') {
            self.piece.pop();
        }
        Ok(read > 0)
    }

    fn bad(&self, what: impl std::fmt::Display) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {what}", self.line))
    }

    /// Takes one piece of the text. Returns false at the end.
    fn step(&mut self) -> io::Result<bool> {
        if !self.next_piece()? {
            return match &self.block {
                Some(block) => Err(self.bad(format_args!("the text ends in the block `{}` of line {}", block.label, block.line))),
                None => Ok(false),
            };
        }
        let Some(mut block) = self.block.take() else {
            if let (true, Some(label)) = (self.begins, label(&self.piece)) {
                if is_other(label) {
                    return Err(self.bad(format_args!("a block `{label}`, which holds no ASN.1")));
                }
                self.block = Some(Block { label: label.to_string(), line: self.line, part: Part::Start, checked: false });
            }
            return Ok(true);
        };
        if self.begins && self.piece.starts_with(b"-") {
            if boundary(&self.piece, END) != Some(&block.label) {
                return Err(self.bad(format_args!(
                    "`{}` where the block `{}` of line {} is open",
                    shown(&self.piece),
                    block.label,
                    block.line
                )));
            }
            self.decode(true)?;
            return self.check(&mut block).map(|()| true);
        }
        let is_header = matches!(block.part, Part::Start | Part::Headers) && self.begins;
        if is_header && self.piece.contains(&b':') {
            block.part = Part::Headers;
            if self.piece.starts_with(b"Proc-Type:") && self.piece.windows(9).any(|word| word == b"ENCRYPTED") {
                let hint = "its own program takes the password away, such as `openssl pkey -traditional`";
                return Err(self.bad(format_args!("the block `{}` is encrypted (RFC 1421 4.6.1.1); {hint}", block.label)));
            }
        } else if !(block.part == Part::Headers && self.piece.starts_with(b" ")) {
            self.take_digits(&mut block)?;
        }
        self.block = Some(block);
        Ok(true)
    }

    fn take_digits(&mut self, block: &mut Block) -> io::Result<()> {
        for at in 0..self.piece.len() {
            let digit = self.piece[at];
            match digit {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => continue,
                b'=' => block.part = Part::Padded,
                _ if block.part == Part::Padded => return Err(self.bad("digits behind the padding")),
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => block.part = Part::Digits,
                _ => return Err(self.bad(format_args!("`{}` is no digit of base64", char::from(digit).escape_default()))),
            }
            self.digits.push(digit);
        }
        self.decode(false)?;
        if self.out.len() >= PIECE { self.check(block) } else { Ok(()) }
    }

    /// Decodes the digits that are there, in groups of four, or all at the end.
    fn decode(&mut self, all: bool) -> io::Result<()> {
        let whole = if all { self.digits.len() } else { self.digits.len() / 4 * 4 };
        let decoded = ENGINE.decode_vec(&self.digits[..whole], &mut self.out);
        decoded.map_err(|error| self.bad(error))?;
        self.digits.drain(..whole);
        Ok(())
    }

    /// Compares the label of a block with its first bytes.
    fn check(&self, block: &mut Block) -> io::Result<()> {
        if std::mem::replace(&mut block.checked, true) {
            return Ok(());
        }
        match mislabelled(&block.label, &self.out) {
            Some(found) => Err(self.bad(format_args!("the block `{}` of line {} holds a {found}", block.label, block.line))),
            None => Ok(()),
        }
    }
}

/// Returns the type that the bytes of a block have, if it is not the one that `label` names.
#[cfg(feature = "asn1")]
fn mislabelled(label: &str, block: &[u8]) -> Option<&'static str> {
    x509::mislabelled(label, block)
}

/// Types are known with the module of certificates.
#[cfg(not(feature = "asn1"))]
fn mislabelled(_: &str, _: &[u8]) -> Option<&'static str> {
    None
}

/// Returns the beginning of a line, for people.
fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(40)]).trim_end().escape_default().to_string()
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.read == self.out.len() || self.block.as_ref().is_some_and(|block| !block.checked) {
            if self.read == self.out.len() {
                self.out.clear();
                self.read = 0;
            }
            if !self.step()? {
                return Ok(0);
            }
        }
        let len = buf.len().min(self.out.len() - self.read);
        buf[..len].copy_from_slice(&self.out[self.read..self.read + len]);
        self.read += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        CODEC.reader(Box::new(text.as_bytes()))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn blocks_are_put_together() {
        let text = "about\n-----BEGIN A-----\nAQID\r\nBA==\n-----END A-----\nand\r\n-----BEGIN B-----\nX: y\n z\n\nBQ==\n-----END B-----\n";
        assert!(recognise(text.as_bytes(), true));
        assert_eq!(decoded(text).unwrap(), [1, 2, 3, 4, 5]);
        let long = format!("-----BEGIN A-----\n{}\n-----END A-----", "AAAA".repeat(5000));
        assert_eq!(decoded(&long).unwrap(), [0; 15000]);
    }

    #[test]
    fn mistakes_have_their_line() {
        let mistakes = [
            ("-----BEGIN A-----\nAQ", "line 2: the text ends in the block `A` of line 1"),
            ("-----BEGIN A-----\nA%\n", "line 2: `%` is no digit of base64"),
            ("-----BEGIN A-----\nAQ==\nAQ\n", "line 3: digits behind the padding"),
            ("-----BEGIN A-----\nAQ==\n-----END B-----\n", "line 3: `-----END B-----` where the block `A` of line 1 is open"),
            ("-----BEGIN X509 CRL-----\nMAYGBCsGAQQB\n-----END X509 CRL-----\n", ""),
            ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n", "line 2: the block `RSA PRIVATE KEY` is encrypted"),
            ("-----BEGIN A-----\nA===A\n", "line 2: digits behind the padding"),
        ];
        for (text, expected) in mistakes {
            match decoded(text) {
                Ok(_) => assert_eq!(expected, "", "{text}"),
                Err(error) => assert!(error.to_string().contains(expected) && !expected.is_empty(), "{error}"),
            }
        }
        for other in ["-----BEGIN PGP MESSAGE-----\n\n", "-----BEGIN A----\nAQ", " -----BEGIN A-----\nAQ\n", "\0\n-----BEGIN A-----\nAQ\n"]
        {
            assert!(!recognise(other.as_bytes(), true), "{other}");
        }
    }
}
