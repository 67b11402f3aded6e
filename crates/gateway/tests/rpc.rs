//! Tables of gRPC, Connect and SOAP services, over HTTP/2 without TLS.

mod folder;

use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use folder::Folder;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use polywire_gateway::server::{Gateway, Start, explain, query};
use polywire_ql::error::QueryError;
use polywire_ql::execute::Catalog;
use polywire_ql::explain::Asked;
use tokio::net::TcpListener;

const PROTO: &str = "syntax = \"proto3\"; package shop;
message Query { string text = 1; int32 most = 2; repeated string tags = 3; Page page = 4; }
message Page { int32 from = 1; }
message Found { string title = 1; int32 left = 2; }
service Items { rpc Find(Query) returns (Found); }";

const TABLES: &str = "create table find on select post to '$BASE/shop.Items/Find' using defaults most = 5
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found'
  on insert post to '$BASE/shop.Items/Find'
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found';
create table kept on select post to '$BASE/shop.Items/Find'
  using encoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf-grpc' schema 'shop.proto' message 'shop.Found' expires 60;
create table connected on select post to '$BASE/shop.Items/Find' using headers 'Connect-Protocol-Version' = '1'
  using encoder 'protobuf' schema 'shop.proto' message 'shop.Query'
  using decoder 'protobuf' schema 'shop.proto' message 'shop.Found';
create table shown on select post to '$BASE/shop.Items/Find' using headers 'Connect-Protocol-Version' = '1' using encoder 'json';
create table soap.one on select post to '$BASE/soap' using headers 'SOAPAction' = 'urn:shop/Find' using defaults most = 5
  resultset 'item' using soap '1.1' element '{urn:shop}Find';
create table soap.ordered on select post to '$BASE/soap' using soap '1.1' element '{urn:shop}Find' order 'tags', 'page.size', 'page.from', 'text';
create table soap.kept on select post to '$BASE/soap' expires 60 using soap '1.1' element '{urn:shop}Find';
create table soap.two on select post to '$BASE/soap' using headers 'SOAPAction' = 'urn:shop/Find'
  using soap '1.2' element '{urn:shop}s:Find';
create table soap.templated on select post to '$BASE/soap' using bodyTemplate 'body.mu' type 'application/xml' using soap '1.1';
create table soap.empty on select post to '$BASE/soap' using soap '1.1';
create table soap.three on select post to '$BASE/soap' using soap '1.3' element 'a';
create table soap.element on select post to '$BASE/soap' using soap '1.1' element '{u}a b';
create table soap.get on select get from '$BASE/soap' using soap '1.1' element 'a';
create table encoded on select get from '$BASE/soap' using encoder 'json';";

type Served = (HeaderMap, Bytes);

/// A service's next reply.
#[derive(Clone, Default)]
struct Reply {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
    trailers: Vec<(&'static str, &'static str)>,
}

struct World {
    gateway: Gateway,
    reply: Arc<Mutex<Reply>>,
    seen: Arc<Mutex<Vec<Served>>>,
    _folder: Folder,
}

impl World {
    async fn new() -> World {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (reply, seen) = (Arc::new(Mutex::new(Reply::default())), Arc::new(Mutex::new(Vec::new())));
        tokio::spawn(serve(listener, reply.clone(), seen.clone()));
        let folder = Folder::new();
        folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "http2Hosts": ["127.0.0.1"]}"#);
        folder.write("tables/shop.proto", PROTO);
        folder.write("tables/body.mu", "<f:Find xmlns:f=\"urn:shop\">{{params.text}}</f:Find>");
        folder.write("tables/all.ql", TABLES.replace("$BASE", &base));
        let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
        let problems: Vec<String> = gateway.directory().problems.iter().map(ToString::to_string).collect();
        assert!(problems.is_empty(), "{}", problems.join("; "));
        World { gateway, reply, seen, _folder: folder }
    }

    fn next(&self, reply: Reply) {
        *self.reply.lock().unwrap() = reply;
    }

    async fn ask(&self, script: &str) -> Result<String, QueryError> {
        let execution = query(&self.gateway, script, None).await.unwrap();
        execution.result.map(|value| String::from_utf8(value.unwrap_or_default().to_json()).unwrap())
    }

    async fn failure(&self, script: &str, code: &str) -> QueryError {
        let failure = self.ask(script).await.unwrap_err();
        assert_eq!(failure.parts().code, code, "{failure}");
        failure
    }

    fn last(&self) -> Served {
        self.seen.lock().unwrap().last().unwrap().clone()
    }

    fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

async fn serve(listener: TcpListener, reply: Arc<Mutex<Reply>>, seen: Arc<Mutex<Vec<Served>>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (reply, seen) = (reply.clone(), seen.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (reply, seen) = (reply.clone(), seen.clone());
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect().await.unwrap().to_bytes();
                seen.lock().unwrap().push((parts.headers, body));
                let reply = reply.lock().unwrap().clone();
                let mut response = Response::builder().status(reply.status);
                for (name, value) in reply.headers {
                    response = response.header(name, value);
                }
                let trailers: HeaderMap =
                    reply.trailers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
                let frames = [Frame::data(Bytes::from(reply.body)), Frame::trailers(trailers)].map(Ok::<_, Infallible>);
                Ok::<_, Infallible>(response.body(StreamBody::new(futures_util::stream::iter(frames))).unwrap())
            }
        });
        tokio::spawn(async move { auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await.is_ok() });
    }
}

fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    [&[flag][..], &u32::try_from(message.len()).unwrap().to_be_bytes(), message].concat()
}

/// `{"title": "lamp", "left": 3}`.
const LAMP: &[u8] = b"\x0a\x04lamp\x10\x03";

const GRPC: (&str, &str) = ("content-type", "application/grpc");

fn grpc(body: Vec<u8>) -> Reply {
    Reply { status: 200, headers: vec![GRPC], body, trailers: vec![("grpc-status", "0")] }
}

#[tokio::test]
async fn parameters_are_a_message_of_grpc() {
    let world = World::new().await;
    world.next(grpc(frame(0, LAMP)));
    let answer = world.ask("select * from find where text = 'a&b' and page.from = 7 and tags in ('x', 'y')").await.unwrap();
    assert_eq!(answer, r#"{"title":"lamp","left":3}"#);
    let (headers, body) = world.last();
    assert_eq!((headers["content-type"].as_bytes(), headers["te"].as_bytes()), (GRPC.1.as_bytes(), &b"trailers"[..]));
    assert_eq!(body, frame(0, b"\x0a\x03a&b\x10\x05\x1a\x01x\x1a\x01y\x22\x02\x08\x07"));
    assert_eq!(world.ask("select title from find where most = 9").await.unwrap(), r#"["lamp"]"#);
    assert_eq!(world.last().1, frame(0, b"\x10\x09"));
    world.ask("insert into find (text) values ('c')").await.unwrap();
    assert_eq!(world.last().1, frame(0, b"\x0a\x01c"));
    let failure = world.failure("select * from find where colour = 'red'", "bad_parameter").await;
    assert!(failure.to_string().contains("colour"), "{failure}");
}

#[tokio::test]
async fn statuses_of_grpc_are_errors() {
    let world = World::new().await;
    let only = |headers: &[(&'static str, &'static str)]| Reply { status: 200, headers: headers.to_vec(), ..Reply::default() };
    for (reply, expected) in [
        (only(&[GRPC, ("grpc-status", "5"), ("grpc-message", "no l%C3%A4mp%")]), "NOT_FOUND: no l\u{e4}mp%"),
        (Reply { trailers: vec![("grpc-status", "16")], ..grpc(Vec::new()) }, "UNAUTHENTICATED"),
        (Reply { trailers: vec![("grpc-status", "99")], ..grpc(Vec::new()) }, "UNKNOWN"),
        (Reply { trailers: Vec::new(), ..grpc(frame(0, LAMP)) }, "INTERNAL: the reply ended without grpc-status"),
        (Reply { status: 403, ..Reply::default() }, "PERMISSION_DENIED: no grpc-status"),
        (grpc(Vec::new()), "INTERNAL: a reply of 0 bytes has no message"),
        (grpc([frame(0, LAMP), frame(0, LAMP)].concat()), "INTERNAL: a message of 8 bytes in a reply that has 21 bytes for it"),
        (grpc(frame(1, LAMP)), "INTERNAL: a message is compressed by nothing that is named, expected gzip"),
    ] {
        world.next(reply);
        // The cache keeps no error.
        for table in ["find", "kept"] {
            let failure = world.failure(&format!("select * from {table} where text = 'a'"), "rpc_status").await;
            assert_eq!(failure.parts().message, format!("The service answered {expected}"));
            let code = expected.split(':').next().unwrap();
            assert!(failure.parts().details.iter().any(|(name, value)| *name == "rpcStatus" && value.view().as_str() == Some(code)));
        }
    }
    world.next(grpc(frame(0, b"\x0a\x7f")));
    world.failure("select * from find where text = 'a'", "bad_reply").await;
}

#[tokio::test]
async fn statuses_are_explained_and_counted() {
    let world = World::new().await;
    for (reply, expected) in [
        (grpc(frame(0, LAMP)), "OK"),
        (Reply { trailers: vec![("grpc-status", "5")], ..grpc(Vec::new()) }, "NOT_FOUND"),
        (Reply { trailers: vec![("grpc-status", "5")], ..grpc(Vec::new()) }, "NOT_FOUND"),
    ] {
        world.next(reply);
        let explained = explain(&world.gateway, Asked::Analysis, "select * from find where text = 'a'", None).await.unwrap();
        assert!(explained.text.contains(&format!(", {expected}")), "{}", explained.text);
        let status = explained.execution.unwrap().requests[0].rpc_status;
        assert_eq!(status, Some(expected));
        let shown = explained.value.view().get("steps").and_then(|steps| steps.index(0)?.get("requests")?.index(0)?.get("rpcStatus"));
        assert_eq!(shown.and_then(|status| status.as_str()), Some(expected));
    }
    let metrics = world.gateway.metrics_text();
    for line in ["{status=\"NOT_FOUND\",table=\"find\"} 2", "{status=\"OK\",table=\"find\"} 1"] {
        assert!(metrics.contains(&format!("polywire_table_rpc_total{line}")), "{metrics}");
    }
}

#[tokio::test]
async fn services_learn_how_long_a_statement_waits() {
    let world = World::new().await;
    world.next(grpc(frame(0, LAMP)));
    let left = |world: &World, header: &str| -> u64 {
        let (headers, _) = world.last();
        headers[header].to_str().unwrap().trim_end_matches('m').parse().unwrap()
    };
    world.ask("select * from find where text = 'a' timeout 700").await.unwrap();
    assert!((1..=700).contains(&left(&world, "grpc-timeout")));
    world.ask("select * from find where text = 'a' timeout 100000000").await.unwrap();
    // The answer's deadline is sooner.
    assert!((701..=60_000).contains(&left(&world, "grpc-timeout")));
}

#[tokio::test]
async fn messages_of_grpc_may_be_compressed_and_kept() {
    let world = World::new().await;
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(LAMP).unwrap();
    let body = frame(1, &writer.finish().unwrap());
    world.next(Reply { headers: vec![GRPC, ("grpc-encoding", "gzip")], ..grpc(body) });
    for _ in 0..2 {
        assert_eq!(world.ask("select * from kept where text = 'a'").await.unwrap(), r#"{"title":"lamp","left":3}"#);
    }
    assert_eq!(world.count(), 1);
}

#[tokio::test]
async fn connect_has_plain_messages_and_errors_as_json() {
    let world = World::new().await;
    world.next(Reply { status: 200, headers: vec![("content-type", "application/proto")], body: LAMP.to_vec(), ..Reply::default() });
    assert_eq!(world.ask("select title from connected where text = 'a'").await.unwrap(), r#"["lamp"]"#);
    let (headers, body) = world.last();
    let named = ["connect-protocol-version", "content-type"].map(|name| headers[name].to_str().unwrap());
    assert_eq!((named, &body[..]), (["1", "application/proto"], &b"\x0a\x01a"[..]));
    let json = |status, body: &str| Reply {
        status,
        headers: vec![("content-type", "application/json")],
        body: body.as_bytes().to_vec(),
        ..Reply::default()
    };
    world.next(json(200, r#"{"title":"lamp"}"#));
    assert_eq!(world.ask("select * from shown where text = 'a' and page.from = 2").await.unwrap(), r#"{"title":"lamp"}"#);
    assert_eq!(world.last().1, r#"{"text":"a","page":{"from":2}}"#);
    for (reply, expected) in [
        (json(404, r#"{"code":"not_found","message":"no lamp"}"#), "NOT_FOUND: no lamp"),
        (json(499, r#"{"code":"canceled"}"#), "CANCELLED"),
        (json(429, r#"{"code":"odd"}"#), "UNAVAILABLE"),
        (json(502, "<html>"), "UNAVAILABLE: no error of Connect"),
    ] {
        world.next(reply);
        let failure = world.failure("select * from shown where text = 'a'", "rpc_status").await;
        assert_eq!(failure.parts().message, format!("The service answered {expected}"));
    }
}

fn xml(status: u16, body: &str) -> Reply {
    let headers = vec![("content-type", "text/xml; charset=utf-8")];
    Reply { status, headers, body: body.as_bytes().to_vec(), ..Reply::default() }
}

const OPENED: &str =
    "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Header><t>1</t></e:Header><e:Body xmlns:n='urn:shop'>";
const CLOSED: &str = "</e:Body></e:Envelope>";

#[tokio::test]
async fn parameters_are_an_envelope() {
    let world = World::new().await;
    world.next(xml(200, &format!("{OPENED}<n:Found xmlns='urn:shop'><item><title>lamp</title></item></n:Found>{CLOSED}")));
    let answer = world.ask("select * from soap.one where text = '<a>&\"\u{e4}' and tags in ('x', 'y') and page.from = 2").await.unwrap();
    assert_eq!(answer, r#"{"title":"lamp"}"#);
    let (headers, body) = world.last();
    assert_eq!(
        (headers["content-type"].as_bytes(), headers["soapaction"].as_bytes()),
        (&b"text/xml; charset=utf-8"[..], &b"\"urn:shop/Find\""[..])
    );
    let start =
        |namespace: &str| format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"{namespace}\"><soap:Body>");
    let end = "</soap:Body></soap:Envelope>";
    let v11 = start("http://schemas.xmlsoap.org/soap/envelope/");
    let inner = "<Find xmlns=\"urn:shop\"><text>&lt;a&gt;&amp;&quot;\u{e4}</text><tags>x</tags><tags>y</tags><page><from>2</from></page><most>5</most></Find>";
    assert_eq!(body, format!("{v11}{inner}{end}"));

    world
        .ask("select * from soap.ordered where more = 1 and text = 'a' and page.from = 2 and tags in ('x', 'y') and page.size = 3")
        .await
        .unwrap();
    let inner =
        "<Find xmlns=\"urn:shop\"><tags>x</tags><tags>y</tags><page><size>3</size><from>2</from></page><text>a</text><more>1</more></Find>";
    assert_eq!(world.last().1, format!("{v11}{inner}{end}"));

    world.ask("select * from soap.two where text = 'a'").await.unwrap();
    let (headers, body) = world.last();
    assert_eq!(headers["content-type"], "application/soap+xml; charset=utf-8; action=\"urn:shop/Find\"");
    assert!(!headers.contains_key("soapaction"));
    let inner = "<s:Find xmlns:s=\"urn:shop\"><text>a</text></s:Find>";
    assert_eq!(body, format!("{}{inner}{end}", start("http://www.w3.org/2003/05/soap-envelope")));

    let named = "<n:Found><n:item xmlns:m='urn:more'><n:title>lamp</n:title><m:title>rug</m:title></n:item></n:Found>";
    world.next(xml(200, &format!("{OPENED}{named}{CLOSED}")));
    let row = world.ask("select * from soap.one where text = 'b'").await.unwrap();
    assert_eq!(row, r#"{"title":"lamp","m:title":"rug"}"#, "names have no prefixes, unless two would be one");

    world.ask("select * from soap.templated where text = 'a<b'").await.unwrap();
    assert_eq!(world.last().1, format!("{v11}<f:Find xmlns:f=\"urn:shop\">a&lt;b</f:Find>{end}"));

    let sent = world.count();
    for (script, code) in [
        ("select * from soap.one where a:b = 'x'", "bad_parameter"),
        ("select * from soap.one where text = 'a\u{1}'", "bad_parameter"),
        ("select * from soap.empty", "bad_table"),
        ("select * from soap.three", "bad_table"),
        ("select * from soap.element", "bad_table"),
        ("select * from soap.get", "bad_table"),
        ("select * from encoded", "bad_table"),
    ] {
        world.failure(script, code).await;
    }
    assert_eq!(world.count(), sent);
}

#[tokio::test]
async fn faults_are_errors() {
    let world = World::new().await;
    let one = format!("{OPENED}<e:Fault><faultcode>e:Client</faultcode><faultstring xml:lang='en'>no lamp</faultstring></e:Fault>{CLOSED}");
    let two = format!(
        "{OPENED}<e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>n:No</e:Value></e:Subcode></e:Code>\
         <e:Reason><e:Text xml:lang='en'>no lamp</e:Text><e:Text xml:lang='de'>keine</e:Text></e:Reason></e:Fault>{CLOSED}"
    );
    for (status, body, expected) in [(500, &one, "e:Client"), (200, &one, "e:Client"), (500, &two, "e:Sender"), (200, &two, "e:Sender")] {
        world.next(xml(status, body));
        // The cache keeps no fault.
        for table in ["soap.one", "soap.kept"] {
            let failure = world.failure(&format!("select * from {table} where text = 'a'"), "soap_fault").await;
            assert_eq!(failure.parts().message, format!("The service answered with the fault {expected}: no lamp"));
            assert_eq!(failure.parts().upstream_status, Some(status));
        }
    }
    for (status, body, code) in [
        (503, "down", "upstream_status"),
        (500, "<html><body/></html>", "upstream_status"),
        (200, "<html><body/></html>", "bad_reply"),
        (200, "<e:Envelope><e:Body>", "bad_reply"),
        (200, "", "bad_reply"),
    ] {
        world.next(xml(status, body));
        world.failure("select * from soap.one where text = 'a'", code).await;
    }
    world.next(xml(200, &format!("{OPENED}{CLOSED}")));
    assert_eq!(world.ask("select * from soap.kept where text = 'b'").await.unwrap(), "null");
}

#[test]
fn formats_and_schemas_are_looked_at_when_tables_are_loaded() {
    let folder = Folder::new();
    folder.write("config.json", "{}");
    folder.write("tables/shop.proto", PROTO);
    let clauses =
        "using encoder 'protobuf-grpc' schema 'SCHEMA' message 'shop.MESSAGE' using decoder 'DECODER' schema 'SCHEMA' message 'shop.Found'";
    let table = |name: &str, schema: &str, message: &str, decoder: &str| {
        let clauses = clauses.replace("SCHEMA", schema).replace("MESSAGE", message).replace("DECODER", decoder);
        folder.write(&format!("tables/{name}.ql"), format!("create table {name} on select post to 'http://h.example/x' {clauses};"));
    };
    table("right", "shop.proto", "Query", "protobuf-grpc");
    table("away", "gone.proto", "Query", "protobuf-grpc");
    table("unknown", "shop.proto", "Query2", "protobuf-grpc");
    table("odd", "shop.proto", "Query", "protobug");
    let loaded = |strict: bool| {
        folder.write("config.json", format!("{{\"strict\": {strict}}}"));
        let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
        let directory = gateway.directory();
        let problems: Vec<String> = directory
            .problems
            .iter()
            .flat_map(|problems| problems.findings.iter().map(|finding| format!("{} {}", finding.code, finding.message)))
            .collect();
        let tables = ["right", "away", "unknown", "odd"].map(|name| directory.table(name).is_some());
        (problems, tables)
    };
    let (problems, tables) = loaded(false);
    assert_eq!(tables, [true; 4]);
    assert_eq!(problems.len(), 4, "{problems:?}");
    for (expected, code) in [
        ("table away, on select: `using encoder`: ", "bad_encoder"),
        ("table away, on select: `using decoder`: ", "bad_decoder"),
        ("table unknown, on select: `using encoder`: ", "bad_encoder"),
        ("table odd, on select: `using decoder`: ", "bad_decoder"),
    ] {
        assert!(problems.iter().any(|problem| problem.starts_with(&format!("{code} {expected}"))), "{problems:?}");
    }
    let (problems, tables) = loaded(true);
    assert_eq!((tables, problems.len()), ([true, false, false, false], 4), "{problems:?}");
}
