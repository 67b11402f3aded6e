//! Bodies of the fuzz targets: functions that panic if a property does not hold.

use std::sync::{Arc, OnceLock};

use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, Limits, Next, Reader, Writer};

use super::{plain, rows};
use crate::dictionary::{Dictionary, Identity, section as sections};
use crate::document::{Form, Root, Roots, signature};
use crate::dom::Arena;
use crate::error::{DecodeError, Problem, Revision};
use crate::events::{Encoder, Extent, Handler, MAX_DEPTH, Row, RowEnd, Scalar};
use crate::plan::Plan;
use crate::walk::{UsdsReader, UsdsWriter};

/// All decoders and encoders of the bodies of one dictionary.
#[derive(Debug)]
pub struct Doors {
    /// The prepared dictionary.
    pub plan: Arc<Plan>,
    arena: Arena,
}

/// Returns a value as text: floats by their bits, and members by their names only.
pub fn shown(value: &Value) -> String {
    let all = |values: &[Value]| values.iter().map(shown).collect::<Vec<_>>().join(", ");
    match value {
        Value::F64(float) => format!("{:016x}", float.to_bits()),
        Value::F32(float) => format!("{:08x}", float.to_bits()),
        Value::List(values) => format!("[{}]", all(values)),
        Value::Record { name, fields } => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
            format!("{name} {{{}}}", fields.join(", "))
        }
        Value::Variant { name, values, .. } => format!("{name}({})", all(values)),
        other => format!("{other:?}"),
    }
}

impl Doors {
    /// Returns the decoders and encoders of a dictionary.
    pub fn new(dictionary: Dictionary) -> Doors {
        let plan = Arc::new(Plan::new(Arc::new(dictionary)));
        Doors { arena: Arena::new(Arc::clone(&plan)), plan }
    }

    /// Returns the entries of a body of that document.
    ///
    /// # Panics
    /// The document cannot be encoded.
    pub fn encode(&self, document: &Value) -> Vec<u8> {
        let mut writer = UsdsWriter::documents(Arc::clone(&self.plan), Form::Body).unwrap_or_else(|error| panic!("{error}"));
        let mut body = Vec::new();
        document.emit(&mut writer).and_then(|()| writer.finish(&mut body)).unwrap_or_else(|error| panic!("{document:?}: {error}"));
        assert_eq!(body.remove(0), signature(self.plan.wire()));
        body
    }

    /// Returns the document of the entries of a body as text. All decoders must agree on it, and on
    /// errors and their offsets.
    ///
    /// # Panics
    /// The decoders differ.
    pub fn decode(&mut self, entries: &[u8]) -> Result<String, (Option<u32>, usize)> {
        let expected = plain(self.plan.dictionary(), entries).map(|value| shown(&value));
        let place = |failure: &DecodeError| (failure.code(), if failure.problem() == Problem::Limit { 0 } else { failure.offset() });
        let expected_place = expected.clone().map_err(|(code, at)| (code, if code.is_none() { 0 } else { at }));

        let mut body = vec![signature(self.plan.wire())];
        body.extend_from_slice(entries);
        let mut reader = UsdsReader::documents(Arc::clone(&self.plan));
        let mut sink = ValueSink::default();
        let limits = Limits::DEFAULT.with_depth(MAX_DEPTH + 100);
        let walked = reader.walk(&body, 0, &mut sink, &mut Budget::new(&limits));
        match (&expected, walked) {
            (Ok(expected), Ok(())) => assert_eq!(&shown(&sink.finish().expect("a value")), expected),
            (Err((code, at)), Err(error)) => {
                let number = code.map_or(String::new(), |code| format!("(USDS error {code})"));
                assert!(error.what().contains(&number), "{error} is not {code:?}");
                assert!(code.is_none() || error.offset() == Some(*at as u64 + 1), "{error} is not at {at}");
            }
            (expected, walked) => panic!("{expected:?} and {walked:?} of {entries:02x?}"),
        }

        let plan = Arc::clone(&self.plan);
        match self.arena.decode(entries) {
            Ok(document) => {
                let mut sink = ValueSink::default();
                document.emit(&mut sink).expect("a sink takes any value");
                assert_eq!(Ok(shown(&sink.finish().expect("a value"))), expected_place);
                let mut again = Vec::new();
                document.encode_entries(&mut again).expect("what was decoded is encoded");
                assert_eq!(again, entries, "the arena's bytes");
                let mut other = Arena::new(Arc::clone(&plan));
                if let Some(copy) = rows::copied(&document, &mut other) {
                    assert_eq!(copy, entries, "the bytes of a copy");
                }
                assert_eq!(called(&plan, entries, false), entries, "the bytes of calls");
                assert_eq!(called(&plan, entries, true), entries, "the bytes of rows");
            }
            Err(failure) => assert_eq!(Err(place(&failure)), expected_place, "{failure}"),
        }
        rows::agree(&plan, entries);

        // Roots are found at their offsets, and nowhere else.
        let mut roots = Roots::new(Arc::clone(&plan), MAX_DEPTH);
        let mut at = 0;
        let found = loop {
            if at == entries.len() {
                break Ok(());
            }
            match roots.next(&entries[at..]) {
                Ok(Root::Whole { end, .. }) => at += end,
                Ok(Root::More) => break Err(Problem::End.code(plan.wire())),
                Err(failure) => break Err(failure.code()),
            }
        };
        assert_eq!(found.err(), expected.as_ref().err().map(|(code, _)| *code), "roots of {entries:02x?}");
        expected
    }
}

/// Encodes the decoded values by calls.
fn called(plan: &Plan, entries: &[u8], by_rows: bool) -> Vec<u8> {
    let mut calls = Calls { encoder: Encoder::entries(plan, Vec::new()), inside: false, by_rows };
    crate::events::decode(plan, entries, 0, MAX_DEPTH, &mut calls).unwrap_or_else(|halt| panic!("{halt:?}"));
    calls.encoder.finish().unwrap_or_else(|failure| panic!("{failure}"))
}

struct Calls<'p> {
    encoder: Encoder<'p>,
    /// True if the next structure is that of a member, which is entered with it.
    inside: bool,
    /// True if a structure of scalars is one call.
    by_rows: bool,
}

impl<'m> Handler<'m> for Calls<'_> {
    type Error = DecodeError;

    fn root(&mut self, tag: u32, _: Extent) -> Result<Next, DecodeError> {
        self.encoder.root(tag).map(|()| Next::Enter)
    }

    fn scalar(&mut self, _: u32, value: Scalar<'m>, _: Extent) -> Result<(), DecodeError> {
        match value {
            Scalar::Bool(value) => self.encoder.bool(value),
            Scalar::Int(value) => self.encoder.int(value),
            Scalar::UInt(value) => self.encoder.uint(value),
            Scalar::F32(value) => self.encoder.f32(value),
            Scalar::F64(value) => self.encoder.f64(value),
            Scalar::Text(text) => self.encoder.text(text),
            Scalar::Octets(bytes) => self.encoder.octets(bytes),
            Scalar::Enumerator { number, .. } => self.encoder.int(number),
        }
    }

    fn structure(&mut self, _: u32, _: u32, _: Extent) -> Result<Next, DecodeError> {
        if !std::mem::take(&mut self.inside) {
            self.encoder.enter()?;
        }
        Ok(Next::Enter)
    }

    fn row(&mut self, slot: u32, shape: u32, row: &mut Row<'_, 'm>) -> Result<(), RowEnd<DecodeError>> {
        if !self.by_rows {
            return row.emit(slot, shape, self);
        }
        self.inside = false;
        let mut values = Vec::new();
        while !row.is_empty() {
            values.push(row.scalar()?);
        }
        let given = self.encoder.row(|row| {
            values.iter().try_for_each(|value| match *value {
                Scalar::Bool(value) => row.bool(value),
                Scalar::Int(value) => row.int(value),
                Scalar::UInt(value) => row.uint(value),
                Scalar::F32(value) => row.f32(value),
                Scalar::F64(value) => row.f64(value),
                Scalar::Text(text) => row.text(text),
                Scalar::Octets(bytes) => row.octets(bytes),
                Scalar::Enumerator { number, .. } => row.int(number),
            })
        });
        given.map_err(RowEnd::Handler)
    }

    fn array(&mut self, _: u32, count: u32, _: Extent) -> Result<Next, DecodeError> {
        self.encoder.array(count).map(|()| Next::Enter)
    }

    fn member(&mut self, _: u32, tag: u32, _: u32, _: Extent) -> Result<Next, DecodeError> {
        self.encoder.member(tag)?;
        self.inside = true;
        Ok(Next::Enter)
    }

    fn null(&mut self, _: u32, _: Extent) -> Result<(), DecodeError> {
        self.encoder.null()
    }
}

/// Dictionaries that cover all types.
const TEXTS: &[&str] = &[
    "USDS DICTIONARY ID=1 v.1.0 { 1: STRUCT I { 1: UNSIGNED VARINT n; 2: DOUBLE s; 3: STRING<UTF-8> g; 4: LONG t; 5: BOOLEAN b; } RESTRICT { notRoot; }
     2: STRUCT S { 1: UNSIGNED VARINT n; 2: INT m; 3: STRING o; 4: ARRAY<I> v; 5: ARRAY<S> w; } }",
    "USDS B { INT[][] a; S { INT i; T { DOUBLE d; STRING<UTF-8> s; }; S[] kids; M[] { BOOLEAN b; }; }; }",
    "USDS 7: P 1.2 ENUMERATOR: BYTE { N { N next = NULL; ENUM e { a = -3, b, c = 9 } = b; SHORT s = -7; N[] kids = NULL; <N || M || Q> p = NULL; };
     M { VARINT v; FLOAT f; UBYTE u; ULONG l; ENUM<UINT>[] k { x, y }; BYTE b = NULL; }; <M> Q; STRING<UTF-8>[] t; USHORT[] h; }",
];

/// Decodes a body, under a dictionary that the first byte chooses. All decoders must agree, and the
/// decoded values must encode to the same bytes.
///
/// # Panics
/// A property does not hold.
pub fn body(bytes: &[u8]) {
    static DICTIONARIES: OnceLock<Vec<Dictionary>> = OnceLock::new();
    let [choice, entries @ ..] = bytes else { return };
    let dictionaries = DICTIONARIES.get_or_init(|| {
        TEXTS.iter().map(|text| Dictionary::parse("fuzz", text.as_bytes()).unwrap_or_else(|found| panic!("{found}"))).collect()
    });
    let _ = Doors::new(dictionaries[usize::from(*choice) % TEXTS.len()].clone()).decode(entries);
}

/// Reads the contents of a dictionary section, of a revision that the first byte chooses. A section
/// that is read must be written, and read back unchanged.
///
/// # Panics
/// A property does not hold.
pub fn section(bytes: &[u8]) {
    let [choice, contents @ ..] = bytes else { return };
    let revision = [Revision::A, Revision::B, Revision::Profile][usize::from(*choice) % 3];
    match sections::read(contents, revision, Identity::default()) {
        Ok(dictionary) => {
            let again = sections::write(&dictionary, revision).unwrap_or_else(|problem| panic!("{problem:?}: {contents:02x?}"));
            let read = sections::read(&again, revision, Identity::default()).unwrap_or_else(|failure| panic!("{failure}: {again:02x?}"));
            // NaN is not equal to itself.
            assert_eq!(format!("{:?}", read.tags()), format!("{:?}", dictionary.tags()));
            sections::marks(contents, revision);
            if let Ok((text, _)) = dictionary.to_text() {
                Dictionary::parse("again", text.as_bytes()).unwrap_or_else(|found| panic!("{text}\n{found}"));
            }
            Plan::new(Arc::new(dictionary));
        }
        Err(failure) => assert!(failure.offset() <= contents.len(), "{failure}"),
    }
}

/// Reads a text. Places of findings must lie in it, and a formatted text must be valid and stable.
///
/// # Panics
/// A property does not hold.
pub fn text(bytes: &[u8]) {
    match Dictionary::parse("fuzz", bytes) {
        Ok(dictionary) => {
            let formatted = Dictionary::format("fuzz", bytes).unwrap_or_else(|found| panic!("{found}"));
            let again = Dictionary::parse("fuzz", formatted.as_bytes()).unwrap_or_else(|found| panic!("{formatted}\n{found}"));
            assert_eq!(again, dictionary, "{formatted}");
            assert_eq!(Dictionary::format("fuzz", formatted.as_bytes()).as_ref(), Ok(&formatted));
            let (written, _) = dictionary.to_text().unwrap_or_else(|problem| panic!("{problem:?}: {formatted}"));
            Dictionary::parse("fuzz", written.as_bytes()).unwrap_or_else(|found| panic!("{written}\n{found}"));
            let (schema, _) = crate::language::schema(&dictionary);
            schema.check().unwrap_or_else(|error| panic!("{error}: {formatted}"));
            let wire = dictionary.wire();
            let contents = sections::write(&dictionary, wire).unwrap_or_else(|problem| panic!("{problem:?}: {formatted}"));
            let read = sections::read(&contents, wire, dictionary.identity()).unwrap_or_else(|failure| panic!("{failure}: {formatted}"));
            assert_eq!(read.tags(), dictionary.tags(), "{formatted}");
        }
        Err(found) => {
            assert!(!found.findings.is_empty());
            for finding in &found.findings {
                assert!(finding.at.end as usize <= bytes.len() && finding.at.start <= finding.at.end, "{finding:?}");
            }
        }
    }
}
