//! Changed files: read again by themselves, or at SIGHUP; what is broken changes nothing.

use std::fs;
use std::os::unix::fs::symlink;

use crate::backend::{Backend, reply};
use crate::folder::Folder;
use crate::program::{Program, Signal, client, get, until};

const CONFIG: &str = r#"{"allowPrivate": ["127.0.0.1:*"]}"#;

fn route(text: &str) -> String {
    format!("return {text} via route '/r' using method get")
}

/// A service of two kinds of replies.
async fn service() -> Backend {
    Backend::new(|asked| match asked.path() {
        "/pb" => vec![reply(200, &["content-type: application/x-protobuf"], b"\x0a\x03fig")],
        path => vec![reply(200, &["content-type: application/json"], format!(r#"{{"at": "{path}"}}"#))],
    })
    .await
}

#[tokio::test]
async fn table_route_hook_and_schema() {
    let backend = service().await;
    let folder = Folder::new();
    let table = |path: &str| format!("create table t on select get from '{}' using patch 'hook.js'", backend.uri(path));
    let hook = |tail: &str| format!("exports['patch response'] = function (args) {{ args.body.at += '{tail}'; return args.body; }}");
    let schema = |field: &str| format!("syntax = \"proto3\";\nmessage M {{ string {field} = 1; }}");
    folder.write("config.json", CONFIG);
    folder.write("tables/t.ql", table("/1")).write("tables/hook.js", hook("!"));
    folder.write(
        "tables/p.ql",
        format!("create table p on select get from '{}' using decoder 'protobuf' schema 'm.proto' message 'M'", backend.uri("/pb")),
    );
    folder.write("tables/m.proto", schema("name"));
    folder.write("routes/r.ql", route("select at from t"));
    folder.write("routes/p.ql", "return select * from p via route '/p' using method get");
    let mut program = Program::start(&folder, &[]);
    let (asking, port) = (client(), program.port);
    until(&asking, port, "/r", r#"["/1!"]"#).await;
    until(&asking, port, "/p", r#"{"name":"fig"}"#).await;
    folder.write("tables/t.ql", table("/2"));
    until(&asking, port, "/r", r#"["/2!"]"#).await;
    folder.write("tables/hook.js", hook("?"));
    until(&asking, port, "/r", r#"["/2?"]"#).await;
    folder.write("tables/m.proto", schema("fruit"));
    until(&asking, port, "/p", r#"{"fruit":"fig"}"#).await;
    folder.write("routes/r.ql", route("{\"is\": \"new\"}"));
    until(&asking, port, "/r", r#"{"is":"new"}"#).await;
    folder.write("routes/another.ql", "return 7 via route '/another' using method get");
    until(&asking, port, "/another", "7").await;
    // A broken file is reported, and the old version stays.
    folder.write("routes/r.ql", route("select from"));
    program.line("not loaded again");
    assert_eq!(get(&asking, port, "/r").await, Ok((200, r#"{"is":"new"}"#.to_owned())));
    folder.write("routes/r.ql", route("{\"is\": \"mended\"}"));
    until(&asking, port, "/r", r#"{"is":"mended"}"#).await;
}

#[tokio::test]
async fn at_sighup() {
    let folder = Folder::new();
    folder.write("config.json", CONFIG).write("routes/r.ql", route("1"));
    let mut program = Program::start(&folder, &["--no-watch"]);
    let (asking, port) = (client(), program.port);
    until(&asking, port, "/r", "1").await;
    for (text, line, answer) in [("2", "loaded again:", "2"), ("select from", "not loaded again", "2"), ("3", "loaded again:", "3")] {
        folder.write("routes/r.ql", route(text));
        program.tell(Signal::HUP);
        program.line(line);
        until(&asking, port, "/r", answer).await;
    }
}

/// A configuration as Kubernetes mounts it: files are links through `..data`, which leads to the
/// folder of the version in force.
#[tokio::test]
async fn a_configuration_behind_links() {
    let (folder, mount) = (Folder::new(), Folder::new());
    let turn = |version: u32| {
        let place = mount.path();
        mount.write(&format!("..{version}/config.json"), format!("{{\"v\": {version}}}"));
        symlink(format!("..{version}"), place.join("..draft")).expect("a link");
        fs::rename(place.join("..draft"), place.join("..data")).expect("a link");
        if version > 1 {
            fs::remove_dir_all(place.join(format!("..{}", version - 1))).expect("the version before");
        }
    };
    turn(1);
    symlink("..data/config.json", mount.path().join("config.json")).expect("a link");
    symlink(mount.path().join("config.json"), folder.path().join("config.json")).expect("a link");
    folder.write("routes/r.ql", route("'{config.v}'"));
    let program = Program::start(&folder, &[]);
    let (asking, port) = (client(), program.port);
    until(&asking, port, "/r", "1").await;
    for version in 2..5 {
        turn(version);
        until(&asking, port, "/r", &version.to_string()).await;
    }
}

#[tokio::test]
async fn certificates() {
    let (folder, secrets) = (Folder::new(), Folder::new());
    let write = |certificate: &str, key: &str| {
        secrets.write("c.pem", certificate).write("c.key", key);
    };
    let [one, other] = [0, 1].map(|_| rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate"));
    write(&one.cert.pem(), &one.signing_key.serialize_pem());
    let [certificate, key] = ["c.pem", "c.key"].map(|name| secrets.path().join(name).display().to_string());
    for watched in [true, false] {
        let options = ["--tls-cert", &certificate, "--tls-key", &key, "--no-watch"];
        let mut program = Program::start(&folder, &options[..if watched { 4 } else { 5 }]);
        let changed = |program: &Program| match watched {
            true => {}
            false => program.tell(Signal::HUP),
        };
        write(&other.cert.pem(), "no key");
        changed(&program);
        let line = program.line("the old one stays:");
        assert!(line.contains("c.key") || line.contains("c.pem"), "{line}");
        write(&other.cert.pem(), &other.signing_key.serialize_pem());
        changed(&program);
        program.line("the certificate was reloaded");
        write(&one.cert.pem(), &one.signing_key.serialize_pem());
        changed(&program);
        program.line("the certificate was reloaded");
    }
}
