//! Scripts that are persisted, and what scripts cost.

use serde_json::json;

use crate::world::{World, hash};

const ITEMS: &str = "return select v from items";
const OTHER: &str = "-- the other one\nreturn select v from other\n";

#[tokio::test]
async fn only_scripts_with_a_known_hash_run() {
    let files = [("scripts/items.ql", ITEMS), ("scripts/more/other.ql", OTHER), ("scripts/readme.txt", "return 1")];
    let world = World::new(json!({"adHoc": {"persisted": "scripts"}}), &files).await;
    let by_hash = async |hash: &str| world.get(&format!("/q?hash={hash}"), &[]).await;
    for script in [ITEMS, OTHER] {
        assert_eq!(by_hash(&hash(script)).await.body, json!([1]), "{script}");
        assert_eq!(by_hash(&hash(script).to_uppercase()).await.status, 200);
        assert_eq!(world.script(script, &[]).await.body, json!([1]), "its text is as good");
    }
    for (what, answer) in [
        ("unknown", by_hash(&hash("return 1")).await),
        ("short", by_hash("abc").await),
        ("another text", world.script("return 1", &[]).await),
        ("one blank more", world.script(&format!("{ITEMS} "), &[]).await),
        ("explained", world.script(&format!("explain {ITEMS}"), &[]).await),
    ] {
        assert_eq!(answer.code(), (403, "unknown_script"), "{what}: {answer:?}");
    }
    assert_eq!(by_hash("").await.code(), (400, "missing_query"));
    assert_eq!(world.get("/items", &[]).await.status, 200, "routes are another matter");
    world.folder.write("scripts/more/other.ql", "return 2");
    world.serving.gateway.reload().unwrap();
    assert_eq!(by_hash(&hash(OTHER)).await.status, 403);
    assert_eq!(by_hash(&hash("return 2")).await.body, 2);
}

#[tokio::test]
async fn scripts_may_come_from_one_file() {
    let manifest = json!({hash(ITEMS): ITEMS, "named": "return 2"}).to_string();
    let world = World::new(json!({"adHoc": {"persisted": "scripts.json"}}), &[("scripts.json", &manifest)]).await;
    assert_eq!(world.get(&format!("/q?hash={}", hash(ITEMS)), &[]).await.body, json!([1]));
    assert_eq!(world.get(&format!("/q?hash={}", hash("return 2")), &[]).await.body, 2);
    let wrong = json!({hash(ITEMS): OTHER}).to_string();
    world.folder.write("scripts.json", wrong);
    assert!(world.serving.gateway.reload().unwrap_err().to_string().contains(&hash(ITEMS)));
    assert_eq!(world.get(&format!("/q?hash={}", hash(ITEMS)), &[]).await.status, 200, "what was stays");
}

#[tokio::test]
async fn a_script_that_may_cost_too_much_does_not_run() {
    let world = World::new(json!({"maxNestedRequests": 3, "adHoc": {"maxRequests": 5}}), &[]).await;
    for (script, status) in [
        ("return 1", 200),
        ("return select v from items", 200),
        ("a = select v from items; b = select v from other; return '{a}'", 200),
        ("a = select v from items; b = select v from other; c = select v from items; return '{a}'", 422),
        ("a = select v from items || select v from other || select v from items; return '{a}'", 422),
    ] {
        let answer = world.script(script, &[]).await;
        assert_eq!(answer.status, status, "{script}: {answer:?}");
        if status == 422 {
            assert_eq!((answer.code().1, &answer.body["estimate"]), ("too_costly", &json!(6)), "{answer:?}");
        }
    }
    assert_eq!(
        world.script("explain a = select v from items; b = select v from items; c = select v from items; return 1", &[]).await.status,
        422
    );
    assert_eq!(world.get("/two", &[]).await.status, 200);
}

#[tokio::test]
async fn a_place_without_scripts_is_an_error() {
    let folder = crate::folder::Folder::new();
    folder.write("config.json", r#"{"adHoc": {"persisted": "gone"}}"#);
    let error = polywire_gateway::server::Gateway::new(folder.path(), Default::default()).unwrap_err().to_string();
    assert!(error.contains("persisted") && error.contains("gone"), "{error}");
}
