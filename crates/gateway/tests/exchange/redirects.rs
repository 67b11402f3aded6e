//! Being sent elsewhere.

use http::HeaderValue;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::Request;

use crate::backend::{Backend, ok, reply};
use crate::caller::{caller, post};

fn to(status: u16, location: &str) -> Vec<crate::backend::Act> {
    vec![reply(status, &[&format!("Location: {location}")], "moved")]
}

#[tokio::test]
async fn followed_with_the_query() {
    let backend = Backend::new(|asked| match asked.path() {
        "/a/b?c=d" => to(302, "../x?y=z#f"),
        "/x?y=z" => to(307, "?last"),
        path => ok(path),
    })
    .await;
    let caller = caller();
    let response = caller.get(backend.uri("/a/b?c=d")).await.unwrap();
    assert_eq!((&response.body[..], response.uri.path_and_query().unwrap().as_str()), (&b"/x?last"[..], "/x?last"));
    assert_eq!((caller.counts().redirects, caller.counts().requests, caller.counts().replies), (2, 3, 1));
    // Over one connection.
    assert_eq!(backend.connections(), 1);
}

#[tokio::test]
async fn ten_are_followed_eleven_are_not() {
    let backend = Backend::new(|asked| {
        let number: u32 = asked.path()[1..].parse().unwrap();
        if number == 0 { ok("there") } else { to(301, &format!("/{}", number - 1)) }
    })
    .await;
    let caller = caller();
    assert_eq!(caller.get(backend.uri("/10")).await.unwrap().body, "there");
    assert_eq!(backend.asked().len(), 11);
    assert!(matches!(caller.failure(&Request::get(backend.uri("/11"))).await, ErrorKind::Redirect { .. }));
    // Eleven requests in all, and none a second time.
    assert_eq!(backend.asked().len(), 22);
}

#[tokio::test]
async fn what_is_not_followed() {
    let backend = Backend::new(|asked| match asked.path() {
        "/none" => vec![reply(302, &[], "")],
        "/proxy" => to(305, "/x"),
        "/file" => to(302, "file:///etc/passwd"),
        _ => to(302, "/none"),
    })
    .await;
    let caller = caller();
    for path in ["/none", "/proxy", "/file"] {
        assert!(matches!(caller.failure(&Request::get(backend.uri(path))).await, ErrorKind::Redirect { .. }), "{path}");
    }
    let response = caller.send(&post(backend.uri("/"), "x")).await.unwrap();
    assert_eq!((response.status.as_u16(), backend.asked().len()), (302, 4));
}

#[tokio::test]
async fn credentials_stay_where_they_belong() {
    let other = Backend::new(|_| ok("")).await;
    let target = other.uri("/x").to_string();
    let backend = Backend::new(move |asked| if asked.path() == "/" { to(302, "/same") } else { to(302, &target) }).await;
    let mut request = Request::get(format!("http://user:pw@127.0.0.1:{}/", backend.port).parse().unwrap());
    request.headers.insert("cookie", HeaderValue::from_static("c=1"));
    request.headers.insert("x-app", HeaderValue::from_static("1"));
    caller().send(&request).await.unwrap();
    let same = &backend.asked()[1];
    assert!(same.header("authorization").is_some() && same.header("cookie").is_some());
    let elsewhere = &other.asked()[0];
    assert_eq!((elsewhere.header("authorization"), elsewhere.header("cookie"), elsewhere.header("x-app")), (None, None, Some("1")));
}
