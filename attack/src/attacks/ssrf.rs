//! Requests to where the gateway may not go.

use crate::trial::Trial;
use crate::wire::http1::encoded;

/// Returns spellings of a port at loopback that no table names.
fn spellings(port: u16) -> Vec<String> {
    let hosts = [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.01",
        "127.000.000.001",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:0:0:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "127.0.0.2",
        "127.127.127.127",
        "127.0.0.1.",
        "user@127.0.0.1",
        "user:x@127.0.0.1",
        "127.0.0.1%00.example",
        "\u{ff11}27.0.0.1",
        "127\u{3002}0\u{3002}0\u{3002}1",
        "\u{24db}ocalhost",
        "ip6-localhost",
        "[fe80::1%25lo]",
        "[::1%25lo]",
    ];
    let mut all: Vec<String> = hosts.iter().map(|host| format!("http://{host}:{port}/evil")).collect();
    all.extend([
        format!("http:127.0.0.1:{port}/evil"),
        format!("http:/127.0.0.1:{port}/evil"),
        format!("http:\\\\127.0.0.1:{port}/evil"),
        format!("//127.0.0.1:{port}/evil"),
        format!("HTTP://127.0.0.1:{port}/evil"),
        format!("https://127.0.0.1:{port}/evil"),
        format!("ftp://127.0.0.1:{port}/evil"),
        format!("gopher://127.0.0.1:{port}/_evil"),
        "file:///etc/passwd".to_owned(),
        "file://localhost/etc/passwd".to_owned(),
        format!("dict://127.0.0.1:{port}/evil"),
        "unix:/tmp/x".to_owned(),
        "data:text/plain,x".to_owned(),
        format!("ws://127.0.0.1:{port}/evil"),
        format!("jar:http://127.0.0.1:{port}!/evil"),
    ]);
    all
}

fn untouched(trial: &Trial<'_>, attack: impl FnOnce()) {
    let before = trial.world.forbidden.connections();
    attack();
    let more = trial.world.forbidden.connections() - before;
    trial.expect(more == 0, || format!("{more} connections to a port that may not be called"));
}

/// Tables of callers' scripts.
pub fn scripts(trial: &Trial<'_>) {
    let port = trial.world.forbidden.port;
    untouched(trial, || {
        let all = spellings(port);
        trial.crowd(4, all.len(), |number| {
            let uri = &all[number];
            let script = format!("create table t on select get from '{uri}'; return select * from t");
            trial.refused(trial.script(&script), &[400, 403, 502], uri);
        });
        // The allowed service as part of a name, and its port with another one.
        let own = trial.world.service.port;
        for uri in [
            format!("http://127.0.0.1:{own}@127.0.0.1:{port}/"),
            format!("http://127.0.0.1:{port}#@127.0.0.1:{own}/"),
            format!("http://127.0.0.1:{port}\\@127.0.0.1:{own}/"),
            format!("http://127.0.0.1:{own}:{port}/"),
            format!("http://127.0.0.1:{own}%20{port}/"),
        ] {
            let script = format!("create table t on select get from '{uri}'; return select * from t");
            trial.refused(trial.script(&script), &[400, 403, 502], &uri);
        }
    });
}

/// Redirects of a service that may be called.
pub fn redirects(trial: &Trial<'_>) {
    let port = trial.world.forbidden.port;
    untouched(trial, || {
        let all = spellings(port);
        trial.crowd(4, all.len(), |number| {
            let uri = &all[number];
            trial.refused(trial.get(&format!("/away?uri={}", encoded(&encoded(uri)).replace("%25", "%"))), &[200, 400, 502], uri);
        });
    });
    // A redirect to itself, for ever.
    let own = format!("http://127.0.0.1:{}/to?uri=", trial.world.service.port);
    let mut uri = String::new();
    for _ in 0..4 {
        uri = encoded(&format!("{own}{uri}"));
    }
    trial.refused(trial.get(&format!("/away?uri={uri}")), &[200, 400, 414, 431, 502], "redirects to itself");
}
