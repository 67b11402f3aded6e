//! XER: texts of a judge both ways, later versions, mistakes with their places, and hostile
//! messages.

use std::sync::Arc;

use polywire_asn1::per::{Per, Variant};
use polywire_asn1::xer::{Checks, Xer};
use polywire_core::walk::{Indent, Layout};
use polywire_core::{Budget, ErrorKind, Limits, Reader, Result, Sink, Tree, Writer};

mod plainly;
mod show;
mod xer_bytes;

use plainly::{Plainly, plan, resolved};
use show::{bytes, hex, show};

const PACKED: &str = include_str!("../../../testdata/asn1/Packed.asn");
const VECTORS: &str = include_str!("../../../testdata/asn1/packed-xer.txt");
const BITS: &str = include_str!("../../../testdata/asn1/packed.txt");

/// Prepares a type of assignments.
fn module(assignments: &str, name: &str) -> Xer {
    Xer::new(plan(&resolved(&format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END")), name))
}

fn walk<'m>(xer: &Xer, text: &'m str, sink: &mut dyn Sink<'m>) -> Result<()> {
    xer.reader(Checks::Remark).walk(text.as_bytes(), 0, sink, &mut Budget::new(&Limits::DEFAULT))
}

fn read(xer: &Xer, text: &str) -> Result<String> {
    let mut tree = Tree::new();
    walk(xer, text, &mut tree)?;
    let mut out = String::new();
    show(tree.root().unwrap(), &mut out);
    Ok(out)
}

fn through(xer: &Xer, text: &str, writer: &mut dyn Writer) -> Result<String> {
    let mut out = Vec::new();
    let mut sink = Plainly(writer);
    walk(xer, text, &mut sink)?;
    writer.finish(&mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn judges_texts_come_back() {
    let model = resolved(PACKED);
    let mut count = 0;
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split('\t').collect();
        let [name, text, value] = words[..] else { panic!("{line}") };
        let xer = Xer::new(plan(&model, name));
        assert_eq!(read(&xer, text).unwrap_or_else(|error| panic!("{line}: {error}")), value, "{line}");
        assert_eq!(through(&xer, text, &mut xer.relay()).unwrap(), text);
        assert_eq!(through(&xer, text, &mut xer.writer()).unwrap(), text);
        count += 1;
    }
    assert!(count > 200, "{count}");
}

/// Values are those of the other encodings: bits become text, and the same bits again.
#[test]
fn messages_of_per_come_back_through_xer() {
    let model = resolved(PACKED);
    let mut count = 0;
    for line in BITS.lines().filter(|line| !line.starts_with('#')) {
        let [name, bits, ..] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        // PER sorts it, and the judge of these bits does not.
        if name == "Many" {
            continue;
        }
        let plan = plan(&model, name);
        let (per, xer) = (Per::new(Arc::clone(&plan), Variant::Unaligned), Xer::new(plan));
        let (mut text, mut again) = (Vec::new(), Vec::new());
        let mut writer = xer.writer();
        per.reader(false).walk(&bytes(bits), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).unwrap();
        writer.finish(&mut text).unwrap_or_else(|error| panic!("{line}: {error}"));
        let _ = writer.losses();
        let mut writer = per.writer();
        walk(&xer, std::str::from_utf8(&text).unwrap(), &mut writer).unwrap_or_else(|error| panic!("{line}: {error}"));
        writer.finish(&mut again).unwrap();
        assert_eq!(hex(&again), bits, "{line}");
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn forms_that_others_write_are_read() {
    for (ty, text, shown, written) in [
        (
            "UTF8String",
            "<A>a&lt;&#x62;&amp;<![CDATA[<&>]]>\r\n<nul/><esc></esc><!-- c -->d</A>",
            "\"a<b&<&>\\u000a\\u0000\\u001bd\"",
            "<A>a&lt;b&amp;&lt;&amp;&gt;\n<nul/><esc/>d</A>",
        ),
        ("IA5String", "<A>a&#13;b</A>", "\"a\\u000db\"", "<A>a&#xD;b</A>"),
        ("UTF8String", "<?xml version=\"1.0\"?><!-- x --> <A></A> <!-- y -->", "\"\"", "<A/>"),
        ("INTEGER { one(1) }", "<A> <one/> </A>", "1", "<A>1</A>"),
        (
            "INTEGER",
            "<A>\n -123456789012345678901234567890 </A>",
            "-123456789012345678901234567890",
            "<A>-123456789012345678901234567890</A>",
        ),
        ("BIT STRING { a(0), b(9) }", "<A><b/><a></a></A>", "[\"a\",\"b\"]", "<A>1000000001</A>"),
        ("BIT STRING", "<A>1 0\n1</A>", "{\"value\":\"0xa0\",\"length\":3}", "<A>101</A>"),
        ("OCTET STRING", "<A> 0a Fb </A>", "\"0x0afb\"", "<A>0AFB</A>"),
        ("REAL", "<A>-0</A>", "-0.0", "<A>-0</A>"),
        ("REAL", "<A>1.5E3</A>", "1500.0", "<A>1500.0</A>"),
        ("REAL", "<A> <PLUS-INFINITY/> </A>", "\"F64(inf, Hint(None))\"", "<A><PLUS-INFINITY/></A>"),
        ("REAL", "<A><NOT-A-NUMBER/></A>", "\"F64(NaN, Hint(None))\"", "<A><NOT-A-NUMBER/></A>"),
        ("REAL", "<A>0.1000000000000000000001</A>", "0.1000000000000000000001", "<A>0.1000000000000000000001</A>"),
        ("DATE", "<A> 2020-01-02 </A>", "\"2020-01-02\"", "<A>2020-01-02</A>"),
        (
            "SEQUENCE OF CHOICE { a NULL, b BOOLEAN }",
            "<A> <b> <true/> </b> <a/> </A>",
            "[{\"b\":true},{\"a\":null}]",
            "<A><b><true/></b><a/></A>",
        ),
        (
            "SEQUENCE OF SEQUENCE OF OCTET STRING",
            "<A><SEQUENCE_OF><OCTET_STRING/></SEQUENCE_OF><x/></A>",
            "[[\"0x\"],[]]",
            "<A><SEQUENCE_OF><OCTET_STRING/></SEQUENCE_OF><SEQUENCE_OF/></A>",
        ),
        (
            "SEQUENCE { a NULL OPTIONAL, b BOOLEAN }",
            "<A>\n<b><false/></b>\n<a/>\n</A>",
            "{\"b\":false,\"a\":null}",
            "<A><a/><b><false/></b></A>",
        ),
    ] {
        let xer = module(&format!("A ::= {ty}"), "A");
        assert_eq!(read(&xer, text).unwrap_or_else(|error| panic!("{text}: {error}")), shown, "{text}");
        assert_eq!(through(&xer, text, &mut xer.writer()).unwrap(), written, "{text}");
    }
}

#[test]
fn parts_of_a_later_version_are_written_back() {
    let xer = module(
        "A ::= SEQUENCE { a INTEGER, ..., b B OPTIONAL, c C OPTIONAL } B ::= ENUMERATED { x, ... } C ::= CHOICE { n NULL, ..., s BOOLEAN }",
        "A",
    );
    let text = "<A><a>1</a><b><later/></b><c><other><x>1</x></other></c><d><e/>f</d><g/></A>";
    assert_eq!(through(&xer, text, &mut xer.relay()).unwrap(), text);
    let mut writer = xer.writer();
    assert!(through(&xer, text, &mut writer).unwrap_err().to_string().contains("`later`"));
    writer.reset();
    let text = text.replace("<b><later/></b>", "");
    assert_eq!(through(&xer, &text, &mut writer).unwrap(), "<A><a>1</a><c><other><x>1</x></other></c></A>");
    assert_eq!(writer.losses().len(), 2);
}

#[test]
fn mistakes_have_their_places() {
    let xer = module(
        "A ::= SEQUENCE { a INTEGER OPTIONAL, b BOOLEAN OPTIONAL, e ENUMERATED { x, y } OPTIONAL, o OCTET STRING OPTIONAL,
            v BIT STRING { p(0) } OPTIONAL, c CHOICE { n NULL } OPTIONAL, i OBJECT IDENTIFIER OPTIONAL, d DATE OPTIONAL, r REAL OPTIONAL,
            k OCTET STRING (CONTAINING BOOLEAN) OPTIONAL, z NULL OPTIONAL, s UTF8String OPTIONAL }",
        "A",
    );
    let mut wrong = Vec::new();
    for (text, place, words) in [
        ("<B/>", 0, "<A>, the element of the message's type, saw <B>"),
        ("</A>", 0, "saw </A>"),
        ("<A><q/></A>", 3, "a component: a, b, e, o, v, c, i, d, …, saw <q>"),
        ("<A><z/><z/></A>", 7, "a second element <z>"),
        ("<A><a>1.5</a></A>", 6, "a whole number without a plus sign and leading zeros, saw `1.5`"),
        ("<A><a>01</a></A>", 6, "saw `01`"),
        ("<A><a/></A>", 7, "a whole number"),
        ("<A><a><one/></a></A>", 6, "saw <one>"),
        ("<A><b>true</b></A>", 6, "<true/> or <false/>"),
        ("<A><b/></A>", 3, "<true/> or <false/>, saw <b/>"),
        ("<A><b><maybe/></b></A>", 6, "saw <maybe>"),
        ("<A><e><z/></e></A>", 6, "an enumerator: x, y, saw <z>"),
        ("<A><o>abc</o></A>", 6, "hexadecimal digits"),
        ("<A><v>012</v></A>", 8, "0 or 1"),
        ("<A><v><q/></v></A>", 6, "the name of a bit, saw <q>"),
        ("<A><c/></A>", 3, "an alternative: n"),
        ("<A><c><m/></c></A>", 6, "an alternative: n, saw <m>"),
        ("<A><c><n/><n/></c></A>", 10, "</c>"),
        ("<A><i>1.2.x</i></A>", 6, "arcs with points between"),
        ("<A><d>2020-1-1</d></A>", 6, "DATE"),
        ("<A><r>x</r></A>", 6, "a number, saw `x`"),
        ("<A><k>FF</k></A>", 3, "<BOOLEAN>, the element of its value"),
        ("<A><k><true/></k></A>", 6, "<BOOLEAN>, the element of the value's type, saw <true>"),
        ("<A><z>x</z></A>", 6, "a tag"),
        ("<A><a>1</b></A>", 7, "</a>, saw </b>"),
        ("<A x=\"1\"/>", 3, "an attribute"),
        ("<!DOCTYPE a><A/>", 0, "no document type"),
        ("<A><s>&nbsp;</s></A>", 6, "the reference to a character"),
        ("<A><s>\u{1}</s></A>", 6, "a character of XML"),
        ("<A><s>a<b/></s></A>", 7, "</s>, saw <b>"),
        ("<A/>x", 4, "the end of the message"),
        ("<A><z/>", 7, "a tag"),
        ("<A", 2, "'>'"),
    ] {
        let error = match read(&xer, text) {
            Ok(value) => panic!("{text} is read as {value}"),
            Err(error) => error,
        };
        let as_expected = (error.offset(), error.format()) == (Some(place), Some("asn1-xer")) && error.to_string().contains(words);
        if !as_expected {
            wrong.push(format!("{text} (at {place}, {words}): {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn hostile_messages_meet_limits() {
    let xer = Xer::new(plan(&resolved(PACKED), "Deep"));
    let deep = |depth: usize| format!("<Deep>{}<value>3</value>{}</Deep>", "<value>3</value><rest>".repeat(depth), "</rest>".repeat(depth));
    assert!(read(&xer, &deep(500)).is_ok());
    assert_eq!(read(&xer, &deep(600)).unwrap_err().kind(), ErrorKind::Limit);
    let xer = Xer::new(plan(&resolved(PACKED), "Open"));
    assert_eq!(read(&xer, &format!("<Open>{}", "<x>".repeat(100_000))).unwrap_err().kind(), ErrorKind::Limit);
    for ty in ["REAL", "INTEGER"] {
        let xer = module(&format!("A ::= {ty}"), "A");
        assert_eq!(read(&xer, &format!("<A>{}</A>", "9".repeat(5000))).unwrap_err().kind(), ErrorKind::Limit, "{ty}");
    }
}

#[test]
fn texts_have_the_look_that_is_asked_for() {
    let xer = module("A ::= SEQUENCE { a NULL, b SEQUENCE OF BOOLEAN, c UTF8String }", "A");
    let mut writer = xer.writer();
    assert!(writer.lay_out(&Layout::COMPACT.with_indent(Some(Indent::Spaces(2)))));
    let text = "<A>\n  <a/>\n  <b>\n    <true/>\n  </b>\n  <c> x </c>\n</A>";
    assert_eq!(through(&xer, "<A><a/><b><true/></b><c> x </c></A>", &mut writer).unwrap(), text);
    assert_eq!(through(&xer, text, &mut writer).unwrap(), text);
}

#[test]
fn mutated_messages_break_nothing() {
    let names: Vec<_> = resolved(PACKED).modules[0].types.iter().map(|(name, _)| name.to_string()).collect();
    let mut random = fastrand::Rng::with_seed(5);
    let signs: Vec<u8> = b"<>/&;!-[]?01ae \r".to_vec();
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let [name, text, ..] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let index = names.iter().position(|known| known == name).unwrap();
        let message = [&[index as u8][..], text.as_bytes()].concat();
        xer_bytes::xer(&message);
        for _ in 0..60 {
            let mut bad = message.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(1..bad.len());
                match random.u8(..4) {
                    0 => bad[at] = random.u8(..),
                    1 => bad[at] = signs[random.usize(..signs.len())],
                    2 if bad.len() > 2 => drop(bad.remove(at)),
                    _ => bad.insert(at, signs[random.usize(..signs.len())]),
                }
            }
            xer_bytes::xer(&bad);
        }
    }
}
