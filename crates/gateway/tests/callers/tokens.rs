//! Tokens of an issuer.

use serde_json::{Value, json};

use crate::issuer::{Issuer, Signing, claims, encoded, now};
use crate::world::{Answer, World};

fn config(issuer: &Issuer, changes: Value) -> Value {
    let mut jwt = json!({"jwks": issuer.url, "issuer": "https://issuer.example", "audience": ["gateway", "other"], "leeway": 5});
    for (name, value) in changes.as_object().unwrap() {
        jwt[name] = value.clone();
    }
    json!({"callers": {"jwt": jwt, "scopes": {"items": {"routes": ["/items"]}, "other": {"routes": ["/other"]}}}})
}

async fn ask(world: &World, path: &str, token: &str) -> Answer {
    world.get(path, &[("authorization", &format!("Bearer {token}"))]).await
}

#[tokio::test]
async fn every_algorithm_with_public_keys() {
    let keys = ["ES256", "ES384", "EdDSA", "RS256", "PS256"].map(|algorithm| Signing::new(algorithm, algorithm));
    let issuer = Issuer::new(&keys.each_ref()).await;
    let world = World::new(config(&issuer, json!({})), &[]).await;
    for key in &keys {
        let answer = ask(&world, "/items", &key.token(&claims(json!({"sub": key.algorithm})))).await;
        assert_eq!(answer.status, 200, "{}: {answer:?}", key.algorithm);
        // Some bits of the signature.
        let good = key.token(&claims(json!({})));
        let (text, signature) = good.rsplit_once('.').unwrap();
        let other = if signature.starts_with('A') { 'B' } else { 'A' };
        let wrong = format!("{text}.{other}{}", &signature[1..]);
        assert_eq!(ask(&world, "/items", &wrong).await.code(), (401, "bad_token"), "{}", key.algorithm);
    }
    assert_eq!(issuer.asked(), 1, "keys are kept");
    let callers: Vec<_> = world.log("access.log", 10).await.iter().filter_map(|line| line["caller"].as_str().map(str::to_owned)).collect();
    assert_eq!(callers, ["ES256", "ES384", "EdDSA", "RS256", "PS256"]);
}

#[tokio::test]
async fn claims_are_checked() {
    let key = Signing::new("k", "ES256");
    let issuer = Issuer::new(&[&key]).await;
    let world = World::new(config(&issuer, json!({})), &[]).await;
    for (changes, status, part) in [
        (json!({}), 200, ""),
        (json!({"aud": ["x", "other"]}), 200, ""),
        (json!({"exp": now() - 2}), 200, "within the leeway"),
        (json!({"nbf": now() + 2}), 200, "within the leeway"),
        (json!({"nbf": null}), 200, ""),
        (json!({"scope": ["items"]}), 200, ""),
        (json!({"exp": now() - 60}), 401, "(exp)"),
        (json!({"exp": null}), 401, "exp"),
        (json!({"exp": "never"}), 401, "exp"),
        (json!({"nbf": now() + 60}), 401, "(nbf)"),
        (json!({"nbf": "soon"}), 401, "nbf"),
        (json!({"iss": "https://evil.example"}), 401, "(iss)"),
        (json!({"iss": null}), 401, "iss"),
        (json!({"aud": "elsewhere"}), 401, "(aud)"),
        (json!({"aud": null}), 401, "aud"),
        (json!({"sub": null}), 401, "sub"),
        (json!({"sub": 7}), 401, "sub"),
        (json!({"scope": "other"}), 403, "get /items"),
        (json!({"scope": null}), 403, "none"),
        (json!({"scope": "admin items.all"}), 403, "admin"),
    ] {
        let answer = ask(&world, "/items", &key.token(&claims(changes.clone()))).await;
        assert_eq!(answer.status, status, "{changes}: {answer:?}");
        assert!(status == 200 || answer.body["message"].as_str().unwrap().contains(part), "{changes}: {answer:?}");
    }
}

#[tokio::test]
async fn tokens_that_were_made_up() {
    let (key, other) = (Signing::new("k", "ES256"), Signing::new("k", "ES256"));
    let rsa = Signing::new("rsa", "RS256");
    let issuer = Issuer::new(&[&key, &rsa]).await;
    let world = World::new(config(&issuer, json!({"algorithms": ["ES256", "RS256"]})), &[]).await;
    let good = claims(json!({}));
    let unsigned = |head: Value| format!("{}.{}.", encoded(head.to_string()), encoded(good.to_string()));
    for (what, token) in [
        ("none", unsigned(json!({"alg": "none"}))),
        ("None", unsigned(json!({"alg": "None", "kid": "k"}))),
        ("no algorithm", unsigned(json!({"kid": "k"}))),
        ("no signature", unsigned(json!({"alg": "ES256", "kid": "k"}))),
        ("signed by another", other.token(&good)),
        // The public key as a shared secret.
        ("HS256", key.signed(&json!({"alg": "HS256", "kid": "rsa"}), &good)),
        ("not listed", Signing::new("rsa", "PS256").token(&good)),
        ("another kind of key", key.signed(&json!({"alg": "ES256", "kid": "rsa"}), &good)),
        ("another algorithm", rsa.signed(&json!({"alg": "RS384", "kid": "rsa"}), &good)),
        ("a key of its own", other.signed(&json!({"alg": "ES256", "kid": "k", "jwk": other.jwk(), "jku": "http://evil.example/"}), &good)),
        ("a key that is unknown", key.signed(&json!({"alg": "ES256", "kid": "unknown"}), &good)),
        ("an extension", key.signed(&json!({"alg": "ES256", "kid": "k", "crit": ["x"], "x": 1}), &good)),
        ("no token", "x".to_owned()),
        ("long", "x".repeat(20_000)),
        ("dots", "....".to_owned()),
    ] {
        let answer = ask(&world, "/items", &token).await;
        assert_eq!(answer.code(), (401, "bad_token"), "{what}: {answer:?}");
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{what}");
    }
    assert_eq!(ask(&world, "/items", &key.token(&good)).await.status, 200);
    // Without a name, the only key of the kind.
    assert_eq!(ask(&world, "/items", &key.signed(&json!({"alg": "ES256"}), &good)).await.status, 200);
    assert_eq!(world.get("/items", &[]).await.code(), (401, "unknown_caller"));
}

#[tokio::test]
async fn keys_that_rotate() {
    let keys = ["a", "b", "c"].map(|kid| Signing::new(kid, "EdDSA"));
    let issuer = Issuer::new(&[&keys[0]]).await;
    let world = World::new(config(&issuer, json!({"cooldown": 300, "refresh": 60_000})), &[]).await;
    let tokens = keys.each_ref().map(|key| key.token(&claims(json!({}))));
    assert_eq!(ask(&world, "/items", &tokens[0]).await.status, 200);
    // Unknown names have the keys fetched again, but not each time.
    for _ in 0..20 {
        assert_eq!(ask(&world, "/items", &tokens[1]).await.status, 401);
    }
    assert!(issuer.asked() <= 3, "{} fetches", issuer.asked());
    issuer.show(&[&keys[0], &keys[1]]);
    tokio::time::sleep(std::time::Duration::from_millis(350)).await;
    let before = issuer.asked();
    let all = futures_util::future::join_all((0..20).map(|_| ask(&world, "/items", &tokens[1]))).await;
    assert!(all.iter().all(|answer| answer.status == 200), "{all:?}");
    assert_eq!(issuer.asked(), before + 1, "one fetches for all");
    // A key that was taken away is no good once the keys were fetched again.
    issuer.show(&[&keys[1], &keys[2]]);
    tokio::time::sleep(std::time::Duration::from_millis(350)).await;
    assert_eq!(ask(&world, "/items", &tokens[2]).await.status, 200);
    assert_eq!(ask(&world, "/items", &tokens[0]).await.status, 401);
    // The issuer may be away: keys that are known still count.
    issuer.fail();
    assert_eq!(ask(&world, "/items", &tokens[2]).await.status, 200);
    // So do they when the folder is read again.
    world.reconfigure(config(&issuer, json!({"cooldown": 300, "refresh": 60_000})));
    assert_eq!(ask(&world, "/items", &tokens[2]).await.status, 200);
}

#[tokio::test]
async fn keys_are_fetched_again_after_a_while_and_an_issuer_may_be_away() {
    let (key, next) = (Signing::new("k", "ES256"), Signing::new("n", "ES256"));
    let issuer = Issuer::new(&[&key]).await;
    issuer.fail();
    let world = World::new(config(&issuer, json!({"cooldown": 0, "refresh": 200})), &[]).await;
    let token = key.token(&claims(json!({})));
    assert_eq!(ask(&world, "/items", &token).await.code(), (503, "no_keys"));
    issuer.show(&[&key]);
    assert_eq!(ask(&world, "/items", &token).await.status, 200);
    // Revoked: the name is known, and too old to be believed.
    issuer.show(&[&next]);
    tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    assert_eq!(ask(&world, "/items", &token).await.code(), (401, "bad_token"));
}

#[test]
fn settings_that_would_open_the_gateway_are_refused() {
    let folder = crate::folder::Folder::new();
    for (jwt, part) in [
        (json!({"issuer": "i", "audience": ["a"]}), "jwks"),
        (json!({"jwks": "http://127.0.0.1/", "audience": ["a"]}), "issuer"),
        (json!({"jwks": "http://127.0.0.1/", "issuer": "i"}), "audience"),
        (json!({"jwks": "http://127.0.0.1/", "issuer": "i", "audience": []}), "audience"),
        (json!({"jwks": "ftp://127.0.0.1/", "issuer": "i", "audience": ["a"]}), "jwks"),
        (json!({"jwks": "http://127.0.0.1/", "issuer": "i", "audience": ["a"], "algorithms": ["none"]}), "none"),
        (json!({"jwks": "http://127.0.0.1/", "issuer": "i", "audience": ["a"], "algorithms": ["HS256"]}), "HS256"),
        (json!({"jwks": "http://127.0.0.1/", "issuer": "i", "audience": ["a"], "algorithms": []}), "algorithms"),
    ] {
        folder.write("config.json", json!({"callers": {"jwt": jwt}}).to_string());
        let start = polywire_gateway::server::Start { hook_threads: Some(1), ..Default::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _inside = runtime.enter();
        let error = polywire_gateway::server::Gateway::new(folder.path(), start).unwrap_err().to_string();
        assert!(error.contains(part), "{jwt}: {error}");
    }
}
