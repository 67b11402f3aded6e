//! Answers in formats that need a schema: `using encoder`.

use bytes::Bytes;
use polywire_core::format::Dialect;
use polywire_doc::Wanted;
use polywire_formats::registry;
use polywire_gateway::decode::Decoder;

use crate::folder::Folder;
use crate::server::Server;

const PROTO: &str = "syntax = \"proto3\"; package shop;
message Items { repeated Item items = 1; int32 total = 2; }
message Item { string title = 1; double price = 2; bool used = 3; repeated string tags = 4; }";

/// Returns a message of Protobuf as JSON.
fn read(body: &Bytes, message: &str) -> String {
    read_as("protobuf", "proto", PROTO, body, message)
}

fn read_as(format: &str, ending: &str, schema: &str, body: &Bytes, message: &str) -> String {
    let (folder, file) = (Folder::new(), format!("schema.{ending}"));
    folder.write(&file, schema);
    let dialect = Dialect::with_schema(
        registry::find(format).unwrap(),
        &folder.path().join(file),
        Some(message).filter(|name| !name.is_empty()),
        &[],
    );
    let decoded = Decoder::by_media_type().dialect(dialect.unwrap()).decode(body, None, &Wanted::everything()).unwrap();
    String::from_utf8(decoded.value.to_json()).unwrap()
}

#[tokio::test]
async fn lists_and_objects_become_messages() {
    let server = Server::new(&[
        ("routes/list.ql", "return \"{rows}\" via route '/list' using method post using encoder 'protobuf' schema 'items.proto' message 'shop.Items'"),
        (
            "routes/one.ql",
            "return \"{row}\" via route '/one' using encoder 'protobuf' schema '../routes/items.proto' message 'shop.Item' using method post \
             using encoder 'txtpb' schema 'items.proto' message 'shop.Item'",
        ),
        ("routes/items.proto", PROTO),
    ])
    .await;
    assert_eq!(server.problems, [""; 0]);
    let ask = async |path: &str, accept: &str, body: &str| {
        server.ask("POST", path, &[("content-type", "application/json"), ("accept", accept)], body.to_owned()).await
    };

    let rows = r#"{"rows":[{"title":"lamp","price":2.5,"tags":["a","b"]},{"price":1,"title":null}]}"#;
    for accept in ["application/x-protobuf", "application/protobuf", "application/vnd.google.protobuf", "application/x-protobuf, */*;q=0.1"]
    {
        let reply = ask("/list", accept, rows).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(accept.starts_with(reply.header("content-type")), "{accept}");
        assert_eq!(read(&reply.body, "shop.Items"), r#"{"items":[{"title":"lamp","price":2.5,"tags":["a","b"]},{"price":1}]}"#);
    }
    let reply = ask("/list", "application/x-protobuf", r#"{"rows":{"total":7,"items":[{"used":true}]}}"#).await;
    assert_eq!(read(&reply.body, "shop.Items"), r#"{"items":[{"used":true}],"total":7}"#);
    for accept in ["", "*/*", "application/json"] {
        assert_eq!(ask("/list", accept, rows).await.header("content-type"), "application/json", "{accept}");
    }

    let row = r#"{"row":{"title":"lamp","price":2.5}}"#;
    let reply = ask("/one", "application/x-protobuf", row).await;
    assert_eq!(read(&reply.body, "shop.Item"), r#"{"title":"lamp","price":2.5}"#);
    let reply = ask("/one", "text/x-protobuf", row).await;
    assert_eq!((reply.status.as_u16(), reply.text().replace('\n', " ").trim()), (200, "title: \"lamp\" price: 2.5"));
}

#[tokio::test]
async fn other_formats_with_schemas_are_answers_too() {
    let schema = "message item = { title : string; count : int; tags : [ string ] } message items = { list : [ item ] }";
    let server = Server::new(&[
        (
            "routes/one.ql",
            "return \"{row}\" via route '/one' using method post using encoder 'extprot' schema 'item.extprot' message 'item'",
        ),
        (
            "routes/all.ql",
            "return \"{row}\" via route '/all' using method post using encoder 'extprot' schema 'item.extprot' message 'items'",
        ),
        ("routes/item.extprot", schema),
    ])
    .await;
    assert_eq!(server.problems, [""; 0]);
    let row = r#"{"title":"lamp","count":-2,"tags":["a"]}"#;
    let headers = [("content-type", "application/json"), ("accept", "application/x-extprot")];
    let reply = server.ask("POST", "/one", &headers, format!("{{\"row\":{row}}}")).await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/x-extprot"), "{:?}", reply.body);
    assert_eq!(read_as("extprot", "extprot", schema, &reply.body, "item"), row);
    // A list is the message that holds one.
    let reply = server.ask("POST", "/all", &headers, format!("{{\"row\":[{row}]}}")).await;
    assert_eq!(read_as("extprot", "extprot", schema, &reply.body, "items"), format!("{{\"list\":[{row}]}}"));
    let reply = server.ask("POST", "/one", &headers, r#"{"row":{"title":7}}"#).await;
    assert_eq!((reply.status.as_u16(), reply.json()["path"].as_str()), (406, Some("title")), "{}", reply.text());
}

#[tokio::test]
async fn a_list_by_usds() {
    // Tags that a dictionary makes, the root that is asked for, what is sent, and what is read.
    let fields = "{ UVARINT id; STRING<UTF-8> title; }";
    let rows = r#"[{"id":1,"title":"lamp"},{"id":2,"title":"rug"}]"#;
    for (tags, message, expected) in [
        // Roots of the only tag, and the root of the only one that is an array.
        (format!("Item {fields};"), "", format!("{{\"Item\":{rows}}}")),
        (format!("Items[] {fields};"), "", format!("{{\"Items\":{rows}}}")),
        (format!("Items[] {fields}; INT count;"), "", format!("{{\"Items\":{rows}}}")),
        // The only field that is an array, and an array itself.
        (format!("Item {fields}; Reply {{ INT total = 0; Item[] items; }};"), "Reply", format!("{{\"total\":0,\"items\":{rows}}}")),
        (format!("Items[] {fields};"), "Items", rows.to_owned()),
        // No place, or two.
        (format!("Item {fields}; Other {{ INT n; }};"), "", String::new()),
        (format!("Item {fields};"), "Item", String::new()),
        (format!("Item {fields}; Reply {{ Item[] items; Item[] others; }};"), "Reply", String::new()),
    ] {
        let schema = format!("USDS 1: Shop 1.0 {{ {tags} }}");
        let of = if message.is_empty() { String::new() } else { format!(" message '{message}'") };
        let route = format!("return \"{{rows}}\" via route '/r' using method post using encoder 'usds' schema 'shop.udic'{of}");
        let server = Server::new(&[("routes/r.ql", &route), ("routes/shop.udic", &schema)]).await;
        assert_eq!(server.problems, [""; 0], "{schema}");
        let media_type = registry::find("usds").unwrap().media_types[0];
        let headers = [("content-type", "application/json"), ("accept", media_type)];
        let reply = server.ask("POST", "/r", &headers, format!("{{\"rows\":{rows}}}")).await;
        match expected.as_str() {
            "" => assert_eq!(
                (reply.status.as_u16(), reply.json()["code"].as_str()),
                (406, Some("not_acceptable")),
                "{tags}: {}",
                reply.text()
            ),
            _ => {
                assert_eq!(reply.status, 200, "{tags}: {}", reply.text());
                assert_eq!(read_as("usds", "udic", &schema, &reply.body, message), expected, "{tags}");
            }
        }
    }
}

#[tokio::test]
async fn what_does_not_fit_is_told_with_its_path() {
    let server = Server::new(&[
        (
            "routes/list.ql",
            "return \"{rows}\" via route '/list' using method post using encoder 'protobuf' schema 'items.proto' message 'shop.Items'",
        ),
        ("routes/bare.ql", "return 1 via route '/bare' using method get"),
        ("routes/items.proto", PROTO),
    ])
    .await;
    for (rows, path, what) in [
        (r#"[{"title":"a"},{"title":"b","price":"dear"}]"#, "items[1].price", "double"),
        (r#"[{"title":"a","colour":"red"}]"#, "items[0].colour", "does not have"),
        (r#"{"total":3000000000}"#, "total", "int32"),
        (r#"[{"price":[1]}]"#, "items[0].price", "double"),
        ("7", "the message itself", "record"),
    ] {
        let headers = [("content-type", "application/json"), ("accept", "application/x-protobuf")];
        let reply = server.ask("POST", "/list", &headers, format!("{{\"rows\":{rows}}}")).await;
        assert_eq!(reply.status, 406, "{rows}");
        let failure = reply.json();
        assert_eq!((failure["code"].as_str(), failure["path"].as_str()), (Some("not_acceptable"), Some(path)), "{failure}");
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(path) && message.contains(what), "{message}");
    }
    // Without a schema nobody knows how to write it.
    let reply = server.get("/bare", "application/x-protobuf").await;
    assert_eq!((reply.status.as_u16(), reply.json()["code"].as_str()), (406, Some("not_acceptable")));
}

#[tokio::test]
async fn encoders_that_cannot_be_used_are_told_when_the_route_is_loaded() {
    for (clause, what) in [
        ("'protobuf' schema 'none.proto' message 'p.M'", "none.proto"),
        ("'protobuf' schema 'items.proto' message 'shop.None'", "shop.None"),
        ("'protobuf' schema '../../items.proto'", "below the table directory"),
        ("'protobuf'", "without a schema"),
        ("'klingon'", "klingon"),
        ("'json' schema 'items.proto'", "schema"),
    ] {
        let route = format!("return 1 via route '/a' using method get using encoder {clause}");
        let server = Server::new(&[("routes/a.ql", &route), ("routes/items.proto", PROTO)]).await;
        assert!(server.problems.len() == 1 && server.problems[0].contains(what), "{clause}: {:?}", server.problems);
        assert_eq!(server.get("/a", "*/*").await.status, 404);
    }
}

#[tokio::test]
async fn descriptions_name_the_encoders() {
    let server = Server::new(&[
        ("routes/a.ql", "return [] via route '/a' using method get using encoder 'protobuf' schema 'items.proto' message 'shop.Items'"),
        ("routes/items.proto", PROTO),
    ])
    .await;
    let reply = server.get("/route?path=/a&method=get", "application/json").await;
    let encoder = serde_json::json!([{"format": "protobuf", "schema": "items.proto", "message": "shop.Items"}]);
    assert_eq!(reply.json()["encoders"], encoder);
}
