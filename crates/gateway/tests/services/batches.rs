//! Values that are asked for many at a time.

use axum::response::Response;
use serde_json::{Value, json};

use crate::world::{Asked, Service, World, reply};

/// A service that answers one id or many, the many in an order of its own.
fn stock(asked: &Asked) -> Response {
    let mut ids = asked.values("id");
    match asked.path.as_str() {
        "/items" => {
            return reply(&Value::from(
                (0..asked.number("n")).map(|n| json!({"id": n, "key": format!("k{}", n % 120)})).collect::<Vec<_>>(),
            ));
        }
        "/broken" if ids.iter().any(|id| id == "k60") => return Response::builder().status(500).body("no".into()).unwrap(),
        "/missing" => ids.retain(|id| !id.ends_with('7')),
        "/strange" if ids.len() > 1 => ids.push("nobody".to_owned()),
        _ => {}
    }
    ids.reverse();
    // Two rows for each, not side by side.
    let row = |n: usize| move |id: &String| json!({"of": {"key": id}, "left": n, "name": format!("{id}-{n}")});
    reply(&json!({"rows": ids.iter().map(row(1)).chain(ids.iter().map(row(2))).collect::<Vec<_>>()}))
}

async fn world(config: Value) -> (Service, World) {
    let service = Service::start(stock).await;
    let base = format!("get from 'http://127.0.0.1:{}", service.port);
    let by = "resultset 'rows' with batches id = 'of.key'";
    let tables = [
        ("items", format!("{base}/items?n={{n}}'")),
        ("single", format!("{base}/stock?id={{id}}' resultset 'rows'")),
        ("commas", format!("{base}/stock?id={{50|id}}' {by}")),
        ("repeated", format!("{base}/stock?id={{^50|*id}}' {by}")),
        ("plain", format!("{base}/stock?id={{50|id}}' resultset 'rows'")),
        ("broken", format!("{base}/broken?id={{50|id}}' {by}")),
        ("missing", format!("{base}/missing?id={{50|id}}' {by}")),
        ("strange", format!("{base}/strange?id={{50|id}}' {by}")),
    ];
    let world = World::new(&[&service], config, &tables).await;
    (service, world)
}

fn joined(table: &str, n: usize) -> String {
    format!("return select a.id as id, b.name as name, b.left as left from items as a, {table} as b where a.n = {n} and b.id = a.key")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_join_of_120_rows_takes_three_requests_and_gives_the_same() {
    let (service, world) = world(json!({"maxNestedRequests": 200})).await;
    let expected = world.ask(&joined("single", 120)).await;
    assert_eq!((expected.rows(), service.count()), (240, 121));
    for table in ["commas", "repeated"] {
        let before = service.count();
        let answer = world.ask(&joined(table, 120)).await;
        assert_eq!(answer.value(), expected.value(), "{table}");
        assert_eq!((answer.partial(), service.count() - before), ("", 4), "{table}");
    }
    let repeated = service.seen().into_iter().filter(|asked| asked.query.get("id").is_some_and(|ids| ids.len() == 50)).count();
    assert_eq!(repeated, 2);
    // Rows of one value share its rows; without the clause, each row is asked for by itself.
    let (before, answer) = (service.count(), world.ask(&joined("commas", 180)).await);
    assert_eq!((answer.rows(), service.count() - before), (360, 4));
    assert_eq!(answer.value(), world.ask(&joined("single", 180)).await.value());
    let (before, answer) = (service.count(), world.ask(&joined("plain", 120)).await);
    assert_eq!((answer.value(), service.count() - before), (expected.value(), 121));
    assert_eq!(world.metric("polywire_backend_batches_total").await, 9);
    assert_eq!(world.metric("polywire_backend_batched_values_total").await, 360);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_of_120_values_takes_three_requests() {
    let (service, world) = world(json!({})).await;
    let ids: Vec<String> = (1..=120).map(|n| format!("'{n}'")).collect();
    for table in ["commas", "repeated", "plain"] {
        let before = service.count();
        let answer = world.ask(&format!("return select name from {table} where id in ({})", ids.join(", "))).await;
        assert_eq!((answer.rows(), service.count() - before), (240, 3), "{table}");
    }
    let answer = world.ask(&format!("return select name from single where id in ({})", ids.join(", "))).await;
    assert_eq!(answer.rows(), 100, "each is a request, and 50 are the limit");
    let text = world.explain("analyze return select name from commas where id in ('1', '2', '3')").await;
    assert!(text.contains("in batches of id by of.key") && text.contains(", 3 values") && text.contains("\nbatches: 1\n"), "{text}");
    assert_eq!(world.ask("describe commas").await.value()["select"]["batches"], json!({"id": "of.key"}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_counts_requests_and_not_rows() {
    let (service, world) = world(json!({"maxNestedRequests": 2})).await;
    let answer = world.ask(&joined("commas", 120)).await;
    assert_eq!((answer.rows(), service.count()), (200, 3));
    let text = world.explain(&format!("analyze {}", joined("commas", 120))).await;
    assert!(text.contains("of the 120 rows of the join's first side only 100 are joined, which is the limit"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_lack_rows_or_have_strange_ones_or_fail() {
    let (service, world) = world(json!({"maxNestedRequests": 200})).await;
    // Twelve of 120 end with a seven.
    let answer = world.ask(&joined("missing", 120)).await;
    assert_eq!((answer.rows(), answer.partial()), (216, ""));
    let answer = world.ask(&joined("strange", 120)).await;
    assert_eq!((answer.rows(), answer.partial()), (240, "1"));
    let text = world.explain(&format!("analyze {}", joined("strange", 120))).await;
    assert!(text.contains("6 rows of table strange were not asked for by their `of.key`, and are left out"), "{text}");
    let before = service.count();
    let answer = world.ask(&joined("broken", 120)).await;
    assert_eq!((answer.rows(), answer.partial(), service.count() - before), (140, "50", 4), "the other two requests count");
    // Values that would read as several are asked for alone.
    let script = "a = [{\"k\": \"k1\"}, {\"k\": \"x,y\"}, {\"k\": null}, {\"k\": [\"k2\", \"k3\"]}, {\"k\": \"k1\"}, {\"k\": \"k4\"}];
         return select b.name from a as a, TABLE as b where b.id = a.k";
    let expected = world.ask(&script.replace("TABLE", "plain")).await.value();
    let before = service.count();
    assert_eq!(world.ask(&script.replace("TABLE", "commas")).await.value(), expected);
    assert_eq!(service.count() - before, 3);
}
