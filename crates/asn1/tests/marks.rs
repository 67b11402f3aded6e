//! Marks of other formats around values whose types a module declares.

use polywire_asn1::{APER, BER, CER, COER, CXER, DER, JER, OER, UPER, XER};
use polywire_core::Value;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;

const MODULE: &[u8] = b"M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
T ::= SEQUENCE {
  flag BOOLEAN, nothing NULL, number INTEGER, small INTEGER (0..7), real REAL, single REAL, bits BIT STRING,
  octets OCTET STRING, oid OBJECT IDENTIFIER, text UTF8String, day DATE
} END";

fn members() -> Vec<(&'static str, Value)> {
    vec![
        ("flag", Value::Bool(true)),
        ("nothing", Value::Null),
        ("number", Value::Int(-5)),
        ("small", Value::UInt(5)),
        ("real", Value::F64(1.5)),
        ("single", Value::text("-INF")),
        ("bits", Value::Bytes(vec![0xa5])),
        ("octets", Value::Bytes(vec![1, 2, 3])),
        ("oid", Value::text("1.2.840")),
        ("text", Value::text("text")),
        ("day", Value::text("2026-01-31")),
    ]
}

#[test]
fn each_mark_that_is_dropped_is_a_loss() {
    for format in [&BER, &DER, &CER, &UPER, &APER, &OER, &COER, &JER, &XER, &CXER] {
        let schema = SchemaText { name: "m.asn", bytes: MODULE, identity: "" };
        let bound = format.binder.expect("it takes modules").bind_text(&schema, &mut NoFiles, Some("M.T")).unwrap();
        let mut writer = bound.writer().expect("it writes");
        let mut written = |value: Value| {
            writer.reset();
            value.emit(&mut *writer).unwrap();
            let mut out = Vec::new();
            writer.finish(&mut out).unwrap_or_else(|error| panic!("{}: {error}", format.name));
            (out, writer.losses())
        };
        let (plain, losses) = written(Value::record(members()));
        assert!(losses.is_empty(), "{}: {losses:?}", format.name);
        let marked =
            members().into_iter().map(|(name, value)| (name, Value::Tagged { space: "other".into(), code: 7, value: Box::new(value) }));
        let (same, losses) = written(Value::record(marked.collect::<Vec<_>>()));
        assert_eq!(same, plain, "{}", format.name);
        assert_eq!(losses.len(), members().len(), "{}: {losses:?}", format.name);
    }
}
