//! Tables of services of Protocol Buffers.

use std::io;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Loaded, Loader, NoFiles};
use polywire_import::proto::{self, Protocol};
use polywire_import::{Imported, Settings};

const SHOP: &str = "syntax = \"proto3\"; package shop; import \"page.proto\";
message Query {
  // Words to find.
  string text = 1;
  repeated string tags = 3;
  Page page = 4;
  Colour colour = 5;
  map<string, Query> more = 6;
}
enum Colour { RED = 0; BLUE = 1; }
message Found { string title = 1; int32 left = 2; }
message Empty {}
// All items.
service Items {
  // Finds items.
  //
  // By words.
  rpc Find(Query) returns (Found);
  rpc Sell(Found) returns (Empty);
  rpc Watch(Query) returns (stream Found);
}
service items { rpc find(Query) returns (Found); }";

/// The file that the service imports.
struct Page;

impl Loader for Page {
    fn load(&mut self, path: &str) -> io::Result<Loaded> {
        match path.ends_with("page.proto") {
            true => {
                Ok(Loaded { bytes: b"syntax = \"proto3\"; package shop; message Page { int32 from = 1; }".to_vec(), identity: path.into() })
            }
            false => NoFiles.load(path),
        }
    }
}

fn import(protocol: Protocol, settings: &Settings) -> Imported {
    let text = SchemaText { name: "protos/shop.proto", bytes: SHOP.as_bytes(), identity: "shop.proto" };
    proto::import(&text, &mut Page, protocol, settings).unwrap()
}

#[test]
fn unary_methods_are_tables() {
    let imported = import(Protocol::Grpc, &Settings::default());
    let expected = "\
-- `shop.Items/Find`
-- Finds items.
--
-- By words.
--
-- - `text`: string. Words to find.
-- - `tags`: list of string
-- - `page.from`: int32
-- - `colour`: one of `RED`, `BLUE`
-- - `more`: map of shop.Query.MoreEntry
--
-- Returns `shop.Found`: `title`, `left`.
create table Items.Find
  on select post to '{config.shop.server}/shop.Items/Find'
    using encoder 'protobuf-grpc' schema 'shop.protoset' message 'shop.Query'
    using decoder 'protobuf-grpc' schema 'shop.protoset' message 'shop.Found';
";
    assert_eq!(imported.tables[0].text(), expected);
    let names: Vec<&str> = imported.tables.iter().map(|table| &*table.name).collect();
    assert_eq!(names, ["Items.Find", "Items.Sell", "items.find_2"]);
    let verbs: Vec<&str> = imported.tables[1].actions.iter().map(|action| action.verb).collect();
    assert_eq!(verbs, ["insert"]);
    assert_eq!((imported.operations, imported.made, imported.remarks.len()), (4, 3, 1));
    // The file stands alone: it has what was imported.
    let (name, set) = &imported.files[0];
    let again = SchemaText { name, bytes: set, identity: "" };
    let again = proto::import(&again, &mut NoFiles, Protocol::Grpc, &Settings::default()).unwrap();
    assert_eq!((again.made, again.files[0].0.as_str()), (3, "shop.protoset"));
}

#[test]
fn wishes_of_the_user() {
    let settings = Settings { prefix: Some("a.b".into()), server: Some("http://127.0.0.1:81/".into()), select: true };
    let imported = import(Protocol::Connect, &settings);
    let text = imported.tables[1].text();
    for line in [
        "create table a.b.Items.Sell",
        "  on select post to 'http://127.0.0.1:81/shop.Items/Sell'",
        "  on insert post to 'http://127.0.0.1:81/shop.Items/Sell'",
        "    using headers 'Connect-Protocol-Version' = '1'",
        "    using encoder 'protobuf' schema 'shop.protoset' message 'shop.Found'",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    assert!(imported.needs.is_empty());
}

#[test]
fn what_cannot_be_read_is_refused() {
    for (text, expected) in [
        ("syntax = \"proto3\"; message A {}", "without a service"),
        ("syntax = \"proto3\"; import \"gone.proto\"; service S {}", "gone.proto"),
        ("syntax = \"proto3\"; service S { rpc A(B) returns (B); }", "B"),
        ("service", ""),
    ] {
        let text = SchemaText { name: "a.proto", bytes: text.as_bytes(), identity: "" };
        let error = proto::import(&text, &mut NoFiles, Protocol::Grpc, &Settings::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
