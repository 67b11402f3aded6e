//! Messages of 13 kinds as systems have them, at real size, the same in every run.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// One kind of input.
pub struct Input {
    /// File name.
    pub name: &'static str,
    /// Name of its format.
    pub format: &'static str,
    /// Its messages.
    pub bytes: Vec<u8>,
}

/// Returns all kinds.
pub fn all() -> Vec<Input> {
    let input = |name, format, bytes: Vec<u8>| Input { name, format, bytes };
    vec![
        input("orders.jsonl", "jsonl", lines((0..2000).map(order))),
        input("log.jsonl", "jsonl", lines((0..5000).map(event))),
        input("prices.csv", "csv", prices().into()),
        input("feed.xml", "xml", feed().into()),
        input("deployments.yaml", "yaml", deployments().into()),
        input("bom.xml", "xml", bom().into()),
        input("pom.xml", "xml", pom().into()),
        input("openapi.yaml", "yaml", openapi().into()),
        input("archive.json", "json", archive().to_string().into()),
        input("extensions.msgpack", "msgpack", extensions()),
        input("tags.cbor", "cbor", tags()),
        input("documents.bson", "bson", documents()),
        input("map.geojson", "json", map().to_string().into()),
    ]
}

fn lines(values: impl Iterator<Item = Value>) -> Vec<u8> {
    values.flat_map(|value| format!("{value}\n").into_bytes()).collect()
}

/// Nested, with optional, null and mixed fields.
fn order(n: usize) -> Value {
    let line =
        |k: usize| json!({"sku": format!("S-{}", (n * 31 + k) % 500), "qty": k + 1, "price": ((n * 37 + k * 11) % 9900) as f64 / 100.0});
    let mut order = json!({
        "order-id": n + 1,
        "placedAt": format!("2026-01-{:02}T10:00:00Z", n % 28 + 1),
        "customer": {"name": format!("Name {}", n * 7 % 900), "eMail": (!n.is_multiple_of(7)).then(|| format!("a{n}@x.example"))},
        "lines": (0..n % 4).map(line).collect::<Vec<Value>>(),
        "status": (["open", "paid", "sent"][n * 5 % 3]),
    });
    if n.is_multiple_of(3) {
        order["note"] = json!(format!("note {n}"));
    }
    if n.is_multiple_of(5) {
        order["ref"] = if n.is_multiple_of(2) { json!(n) } else { json!(format!("R{n}")) };
    }
    order
}

fn event(n: usize) -> Value {
    json!({
        "@timestamp": format!("2026-01-01T{:02}:{:02}:{:02}Z", n / 3600, n / 60 % 60, n % 60),
        "level": (["INFO", "WARN", "ERROR"][n * 7 % 3]),
        "msg": format!("event {}", n % 97),
        "ctx": {"userId": n * 7919 % 1_000_003, "class": "a.b.C", "dur_ms": (n % 100) as f64 / 8.0 + 0.0625},
    })
}

fn prices() -> String {
    let mut text = "id,Name,price\n".to_string();
    for n in 0..1000 {
        let _ = writeln!(text, "{n},item {n},{}.{:02}", n * 13 % 900, n * 7 % 100);
    }
    text
}

fn feed() -> String {
    let mut text =
        r#"<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title><atom:link href="http://x.example/f"/>"#
            .to_string();
    for n in 0..300 {
        let _ = write!(
            text,
            "<item><title>T {n}</title><guid isPermaLink=\"false\">g{n}</guid><description><![CDATA[<b>d</b> {n}]]></description></item>"
        );
    }
    text + "</channel></rss>"
}

fn deployments() -> String {
    let mut text = String::new();
    for n in 0..100 {
        let _ = write!(
            text,
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-{n}\n  labels:\n    app.kubernetes.io/name: a{n}\n    tier: web\n\
             spec:\n  replicas: {}\n  template:\n    spec:\n      containers:\n      - name: c\n        image: x:{n}\n        ports:\n        \
             - containerPort: 80\n        args: [\"-a\", \"b\"]\n",
            n % 5 + 1
        );
    }
    text
}

fn bom() -> String {
    let mut text = r#"<bom xmlns="http://cyclonedx.org/schema/bom/1.5" serialNumber="urn:uuid:1" version="1"><components>"#.to_string();
    for n in 0..300 {
        let licence = if n % 2 == 1 { "<licenses><license><id>MIT</id></license></licenses>" } else { "" };
        let _ = write!(
            text,
            "<component type=\"library\" bom-ref=\"p{n}\"><name>n{n}</name><version>1.{n}</version>\
             <hashes><hash alg=\"SHA-256\">{n:064x}</hash></hashes>{licence}<purl>pkg:npm/n{n}@1.{n}</purl></component>"
        );
    }
    text + "</components></bom>"
}

fn pom() -> String {
    let mut text = r#"<project xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"><modelVersion>4.0.0</modelVersion><properties><java.version>17</java.version><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies>"#.to_string();
    for n in 0..80 {
        let scope = if n % 3 > 0 { "<scope>test</scope>" } else { "" };
        let _ =
            write!(text, "<dependency><groupId>g{n}</groupId><artifactId>a{n}</artifactId><version>1.{n}</version>{scope}</dependency>");
    }
    text + "</dependencies></project>"
}

fn openapi() -> String {
    let mut text = "openapi: 3.0.3\ninfo: {title: A, version: \"1\"}\npaths:\n".to_string();
    for n in 0..60 {
        let _ = write!(
            text,
            "  /p{n}/{{id}}:\n    get:\n      operationId: g{n}\n      parameters:\n      \
             - {{name: id, in: path, required: true, schema: {{type: integer, minimum: 1}}}}\n      responses:\n        \"200\":\n          \
             description: ok\n          content:\n            application/json:\n              schema: {{$ref: \"#/components/schemas/S\"}}\n        \
             default: {{description: e}}\n"
        );
    }
    text + "components:\n  schemas:\n    S: {type: object, properties: {a: {type: string, nullable: true}, b: {type: array, items: {type: number}}}}\n"
}

/// Calls of a browser (HAR).
fn archive() -> Value {
    let entry = |n: usize| {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z",
            "time": n as f64 / 8.0 + 0.0625,
            "request": {"method": "GET", "url": format!("http://x.example/{n}"), "headers": [{"name": "A", "value": "b"}], "cookies": [], "bodySize": 0},
            "response": {"status": 200, "content": {"size": n, "mimeType": "text/html", "text": "x".repeat(n % 9)}, "_transferSize": n.is_multiple_of(2).then_some(n)},
            "cache": {},
            "timings": {"blocked": -1, "dns": if n % 2 == 1 { json!(0.5) } else { json!(-1) }, "wait": n as f64 / 16.0},
        })
    };
    json!({"log": {"version": "1.2", "creator": {"name": "c", "version": "1"}, "pages": [], "entries": (0..200).map(entry).collect::<Vec<Value>>()}})
}

fn map() -> Value {
    let ring = |seed: usize| {
        let place = |k: usize| {
            json!([(seed * 97 + k * 131) as f64 % 360.0 - 180.0 + 0.015625, (seed * 53 + k * 71) as f64 % 180.0 - 90.0 + 0.03125])
        };
        (0..8).chain([0]).map(place).collect::<Vec<Value>>()
    };
    let feature = |n: usize| {
        let geometry = if n % 2 == 1 {
            json!({"type": "Polygon", "coordinates": [ring(n)]})
        } else {
            json!({"type": "MultiPolygon", "coordinates": [[ring(n)], [ring(n + 1), ring(n + 2)]]})
        };
        json!({"type": "Feature", "id": n, "properties": {"NAME": format!("n{n}"), "pop_est": n * 1000}, "geometry": geometry})
    };
    json!({"type": "FeatureCollection", "features": (0..150).map(feature).collect::<Vec<Value>>()})
}

/// MessagePack with a timestamp, a binary and an extension of an application.
fn extensions() -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, text: &str| {
        out.push(0xa0 | text.len() as u8);
        out.extend(text.as_bytes());
    };
    for n in 0..500u32 {
        out.push(0x84);
        text(&mut out, "id");
        out.push(0xce);
        out.extend(n.to_be_bytes());
        text(&mut out, "when");
        out.extend([0xd6, 0xff]);
        out.extend((1_700_000_000 + n).to_be_bytes());
        text(&mut out, "blob");
        out.extend([0xc4, 4]);
        out.extend(n.to_le_bytes());
        text(&mut out, "point");
        out.extend([0xd7, 5]);
        out.extend(u64::from(n).to_be_bytes());
    }
    out
}

/// CBOR with a moment, a UUID, a big number, a URI and a decimal fraction.
fn tags() -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend([0x78, text.len() as u8]);
        out.extend(text.as_bytes());
    };
    for n in 0..500u16 {
        out.push(0xa6);
        text(&mut out, "id");
        out.push(0x19);
        out.extend(n.to_be_bytes());
        text(&mut out, "at");
        out.push(0xc0);
        text(&mut out, &format!("2026-01-01T00:00:{:02}Z", n % 60));
        text(&mut out, "uuid");
        out.extend([0xd8, 37, 0x50]);
        out.extend((u128::from(n) * 0x0123_4567_89ab_cdef).to_be_bytes());
        text(&mut out, "big");
        out.extend([0xc2, 0x4a, 1, 0, 0, 0, 0, 0, 0, 0]);
        out.extend(n.to_be_bytes());
        text(&mut out, "url");
        out.extend([0xd8, 32]);
        text(&mut out, &format!("http://x.example/{n}"));
        text(&mut out, "dec");
        out.extend([0xc4, 0x82, 0x21, 0x19]);
        out.extend((n * 7).to_be_bytes());
    }
    out
}

/// BSON with ObjectIds, dates and nulls.
fn documents() -> Vec<u8> {
    let mut out = Vec::new();
    for n in 0..500u32 {
        let mut body = Vec::new();
        body.extend(b"\x07_id\0");
        body.extend(n.to_be_bytes());
        body.extend((u64::from(n) * 3).to_be_bytes());
        body.extend(b"\x09at\0");
        body.extend((1_700_000_000_000 + i64::from(n)).to_le_bytes());
        body.extend(b"\x12n\0");
        body.extend(i64::from(n).to_le_bytes());
        body.extend(b"\x0anone\0");
        body.push(0);
        out.extend((body.len() as u32 + 4).to_le_bytes());
        out.extend(body);
    }
    out
}
