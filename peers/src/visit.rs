//! Visits of every value, and their digests: the twin of `native/digest.hpp`, by which the answers of all libraries are compared.

use polywire_core::{Error, Result};
use quick_xml::events::Event;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// What messages hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// JSON: scalars, arrays, objects. XML: elements, attributes, texts. PSYC: operators, names, values, methods, data.
    pub values: u64,
    pub digest: u64,
}

impl Answer {
    /// The number of values, if `found` is the same answer.
    pub fn agrees(self, found: Answer) -> Result<u64> {
        if self == found { Ok(self.values) } else { Err(Error::internal(format!("a rival found {found:?}")).expected(format!("{self:?}"))) }
    }
}

/// Is told every value.
pub trait Sink {
    fn open(&mut self, kind: u8);
    fn close(&mut self, kind: u8);
    fn key(&mut self, key: &[u8]);
    fn text(&mut self, text: &[u8]);
    fn number(&mut self, number: f64);
    fn literal(&mut self, kind: u8);
}

/// Touches each value once: the cheapest visit that can't be left out.
#[derive(Debug, Default)]
pub struct Fold {
    pub seen: u64,
}

impl Fold {
    #[inline]
    fn touch(&mut self, bytes: &[u8]) {
        self.seen = self.seen.wrapping_add(bytes.len() as u64 + bytes.first().map_or(0, |byte| u64::from(*byte)));
    }
}

impl Sink for Fold {
    #[inline]
    fn open(&mut self, kind: u8) {
        self.seen = self.seen.wrapping_add(kind.into());
    }

    #[inline]
    fn close(&mut self, kind: u8) {
        self.seen = self.seen.wrapping_add(kind.into());
    }

    #[inline]
    fn key(&mut self, key: &[u8]) {
        self.touch(key);
    }

    #[inline]
    fn text(&mut self, text: &[u8]) {
        self.touch(text);
    }

    #[inline]
    fn number(&mut self, number: f64) {
        self.seen = self.seen.wrapping_add(number.to_bits());
    }

    #[inline]
    fn literal(&mut self, kind: u8) {
        self.seen = self.seen.wrapping_add(kind.into());
    }
}

/// FNV-1a of 64 bits, as `native/digest.hpp` says.
#[derive(Debug)]
pub struct Digest {
    values: u64,
    hash: u64,
    sum: u64,
    outer: Vec<(u64, u64)>,
    pending: Vec<u8>,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest { values: 0, hash: Digest::START, sum: 0, outer: Vec::new(), pending: Vec::new() }
    }
}

impl Digest {
    const START: u64 = 0xcbf2_9ce4_8422_2325;

    pub fn answer(&self) -> Answer {
        Answer { values: self.values, digest: self.hash.wrapping_add(self.sum) }
    }

    fn run(&mut self, bytes: &[u8]) {
        self.hash = bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }

    fn marked(&mut self, kind: u8, bytes: &[u8]) {
        self.run(&[kind]);
        self.run(bytes);
        self.run(b"\xff");
    }

    fn element(&mut self, name: &[u8]) {
        self.flush();
        self.values += 1;
        self.marked(b'e', name);
    }

    fn attribute(&mut self, name: &[u8], value: &[u8]) {
        let mut alone = Digest::default();
        alone.marked(b'a', name);
        alone.marked(b'=', value);
        self.values += 1;
        self.sum = self.sum.wrapping_add(alone.hash);
    }

    fn end(&mut self) {
        self.flush();
        self.run(b"/");
    }

    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if !pending.iter().all(|byte| b" \t\r\n".contains(byte)) {
            self.values += 1;
            self.marked(b't', &pending);
        }
    }
}

impl Sink for Digest {
    fn open(&mut self, kind: u8) {
        self.literal(kind);
        if kind == b'{' {
            self.outer.push((self.hash, self.sum));
            (self.hash, self.sum) = (0, 0);
        }
    }

    fn close(&mut self, kind: u8) {
        if kind == b'}' {
            let fields = self.sum.wrapping_add(self.hash);
            (self.hash, self.sum) = self.outer.pop().unwrap_or_default();
            self.run(&fields.to_ne_bytes());
        }
        self.run(&[kind]);
    }

    fn key(&mut self, key: &[u8]) {
        self.sum = self.sum.wrapping_add(self.hash);
        self.hash = Digest::START;
        self.marked(b'k', key);
    }

    fn text(&mut self, text: &[u8]) {
        self.values += 1;
        self.marked(b's', text);
    }

    fn number(&mut self, number: f64) {
        self.literal(b'n');
        self.run(&number.to_ne_bytes());
    }

    fn literal(&mut self, kind: u8) {
        self.values += 1;
        self.run(&[kind]);
    }
}

/// What JSON texts, one after the other, hold: the judge is serde_json's event interface.
pub fn json(bytes: &[u8]) -> Result<Answer> {
    let mut digest = Digest::default();
    let mut rest = bytes.trim_ascii();
    while !rest.is_empty() {
        let mut reader = serde_json::Deserializer::from_slice(rest).into_iter::<Ignored>();
        match reader.next() {
            Some(Ok(_)) => {}
            other => return Err(Error::internal(format!("the judge of JSON: {:?}", other.and_then(std::result::Result::err)))),
        }
        let (text, after) = rest.split_at(reader.byte_offset());
        Seed(&mut digest)
            .deserialize(&mut serde_json::Deserializer::from_slice(text))
            .map_err(|error| Error::internal(format!("the judge of JSON: {error}")))?;
        rest = after.trim_ascii_start();
    }
    Ok(digest.answer())
}

type Ignored = serde::de::IgnoredAny;

/// Tells a sink what a deserializer reads.
struct Seed<'s>(&'s mut Digest);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, truth: bool) -> std::result::Result<(), E> {
        self.0.literal(if truth { b't' } else { b'f' });
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> std::result::Result<(), E> {
        self.0.number(number as f64);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> std::result::Result<(), E> {
        self.0.number(number as f64);
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<(), E> {
        self.0.number(number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<(), E> {
        self.0.text(text.as_bytes());
        Ok(())
    }

    fn visit_unit<E>(self) -> std::result::Result<(), E> {
        self.0.literal(b'0');
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<(), A::Error> {
        self.0.open(b'[');
        while items.next_element_seed(Seed(self.0))?.is_some() {}
        self.0.close(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> std::result::Result<(), A::Error> {
        self.0.open(b'{');
        while let Some(key) = fields.next_key::<String>()? {
            self.0.key(key.as_bytes());
            fields.next_value_seed(Seed(self.0))?;
        }
        self.0.close(b'}');
        Ok(())
    }
}

/// What an XML document holds: the judge is quick-xml.
pub fn xml(bytes: &[u8]) -> Result<Answer> {
    fn failed(error: impl std::fmt::Display) -> Error {
        Error::internal(format!("the judge of XML: {error}"))
    }
    let mut digest = Digest::default();
    let mut reader = quick_xml::Reader::from_reader(bytes);
    loop {
        let event = reader.read_event().map_err(failed)?;
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                digest.element(tag.name().as_ref().as_bytes());
                for attribute in tag.attributes() {
                    let attribute = attribute.map_err(failed)?;
                    let value = quick_xml::escape::unescape(&attribute.value).map_err(failed)?;
                    digest.attribute(attribute.key.as_ref().as_bytes(), value.as_bytes());
                }
                if matches!(event, Event::Empty(_)) {
                    digest.end();
                }
            }
            Event::End(_) => digest.end(),
            Event::Text(text) => digest.pending.extend_from_slice(text.as_bytes()),
            Event::CData(text) => digest.pending.extend_from_slice(text.as_bytes()),
            Event::GeneralRef(name) => {
                let reference = format!("&{};", &**name);
                digest.pending.extend_from_slice(quick_xml::escape::unescape(&reference).map_err(failed)?.as_bytes());
            }
            Event::Eof => return Ok(digest.answer()),
            _ => {}
        }
    }
}

/// What PSYC packets hold, read line by line as the grammar says (docs/spec/psyc.md 3 and 3.1), without a thought for speed.
pub fn psyc(mut rest: &[u8]) -> Result<Answer> {
    let mut digest = Digest::default();
    while !rest.is_empty() {
        rest = packet(rest, &mut digest).ok_or_else(|| Error::internal("the judge of PSYC: no packet"))?;
    }
    Ok(digest.answer())
}

/// The bytes before `end`, and those behind it.
fn until<'b>(bytes: &'b [u8], end: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let at = bytes.windows(end.len()).position(|window| window == end)?;
    Some((&bytes[..at], &bytes[at + end.len()..]))
}

fn packet<'b>(mut rest: &'b [u8], sink: &mut Digest) -> Option<&'b [u8]> {
    const OPERATORS: &[u8] = b":=+-@?!";
    while OPERATORS.contains(rest.first()?) {
        rest = variable(rest, sink)?;
    }
    if let Some(rest) = rest.strip_prefix(b"|\n") {
        return Some(rest);
    }
    let (size, content) = until(rest, b"\n")?;
    let size: Option<usize> = if size.is_empty() { None } else { Some(std::str::from_utf8(size).ok()?.parse().ok()?) };
    rest = content;
    while OPERATORS.contains(rest.first()?) {
        rest = variable(rest, sink)?;
    }
    if !rest.starts_with(b"|") {
        let (method, after) = until(rest, b"\n")?;
        sink.text(method);
        rest = after;
        let left = size.map(|size| size - (content.len() - after.len()));
        if left != Some(0) && !(left.is_none() && rest.starts_with(b"|\n")) {
            let (data, after) = match left {
                Some(left) => (rest.get(..left - 1)?, rest.get(left..)?),
                None => {
                    let (data, _) = until(rest, b"\n|\n")?;
                    (data, &rest[data.len() + 1..])
                }
            };
            sink.text(data);
            rest = after;
        }
    }
    rest.strip_prefix(b"|\n")
}

fn variable<'b>(line: &'b [u8], sink: &mut Digest) -> Option<&'b [u8]> {
    let (head, rest) = until(line, b"\t")?;
    let mut name = head[1..].splitn(2, |byte| *byte == b' ');
    sink.literal(head[0]);
    sink.text(name.next()?);
    let (value, rest) = match name.next() {
        Some(size) => rest.split_at_checked(std::str::from_utf8(size).ok()?.parse().ok()?)?,
        None => rest.split_at(until(rest, b"\n")?.0.len()),
    };
    sink.text(value);
    rest.strip_prefix(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_order_of_fields_do_not_count_and_values_do() {
        let one = json(br#"[{"a": 1, "b": {"c": "d"}}, true]"#).unwrap();
        assert_eq!(one, json(br#"[{"b":{"c":"\u0064"},"a":1.0},true]"#).unwrap());
        assert_eq!(one.values, 6);
        for other in [r#"[{"a":1,"b":{"c":"e"}},true]"#, r#"[{"a":1,"c":{"b":"d"}},true]"#, r#"[{"a":1},{"b":{"c":"d"}},true]"#] {
            assert_ne!(one.digest, json(other.as_bytes()).unwrap().digest, "{other}");
        }
        assert_eq!(json(b"1\n[2]").unwrap().values, 3);
        assert!(json(b"[1] x").is_err());
    }

    #[test]
    fn a_packet_is_the_same_with_sizes_and_without() {
        let one = psyc(b":_a\tb\n\n=_c 1\td\n_m\nx\n|\n").unwrap();
        assert_eq!(one, psyc(b":_a\tb\n11\n=_c\td\n_m\nx\n|\n").unwrap());
        assert_eq!(one.values, 8);
    }

    #[test]
    fn layout_and_order_of_attributes_do_not_count_in_xml() {
        let one = xml(b"<a b='1' c='2'>\n <d>x&amp;y</d>\n</a>").unwrap();
        assert_eq!(one, xml(b"<a c=\"2\" b=\"1\"><d><![CDATA[x&y]]></d></a>").unwrap());
        assert_eq!(one.values, 5);
        assert_ne!(one.digest, xml(b"<a b='1' c='2'><d>x&amp;z</d></a>").unwrap().digest);
    }
}
