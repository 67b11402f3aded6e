//! Tables drafted from replies of a service: they load, and give the rows that the service sent.

mod folder;
mod mock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use polywire_gateway::draft::{NoDraft, Recorded, Sample, ask, table};
use polywire_gateway::server::{Gateway, Start, query};
use serde_json::{Value, json};

use folder::Folder;
use mock::Mock;

/// Returns the result of `script` over the table drafted from `sampled` replies, when the service
/// answers with `served`.
async fn selected(sampled: &[Value], served: &Value, script: &str) -> Value {
    let mut rules: Vec<Value> = sampled.iter().enumerate().map(|(at, reply)| rule(&format!("/{at}?q=lamp"), reply)).collect();
    rules.push(rule("/rows?q=oil%20can", served));
    let (_, address) = Mock::start(&Value::Array(rules)).await;

    let mut replies = Vec::new();
    for at in 0..sampled.len() {
        replies.push(ask(&sample(&format!("http://{address}/{at}?q=lamp"))).await.unwrap());
    }
    let text = table(&sample(&format!("http://{address}/rows?q=lamp")), &replies).unwrap();
    let folder = Folder::new();
    folder.write("tables/rows.ql", text).write("config.json", json!({"allowPrivate": [address.to_string()]}).to_string());
    let gateway = Gateway::new(folder.path(), Start { hook_threads: Some(1), ..Start::default() }).unwrap();
    assert!(gateway.directory().problems.is_empty(), "{:?}", gateway.directory().problems);
    let result = query(&gateway, script, None).await.unwrap().result.unwrap().unwrap();
    serde_json::from_slice(&result.to_json()).unwrap()
}

fn sample(url: &str) -> Sample {
    Sample { url: url.parse().unwrap(), method: Method::GET, headers: Vec::new(), name: None }
}

fn rule(path: &str, reply: &Value) -> Value {
    let mut rule = reply.clone();
    rule["path"] = json!(path);
    rule
}

fn text(content_type: &str, body: &str) -> Value {
    json!({"headers": {"content-type": content_type}, "body": body})
}

const ONE: &str = "<r><hits total='1'><hit><id>007</id><price>9.5</price><tag>a</tag></hit></hits></r>";
const TWO: &str =
    "<r><hits total='2'><hit><id>010</id><price>4</price></hit><hit><id>011</id><price>5</price><tag>a</tag><tag>b</tag></hit></hits></r>";

#[tokio::test]
async fn xml_of_one_and_of_two_items_has_one_shape() {
    let (one, two) = (text("text/xml", ONE), text("text/xml", TWO));
    let script = "select id, price, tag from rows where q = 'oil can'";
    let of_one = json!([["007", 9.5, ["a"]]]);
    let of_two = json!([["010", 4, null], ["011", 5, ["a", "b"]]]);
    for sampled in [vec![two.clone()], vec![one.clone(), two.clone()]] {
        assert_eq!(selected(&sampled, &one, script).await, of_one);
        assert_eq!(selected(&sampled, &two, script).await, of_two);
    }
    // A single item is recognised by the plural alone.
    let found = selected(std::slice::from_ref(&one), &two, "select id from rows where q = 'oil can'").await;
    assert_eq!(found, json!(["010", "011"]));
}

#[tokio::test]
async fn json_csv_and_messagepack() {
    let script = "select id, n from rows where q = 'oil can'";
    let expected = json!([["1", 2], ["02", 3]]);
    let json = text("application/json", r#"{"total": 2, "found": {"rows": [{"id": "1", "n": 2}, {"id": "02", "n": 3}]}}"#);
    assert_eq!(selected(std::slice::from_ref(&json), &json, script).await, expected);
    let csv = text("text/csv; header=present", "id,n\n1,2\n02,3\n");
    assert_eq!(selected(std::slice::from_ref(&csv), &csv, script).await, expected);
    // The first row looks like names.
    let plain = text("text/csv", "id,n\n1,2\n02,3\n");
    assert_eq!(selected(std::slice::from_ref(&plain), &plain, script).await, expected);
    let rows = "select * from rows where q = 'oil can'";
    for (media, body) in
        [("text/csv; header=absent", "id,n\n1,2\n"), ("text/csv", "7,8\n1,2\n"), ("text/csv", "id,n\n"), ("text/csv", "a,a\n1,2\n")]
    {
        let headless = text(media, body);
        let lists: Vec<Vec<&str>> = body.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(selected(std::slice::from_ref(&headless), &headless, rows).await, json!(lists), "{media}: {body}");
    }
    let bytes = b"\x81\xa4rows\x92\x82\xa2id\xa11\xa1n\x02\x82\xa2id\xa202\xa1n\x03";
    let packed = json!({"headers": {"content-type": "application/msgpack"}, "body_base64": STANDARD.encode(bytes)});
    assert_eq!(selected(std::slice::from_ref(&packed), &packed, script).await, expected);
}

#[tokio::test]
async fn an_error_is_no_sample() {
    let elsewhere = json!([{"path": "/away", "status": 302, "headers": {"location": "http://10.0.0.1/"}}]);
    let (_, address) = Mock::start(&elsewhere).await;
    let at = format!("http://{address}/");
    assert!(matches!(ask(&sample(&at)).await, Err(NoDraft::Status(404))));
    assert!(matches!(ask(&sample(&format!("{at}away"))).await, Err(NoDraft::Exchange(_))));
    let broken = Recorded { body: "{".into(), content_type: None };
    assert!(matches!(table(&sample(&at), &[broken]), Err(NoDraft::Reply(_))));
}
