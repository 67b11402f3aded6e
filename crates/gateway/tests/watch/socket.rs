//! WebSocket, as a client of another library sees it.

use futures_util::{SinkExt, StreamExt};
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::world::World;

struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

async fn connect(world: &World, protocol: &str, headers: &[(&'static str, &str)]) -> Result<Client, StatusCode> {
    let mut request = format!("ws://{}/anything", world.at).into_client_request().unwrap();
    if !protocol.is_empty() {
        request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_str(protocol).unwrap());
    }
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
    }
    match connect_async(request).await {
        Ok((stream, response)) => {
            assert_eq!(response.headers()["sec-websocket-protocol"], "ql.io-console");
            Ok(Client(stream))
        }
        Err(Error::Http(response)) => Err(response.status()),
        Err(error) => panic!("{error}"),
    }
}

impl Client {
    async fn send(&mut self, message: Value) {
        self.0.send(Message::Text(message.to_string().into())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        loop {
            match self.0.next().await.expect("a message").expect("no error") {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Close(frame) => return json!({"closed": frame.map(|frame| frame.reason.to_string())}),
                _ => {}
            }
        }
    }

    /// Messages until the result.
    async fn until_result(&mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while all.last().is_none_or(|last: &Value| last["type"] != "script-result") {
            all.push(self.next().await);
        }
        all
    }
}

fn types(packets: &[Value]) -> Vec<&str> {
    packets.iter().map(|packet| packet["type"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_run_and_tell_the_events_that_were_asked_for() {
    let world = World::new(json!({})).await;
    let mut client = connect(&world, "ql.io-console", &[]).await.unwrap_or_else(|status| panic!("{status}"));
    assert_eq!(world.gateway.metrics().sockets.value(), 1);
    let script = |text: &str| json!({"type": "script", "data": text});
    client.send(script("return 1")).await;
    let packets = client.until_result().await;
    assert_eq!((types(&packets), &packets[0]["data"]["body"]), (vec!["script-result"], &json!(1)), "no events were asked for");

    client.send(json!({"type": "events", "data": "[\"ack\",\"statement-response\",\"a\",\"compile-error\"]"})).await;
    assert_eq!(client.next().await, json!({"type": "events", "data": "{}"}));
    client.send(script("a = select title from items where q = 'lamp'; return '{a}'")).await;
    client.send(script("no script")).await;
    let packets = client.until_result().await;
    assert_eq!(types(&packets), ["ack", "statement-response", "a", "script-result"]);
    let rows = json!(["lamp", "rug"]);
    assert_eq!(packets[2]["data"], rows);
    assert_eq!(packets[1]["data"]["headers"]["x-of"], "items");
    let result = &packets[3]["data"];
    assert_eq!((&result["body"], &result["headers"]["content-type"]), (&rows, &json!("application/json")));
    assert!(result["headers"]["request-id"].is_string());
    // Scripts that were sent meanwhile follow.
    let packets = client.until_result().await;
    assert_eq!(types(&packets), ["ack", "compile-error", "script-result"]);
    assert_eq!(packets[2]["data"]["body"]["code"], "syntax");

    client.send(json!({"type": "events", "data": "all"})).await;
    client.next().await;
    client.send(script("explain return 2")).await;
    assert_eq!(client.until_result().await[0]["data"]["body"]["result"], 0);
    client.send(script("return select * from '/etc/hostname'")).await;
    assert_eq!(client.until_result().await.last().unwrap()["data"]["body"]["code"], "no_files");
    client.send(script("return select * from gone")).await;
    let packets = client.until_result().await;
    for name in ["ql.io-begin-event", "statement-in-flight", "statement-error", "script-done"] {
        assert!(types(&packets).contains(&name), "{name} in {packets:?}");
    }
    assert_eq!(packets.last().unwrap()["data"]["body"]["status"], 502);
    assert!(packets.iter().all(|packet| !packet.to_string().contains("s3cret")), "{packets:?}");

    client.send(json!({"type": "dance"})).await;
    assert!(client.next().await["closed"].as_str().unwrap().contains("expected the type"));
    drop(client);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_and_the_plan_are_events() {
    let world = World::new(json!({"deadline": 500, "hooks": {"time": 1000}})).await;
    let mut client = connect(&world, "ql.io-console", &[]).await.unwrap_or_else(|status| panic!("{status}"));
    let names = ["ql.io-visualization", "ql.io-begin-event", "ql.io-error", "ql.io-end-event"];
    client.send(json!({"type": "events", "data": names})).await;
    client.next().await;
    let mut told = async |script: &str| {
        client.send(json!({"type": "script", "data": script})).await;
        client.until_result().await
    };
    // The subject of each packet: type and name of the event that begins, fails or ends.
    let about = |packets: &[Value]| -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        packets.iter().map(|packet| format!("{} {}", text(&packet["type"]), text(&packet["data"]["type"]))).collect()
    };
    let (begin, error, end) = ("ql.io-begin-event", "ql.io-error", "ql.io-end-event");

    let packets = told("a = select * from gone || \"{\\\"b\\\": 1}\"; return \"{a}\"").await;
    let plan = &packets[0];
    assert_eq!((plan["type"].as_str(), &plan["data"]["steps"][1]["after"]), (Some("ql.io-visualization"), &json!([0])), "{plan}");
    let expected = [begin, begin, error, end, begin, end, end, "script-result"];
    assert_eq!(types(&packets[1..]), expected, "a statement with a fallback ends once");
    let (begun, failed) = (&packets[2]["data"], &packets[3]["data"]);
    assert_eq!((&failed["eventId"], &failed["uuid"], &failed["name"]), (&begun["eventId"], &begun["uuid"], &json!("select")));
    assert_eq!((&failed["parentEventId"], &failed["error"]["table"]), (&json!(1), &json!("gone")), "{failed}");

    let packets = told("return select * from gone").await;
    let [began, failed, ended] = [begin, error, end].map(|name| format!("{name} statement"));
    let whole = |name: &str| format!("{name} script");
    assert_eq!(about(&packets)[1..], [whole(begin), began.clone(), failed, ended.clone(), whole(end), "script-result -".to_owned()]);
    // The deadline is a failure of the script; what was under way ends with it.
    let packets = told("return select * from busy").await;
    assert_eq!(about(&packets)[1..], [whole(begin), began, whole(error), ended, whole(end), "script-result -".to_owned()]);
    assert_eq!(packets[3]["data"]["error"]["code"], "deadline");
    let packets = told("no script").await;
    assert_eq!((types(&packets), &packets[1]["data"]["error"]["code"]), (vec![begin, error, end, "script-result"], &json!("syntax")));
    drop(client);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_go_step_by_step() {
    let world = World::new(json!({"deadline": 60_000})).await;
    let mut client = connect(&world, "ql.io-console", &[]).await.unwrap_or_else(|status| panic!("{status}"));
    client.send(json!({"type": "events", "data": "[\"statement-in-flight\"]"})).await;
    client.next().await;
    let script = json!({"type": "script", "data": "__debug__a = select title as title, id as id from items where q = 'lamp';\nb = select title as t from a;\nreturn '{b}'"});
    client.send(script.clone()).await;
    for line in 1..=3 {
        let held = client.next().await;
        assert_eq!((&held["type"], &held["data"]["line"]), (&json!("ql.io-debug"), &json!(line)));
        assert_eq!(world.mock.seen().len(), usize::from(line > 1), "nothing begins before the step");
        // Steps of other scripts are nobody's.
        client.send(json!({"type": "debug", "emitterID": 77})).await;
        client.send(json!({"type": "debug", "emitterID": held["data"]["emitterID"]})).await;
        assert_eq!(client.next().await["type"], "ql.io-debug-step");
        assert_eq!(client.next().await["type"], "statement-in-flight");
    }
    assert_eq!(client.next().await["data"]["body"], json!([{"t": "lamp"}, {"t": "rug"}]));

    client.send(script).await;
    let held = client.next().await;
    client.send(json!({"type": "kill", "id": held["data"]["emitterID"]})).await;
    assert_eq!(client.next().await, json!({"type": "ql.io-kill", "data": {"id": held["data"]["emitterID"]}}));
    assert_eq!(client.next().await["data"]["body"]["code"], "killed");
    client.send(json!({"type": "script", "data": "return 3"})).await;
    assert_eq!(client.until_result().await.last().unwrap()["data"]["body"], 3);
    drop(client);
    world.end().await;
}

#[tokio::test]
async fn the_rules_for_scripts_hold() {
    let refused = |outcome: Result<Client, StatusCode>| outcome.map(|_| ()).unwrap_err().as_u16();
    let world = World::new(json!({"adHoc": {"enabled": false}})).await;
    assert_eq!(refused(connect(&world, "ql.io-console", &[]).await), 403);
    world.end().await;

    let world = World::new(json!({"adHoc": {"token": "t0ken"}, "sockets": 1})).await;
    assert_eq!(refused(connect(&world, "ql.io-console", &[]).await), 401);
    assert_eq!(refused(connect(&world, "", &[("authorization", "Bearer t0ken")]).await), 400);
    let elsewhere = [("authorization", "Bearer t0ken"), ("origin", "http://elsewhere.example")];
    assert_eq!(refused(connect(&world, "ql.io-console", &elsewhere).await), 403);
    for headers in [
        [("authorization", "Bearer t0ken"), ("sec-fetch-site", "cross-site")],
        [("authorization", "Bearer t0ken"), ("sec-fetch-site", "same-site")],
        [("authorization", "Bearer t0ken"), ("host", "rebound.example")],
    ] {
        assert_eq!(refused(connect(&world, "ql.io-console", &headers).await), 403, "{headers:?}");
    }
    let here = format!("http://{}", world.at);
    let client = connect(&world, "ql.io-console, bearer.t0ken", &[("origin", &here)]).await;
    let mut client = client.unwrap_or_else(|status| panic!("{status}"));
    assert_eq!(refused(connect(&world, "ql.io-console, bearer.t0ken", &[]).await), 503, "there is one place");
    client.send(json!({"type": "script", "data": "x".repeat(3 << 20)})).await;
    assert!(matches!(client.0.next().await, None | Some(Err(_) | Ok(Message::Close(_)))), "a message that is too long ends it");
    drop(client);
    world.end().await;
}
