//! Files as tables: no script that the gateway runs reads any, whoever wrote it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use crate::folder::Folder;
use crate::server::Server;

const SECRET: &str = "the secret of the file";

/// Names by which somebody may try to reach a file of the folder, or another one.
fn names(folder: &Folder) -> Vec<String> {
    folder.write("secret.json", json!([SECRET]).to_string());
    let path = folder.path().join("secret.json");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, folder.path().join("link.json")).unwrap();
    let inside = folder.path().display();
    let own = folder.path().file_name().unwrap().display();
    let of_folder = [
        format!("{inside}/secret.json"),
        format!("{inside}/link.json"),
        format!("{inside}/../{own}/secret.json"),
        format!("{inside}/*.json"),
        format!("file://{inside}/secret.json"),
    ];
    let others = ["-", "", ".", "/dev/stdin", "/dev/fd/0", "/proc/self/environ", "../config.json", "config.json", "**/*"];
    of_folder.into_iter().chain(others.map(str::to_owned)).collect()
}

#[tokio::test]
async fn no_script_of_a_caller_reads_files() {
    let server = Server::new(&[]).await;
    let folder = Folder::new();
    for name in names(&folder) {
        for script in [
            format!("select * from \"{name}\""),
            format!("return select * from '{name}' each '.' using decoder 'json'"),
            format!("return select * from '{name}' || 'else'"),
            format!("a = [1]; return select b from a where b in (select c from '{name}')"),
            format!("return select a.x, b.x from '{name}' as a, '{name}' as b where a.x = b.x"),
            format!("return select * from '{name}' via route '/r' using method get"),
            format!("explain analyze select * from '{name}'"),
            format!("explain select * from '{name}'"),
        ] {
            let encoded = utf8_percent_encode(&script, NON_ALPHANUMERIC);
            for target in [format!("/q?s={encoded}"), format!("/q?events=all&s={encoded}")] {
                let reply = server.get(&target, "application/json").await;
                assert_eq!((reply.status.as_u16(), &reply.json()["code"]), (400, &json!("no_files")), "{script}");
                assert!(!reply.text().contains(SECRET));
            }
        }
        let script = format!("a = 1; select * from '{name}'");
        let reply = server.ask("POST", "/q", &[("content-type", "application/x-www-form-urlencoded")], format!("s={script}")).await;
        assert_eq!(reply.json()["code"], "no_files", "{script}");
    }
}

#[tokio::test]
async fn no_script_of_the_folder_reads_files() {
    let folder = Folder::new();
    let path = folder.path().join("secret.json");
    folder.write("secret.json", json!([SECRET]).to_string());
    let route = format!("return select * from '{}' via route '/r' using method get", path.display());
    let relative = "return select * from 'secret.json' via route '/s' using method get";
    let table = format!("create table t on select get from '$BASE/t'; select * from '{}'", path.display());
    let script = format!("return select * from '{}'", path.display());
    let files = [
        ("routes/r.ql", route.as_str()),
        ("routes/s.ql", relative),
        ("routes/secret.json", "[1]"),
        ("tables/t.ql", table.as_str()),
        ("scripts/p.ql", script.as_str()),
    ];
    let server = Server::with(json!({"adHoc": {"persisted": "scripts"}}), &files).await;
    for file in ["r.ql", "s.ql", "t.ql", "p.ql"] {
        let told = server.problems.iter().any(|problem| problem.contains(file) && problem.contains("scripts read no files here"));
        assert!(told, "{file}: {:?}", server.problems);
    }
    for target in ["/r", "/s"] {
        assert_eq!(server.get(target, "application/json").await.status.as_u16(), 404, "{target}");
    }
    assert_eq!(server.get("/tables", "application/json").await.json(), json!([]));
    let reply = server.get(&format!("/q?s={}", utf8_percent_encode(&script, NON_ALPHANUMERIC)), "application/json").await;
    assert_eq!(reply.status.as_u16(), 403);
    assert!(!reply.text().contains(SECRET));
}
