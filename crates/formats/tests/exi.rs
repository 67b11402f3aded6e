//! EXI beside the XML of the same document.
#![cfg(feature = "exi")]

use polywire_core::format::Format;
use polywire_core::value::ValueSink;
use polywire_core::{Budget, Error, Field, Frame, Limits, Needs, Next, Note, Open, Part, Reader, Scalar, Sink, Span, Value, Writer};
use polywire_formats::exi::{self, ExiReader, ExiWriter};
use polywire_formats::xml::{self, XmlWriter};
use polywire_testing::{self as testing, Rng};

const DOCUMENTS: &[&str] = &[
    "<a/>",
    "<a>text</a>",
    "<a>  </a>",
    "<a x=\"1\" y=\"2 &lt; 3\">t</a>",
    "<a><b>1</b><b>2</b><c d=\"e\">f<g/>h</c></a>",
    "<a>one<!-- c -->two<?p i?>three</a>",
    "<!-- before --><?p?><a/><!-- after -->",
    "<a xmlns=\"urn:a\" xmlns:b=\"urn:b\"><b:c b:d=\"1\" xml:lang=\"en\"/><e xmlns=\"\"/></a>",
    "<x:a xmlns:x=\"urn:x\"><x:b xmlns:x=\"urn:y\"/><x:b/></x:a>",
    "<a xmlns:s=\"urn:s\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><b xsi:type=\"s:t\">1</b><b xsi:nil=\"true\"/><b xsi:type=\"odd: one\"/></a>",
    "<!DOCTYPE a [<!ENTITY e \"<b>x</b>\"><!ATTLIST a d CDATA \"v\">]><a>&e;</a>",
    "<!DOCTYPE a PUBLIC \"-//X//Y\" \"z.dtd\"><a/>",
    "<a>na\u{ef}ve \u{1f980}</a>",
    "<a xml:space=\"preserve\">\n<b/>\n</a>",
    "<message xmlns:pw=\"urn:polywire:values\" pw:root=\"value\" pw:t=\"list\"><i>1</i><i>x</i></message>",
    "<a xmlns:pw=\"urn:polywire:values\"><n>42</n><l pw:t=\"list\"><i>1.5</i><i>true</i></l><z pw:t=\"null\"/></a>",
];

fn settings() -> Vec<Vec<(&'static str, &'static str)>> {
    let mut all = vec![vec![("exi-canonical", "")], vec![("exi-value-partition-capacity", "2")], vec![("exi-value-max-length", "3")]];
    for kind in ["bit", "byte", "precompression", "compression"] {
        all.push(vec![("exi-alignment", kind)]);
        all.push(vec![("exi-alignment", kind), ("exi-block-size", "1")]);
        all.push(vec![("exi-alignment", kind), ("exi-fragment", "")]);
    }
    all.push(vec![("exi-self-contained", "b,c")]);
    all.push(vec![("exi-self-contained", "a"), ("exi-alignment", "byte")]);
    all
}

fn walk(reader: &mut dyn Reader, bytes: &[u8]) -> Result<Value, Error> {
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(sink.finish().expect("a value"))
}

fn convert(reader: &mut dyn Reader, bytes: &[u8], writer: &mut dyn Writer) -> Vec<u8> {
    reader.walk(bytes, 0, writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap();
    out
}

fn xml_reader() -> Box<dyn Reader> {
    (xml::FORMAT.reader)()
}

fn configured(format: &Format, given: &[(&str, &str)]) -> std::sync::Arc<dyn polywire_core::format::Configured> {
    format.settings.expect("settings").configure(given).unwrap()
}

#[test]
fn documents_come_back() {
    for given in settings() {
        let with = configured(&exi::FORMAT, &given);
        let mut writer = with.writer().unwrap();
        for document in DOCUMENTS {
            let bytes = convert(&mut *xml_reader(), document.as_bytes(), &mut *writer);
            assert!(writer.losses().is_empty(), "{document}");
            let value = walk(&mut *xml_reader(), document.as_bytes()).unwrap();
            let mut reader = ExiReader::default();
            assert_eq!(walk(&mut reader, &bytes).unwrap(), value, "{given:?}: {document}");
            let back = convert(&mut reader, &bytes, &mut XmlWriter::default());
            let same = convert(&mut *xml_reader(), document.as_bytes(), &mut XmlWriter::default());
            let back = String::from_utf8(back).unwrap();
            assert_eq!(walk(&mut *xml_reader(), back.as_bytes()).unwrap(), value, "{given:?}: {back} for {document}");
            assert_eq!(back.matches("<!--").count(), String::from_utf8(same).unwrap().matches("<!--").count());
        }
    }
}

#[test]
fn streams_with_cookies_follow_each_other() {
    let messages: Vec<Vec<u8>> =
        DOCUMENTS.iter().map(|document| convert(&mut *xml_reader(), document.as_bytes(), &mut ExiWriter::default())).collect();
    let stream = messages.concat();
    for step in [1, 7, 1000, stream.len()] {
        let mut reader = ExiReader::default();
        let (mut start, mut end, mut found) = (0, step.min(stream.len()), Vec::new());
        loop {
            match reader.frame(&stream[start..end], start as u64, end == stream.len()).unwrap() {
                Frame::Message { start: from, end: to } => {
                    found.push(stream[start + from..start + to].to_vec());
                    start += to;
                }
                Frame::More(_) => end = (end + step).min(stream.len()),
                Frame::Between(_) => panic!("every byte belongs to a stream"),
                Frame::End => break,
            }
        }
        assert_eq!(found, messages);
    }
}

#[test]
fn damage_is_an_error_or_another_document() {
    let mut rng = Rng::with_seed(3);
    for given in settings() {
        let with = configured(&exi::FORMAT, &given);
        for document in DOCUMENTS {
            let bytes = convert(&mut *xml_reader(), document.as_bytes(), &mut *with.writer().unwrap());
            for cut in 0..bytes.len() {
                let outcome = walk(&mut ExiReader::default(), &bytes[..cut]);
                if let Err(error) = outcome {
                    assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64), "{error}");
                }
            }
            for _ in 0..20 {
                let mut bad = bytes.clone();
                let at = rng.usize(..bad.len());
                bad[at] ^= 1 << rng.u32(..8);
                let _ = walk(&mut ExiReader::default(), &bad);
            }
        }
    }
}

#[test]
fn parts_that_are_not_kept_are_losses() {
    let with = configured(&exi::FORMAT, &[("exi-preserve", "none")]);
    for (document, losses) in
        [("<a><!-- c --></a>", 1), ("<?p i?><a/>", 1), ("<a xmlns=\"u\"/>", 1), ("<a>x</a>", 0), ("<!DOCTYPE a><a/>", 1)]
    {
        let mut writer = with.writer().unwrap();
        convert(&mut *xml_reader(), document.as_bytes(), &mut *writer);
        assert_eq!(writer.losses().len(), losses, "{document}");
    }
}

#[test]
fn streams_without_prefixes_get_some() {
    let with = configured(&exi::FORMAT, &[("exi-preserve", "none")]);
    let document = "<x:a xmlns:x=\"urn:x\" x:b=\"1\"><c xmlns=\"urn:x\" d=\"2\"/><x:e/></x:a>";
    let bytes = convert(&mut *xml_reader(), document.as_bytes(), &mut *with.writer().unwrap());
    let back = convert(&mut ExiReader::default(), &bytes, &mut XmlWriter::default());
    assert_eq!(String::from_utf8(back).unwrap(), "<ns0:a xmlns:ns0=\"urn:x\" ns0:b=\"1\"><ns0:c d=\"2\"/><ns0:e/></ns0:a>");
}

#[test]
fn promises_of_every_format_hold() {
    let mut rng = Rng::with_seed(11);
    let mut corpus: Vec<Vec<u8>> =
        DOCUMENTS.iter().map(|document| convert(&mut *xml_reader(), document.as_bytes(), &mut ExiWriter::default())).collect();
    for given in settings() {
        let with = configured(&exi::FORMAT, &given);
        corpus.extend(DOCUMENTS.iter().map(|document| convert(&mut *xml_reader(), document.as_bytes(), &mut *with.writer().unwrap())));
    }
    for n in 0..400 {
        let value = testing::value(&mut rng, if n % 2 == 0 { testing::Shape::PLAIN } else { testing::Shape::ANY });
        let mut writer = ExiWriter::default();
        value.emit(&mut writer).unwrap();
        let mut bytes = Vec::new();
        writer.finish(&mut bytes).unwrap();
        if !writer.losses().iter().any(polywire_core::Lost::is_value) {
            testing::round_trip(&exi::FORMAT, &value);
        }
        corpus.extend(testing::write(&exi::FORMAT, &value).ok());
    }
    for _ in 0..9000 {
        let start = &corpus[rng.usize(..corpus.len())];
        let bytes = if rng.u8(..3) == 0 {
            let head = [0x80, 0x80, 0xa0][rng.usize(..3)];
            std::iter::once(head).chain((0..rng.usize(..64)).map(|_| rng.u8(..))).collect()
        } else if rng.u8(..8) == 0 {
            start.clone()
        } else {
            testing::mutate(&mut rng, &start[..start.len().min(4096)])
        };
        let cut = rng.usize(..=bytes.len());
        testing::fuzz_walk(&exi::FORMAT, &bytes);
        testing::fuzz_frames(&exi::FORMAT, &bytes, cut);
        testing::fuzz_skip(&exi::FORMAT, &bytes);
        testing::fuzz_rewrite(&exi::FORMAT, &bytes);
        testing::fuzz_inspect(&exi::FORMAT, &bytes);
    }
}

/// The bytes that EXIficient 1.0.7 makes of the same documents with its option for Canonical EXI.
#[test]
fn canonical_streams_are_those_of_exificient() {
    let spaces = "<a xmlns:z=\"urn:z\" xmlns:b=\"urn:b\" z:k=\"1\" c=\"2\" b:k=\"3\"><b:e y=\"1\" x=\"2\">t</b:e><f/></a>";
    let plain = "<a d=\"1\" c=\"2\"><f>x</f></a>";
    for (document, preserve, alignment, bytes) in [
        (
            spaces,
            "prefixes",
            "bit",
            "a009f204c280575726e3a620162200aeae4dc74f402f424098c0cca601358199c681358198ee01329204f00249027901a806e888133040",
        ),
        (spaces, "none", "bit", "a068130a813181995015d5c9b8e98809ac0cce402bab9371d3d01358198f402654813c0094813c80d606e888133080"),
        (plain, "none", "bit", "a068130a813181995409900cc690266c0de0"),
        (plain, "none", "byte", "a0004a0102610101026303320101010264033102020102660303780000"),
        (plain, "none", "compression", "a000ca0102610101026301010102640202010266030000033203310378"),
    ] {
        let with = configured(&exi::FORMAT, &[("exi-canonical", ""), ("exi-preserve", preserve), ("exi-alignment", alignment)]);
        let written = convert(&mut *xml_reader(), document.as_bytes(), &mut *with.writer().unwrap());
        let hex: String = written.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, bytes, "{document} {preserve} {alignment}");
    }
}

/// Sends what no document can hold before the event of a number: from there on the message is
/// written by way of its XML.
struct Detour<'w> {
    writer: &'w mut dyn Writer,
    left: usize,
}

impl Detour<'_> {
    fn count(&mut self) -> Result<(), Error> {
        if self.left == 0 {
            self.writer.note(Note::Directive("no directive"), Span::new(0, 0))?;
        }
        self.left = self.left.wrapping_sub(1);
        Ok(())
    }
}

impl<'m> Sink<'m> for Detour<'_> {
    fn needs(&self) -> Needs {
        self.writer.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next, Error> {
        self.count()?;
        self.writer.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next, Error> {
        self.count()?;
        self.writer.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<(), Error> {
        self.count()?;
        self.writer.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<(), Error> {
        self.writer.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<(), Error> {
        self.count()?;
        self.writer.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<(), Error> {
        self.writer.note(note, at)
    }
}

/// Makes a record whose fields look like parts of a document, and now and then like none.
fn record(rng: &mut Rng, depth: u32) -> Value {
    const NAMES: &[&str] = &["a", "b", "p:c", "q:d", "xmlns:x", "1", "#text", "#text", "a b", "\u{e9}"];
    const ATTRIBUTES: &[&str] =
        &["@a", "@b", "@p:a", "@q:a", "@xml:lang", "@xml:space", "@xmlns", "@xmlns:p", "@xmlns:q", "@xsi:type", "@"];
    const TEXTS: &[&str] =
        &["", "x", " ", "\n ", "12", "true", "a<b>&]]>\"'", "\r\t", "urn:p", "urn:q", "urn:polywire:values", "preserve", "\u{1f980}", "\0"];
    let text = |rng: &mut Rng| {
        // The last is illegal, and would spoil most documents.
        let count = if rng.u8(..20) == 0 { TEXTS.len() } else { TEXTS.len() - 1 };
        Value::Text(TEXTS[rng.usize(..count)].to_string())
    };
    let mut fields = Vec::new();
    for name in [("@xmlns:p", "urn:p"), ("@xmlns:q", "urn:p"), ("@xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")] {
        if rng.bool() {
            fields.push((name.0.to_string(), Value::Text(name.1.to_string())));
        }
    }
    for _ in 0..rng.usize(..3) {
        fields.push((ATTRIBUTES[rng.usize(..ATTRIBUTES.len())].to_string(), text(rng)));
    }
    for _ in 0..rng.usize(..4) {
        let count = if rng.u8(..4) == 0 { NAMES.len() } else { 3 };
        let value = match rng.u8(..30) {
            0 => Value::UInt(7),
            1 => Value::List(vec![text(rng)]),
            2..12 if depth > 0 => record(rng, depth - 1),
            _ => text(rng),
        };
        fields.push((NAMES[rng.usize(..count)].to_string(), value));
    }
    Value::Record { name: String::new(), fields }
}

#[test]
fn plain_messages_are_written_as_by_way_of_their_xml() {
    let mut rng = Rng::with_seed(5);
    let mut values: Vec<Value> = DOCUMENTS.iter().map(|document| walk(&mut *xml_reader(), document.as_bytes()).unwrap()).collect();
    for n in 0..3000 {
        let value = match n % 4 {
            0 => testing::value(&mut rng, testing::Shape::PLAIN),
            _ => Value::Record { name: String::new(), fields: vec![("root".to_string(), record(&mut rng, 3))] },
        };
        values.push(value);
    }
    let (mut whole, mut by_xml) = (0, 0);
    for (n, value) in values.iter().enumerate() {
        let given: &[(&str, &str)] = if n % 3 == 0 { &[("exi-preserve", "none")] } else { &[] };
        let with = configured(&exi::FORMAT, given);
        let mut writer = with.writer().unwrap();
        value.emit(&mut *writer).unwrap();
        let mut bytes = Vec::new();
        writer.finish(&mut bytes).unwrap();
        let losses = writer.losses().len();
        let mut writer = with.writer().unwrap();
        let mut detour = Detour { writer: &mut *writer, left: [0, 0, 1, 3, 6, 12][rng.usize(..6)] };
        value.emit(&mut detour).unwrap();
        let detoured = detour.left > usize::MAX / 2;
        let mut again = Vec::new();
        writer.finish(&mut again).unwrap();
        assert_eq!(bytes, again, "{value:?}");
        assert_eq!(losses + usize::from(detoured), writer.losses().len(), "{value:?}");
        whole += usize::from(!detoured);
        by_xml += usize::from(detoured);
    }
    assert!(whole > 100 && by_xml > 1000, "{whole} {by_xml}");
}
