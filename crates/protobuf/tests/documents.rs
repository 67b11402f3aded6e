//! Documents made by the reader, of messages with mostly unwanted fields, are those of a walk.

use std::sync::Arc;

use bytes::Bytes;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::{Budget, ErrorKind, Limits, Reader, Result};
use polywire_doc::{Datum, DocSink, DocumentReader, Read, Reading, Repeated, Shape, Wanted};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source;
use polywire_protobuf::testing::{Rng, message};
use polywire_protobuf::walk::ProtobufReader;
use polywire_protobuf::wire::framing::Framing;
use polywire_testing::mutate;

const SCHEMA: &str = "syntax = \"proto2\"; package t;
    message Reply { optional string ack = 1; repeated Item item = 2; required uint32 total = 3; }
    message Item { required string id = 1; optional bool a = 2; optional int64 b = 3; repeated string c = 4; optional Part d = 5; required Part e = 6;
        repeated sint32 f = 7 [packed = true]; repeated fixed32 g = 8; optional Kind h = 9; map<string, Part> i = 10; optional double j = 11;
        oneof k { string l = 12; Part m = 13; } optional group N = 14 { optional string o = 1; } optional string title = 16; repeated Part p = 17;
        optional fixed64 q = 18; repeated bool r = 2000; optional bytes s = 20; optional float t = 21; optional Item item = 300; }
    message Part { optional string x = 1; required string y = 2; repeated Part z = 3; }
    enum Kind { PLAIN = 0; ODD = 3; }";

fn text(read: Result<Read>) -> Result<String, String> {
    read.map(|read| String::from_utf8(Datum::from(read.doc).to_json()).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn documents_are_those_of_a_walk() {
    let schema = SchemaText { name: "t.proto", bytes: SCHEMA.as_bytes(), identity: "t.proto" };
    let pool = source::read(&schema, &mut NoFiles).unwrap_or_else(|found| panic!("{found}")).pool;
    let mut written = Wanted::nothing();
    written.write(["item"]);
    written.write(["ack"]);
    let selections = [
        written,
        Wanted::paths([["item", "id"], ["item", "title"]]),
        Wanted::paths([vec!["item", "p", "y"], vec!["item", "b"], vec!["total"]]),
        Wanted::paths([vec!["item", "item", "j"], vec!["item", "k"], vec!["item", "r"], vec!["item", "i", "y"]]),
        Wanted::everything(),
    ];
    let shape = Shape::default();
    let mut rng = Rng::with_seed(15);
    for n in 0..1500 {
        // A new plan has seen no message out of order.
        let plan = Arc::new(Plan::named(&pool, Some("t.Reply")).unwrap());
        let mut bytes = message(&mut rng, &plan, n % 3 == 0);
        for round in 0..3 {
            let body = Bytes::from(bytes.clone());
            for wanted in &selections {
                let reading = Reading { wanted, shape: &shape, header: false, utf8: false };
                let read = |limits: &Limits| {
                    let mut budget = Budget::new(limits);
                    let mut reader = ProtobufReader::new(Arc::clone(&plan), Framing::Whole);
                    (reader.document(&body, &reading, &mut budget).unwrap(), limits.items - budget.inner(0).limits().items)
                };
                let mut sink = DocSink::new(body.clone(), wanted, Repeated::Group);
                let mut reader = ProtobufReader::new(Arc::clone(&plan), Framing::Whole);
                let walk = reader.walk(&body, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT));
                let walk = text(walk.and_then(|()| sink.finish(body.len() as u64)).map(|(doc, skipped)| Read { doc, skipped }));
                assert_eq!(text(read(&Limits::DEFAULT).0), walk, "{n}, {round}: {bytes:?}");
                // Fields that are stepped over in a row count one by one.
                let (Ok(_), items) = read(&Limits::DEFAULT) else { continue };
                assert!(read(&Limits::DEFAULT.with_items(items)).0.is_ok(), "{n}, {round}: {bytes:?}");
                let error = read(&Limits::DEFAULT.with_items(items - 1)).0.expect_err("an item too many");
                assert_eq!(error.kind(), ErrorKind::Limit, "{n}, {round}: {bytes:?}");
            }
            bytes = mutate(&mut rng, &bytes);
        }
    }
}
