//! Credentials of tables, asked for in every way. Answers are searched for them in
//! `Trial::looked`.

use crate::trial::Trial;
use crate::wire::http1::encoded;
use crate::world::SECRET;

/// Descriptions, plans, events, pages.
pub fn shown(trial: &Trial<'_>) {
    let tables = ["secret", "secretfails", "moved"];
    for table in tables {
        for form in ["", "&format=html", "&format=json", "&callback=f", "&name=secret"] {
            trial.get(&format!("/table?name={table}{form}"));
            trial.get(&format!("/tables?name={table}{form}"));
        }
        trial.get_with(&format!("/table?name={table}"), "Accept: text/html\r\n");
        for script in [
            format!("describe {table}"),
            format!("explain select * from {table}"),
            format!("explain analyze select * from {table} where q = '1'"),
            format!("select * from {table} where q = '1'"),
        ] {
            trial.script(&script);
            for accept in ["text/plain", "text/html", "application/xml", "text/csv"] {
                trial.script_with(&script, &format!("Accept: {accept}\r\n"));
            }
            trial.get(&format!("/q?events=all&s={}", encoded(&script)));
        }
    }
    for path in [
        "/",
        "/tables",
        "/api",
        "/route?path=/secret&method=get",
        "/openapi.json",
        "/metrics",
        "/healthz",
        "/config",
        "/config.json",
        "/tables/secret.ql",
        "/.git/config",
    ] {
        for accept in ["application/json", "text/html", "text/plain"] {
            trial.get_with(path, &format!("Accept: {accept}\r\n"));
        }
    }
    trial.script("show tables");
    trial.script("show routes");
}

/// Failures that name what was asked.
pub fn errors(trial: &Trial<'_>) {
    for target in [
        "/secretfails?q=1",
        "/secret?q=1",
        "/moved",
        "/secret?q=1&q=2&q=3",
        "/secret",
        "/secretfails?q=1&events=all",
        "/secretfails?q=1&callback=f",
    ] {
        trial.get(target);
        trial.get_with(target, "Accept: text/html\r\n");
    }
    for script in [
        "select * from secret where q = '1' and nothing = '{config}'",
        "select a.b.c.d from secretfails where q = '1'",
        "insert into secret (a) values ('b')",
        "create table t on select get from 'http://127.0.0.1:1/?api_key=x' ; select * from t",
        "select * from secretfails where q = '1' timeout 1",
        "select * from secretfails where q in ('1', '2', '3')",
    ] {
        trial.script(script);
    }
    trial.expect(!trial.world.gateway.log().contains(SECRET), || "a secret in the log".to_owned());
    // Secrets of callers stay out of the access log.
    let name = [
        "api_key",
        "token",
        "password",
        "access_token",
        "X-Api-Key",
        "apikey",
        "client_secret",
        "brand",
        "API_KEY",
        "sig",
        "%61pi_key",
        "auth",
    ];
    for name in name {
        trial.get(&format!("/one?q=1&{name}={SECRET}caller"));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let access = trial.world.gateway.access();
    let line = access.lines().find(|line| line.contains(SECRET)).unwrap_or_default();
    trial.expect(line.is_empty(), || format!("a secret in the access log: {line:.200}"));
}

/// A redirect to another port: credentials stay behind.
pub fn redirects(trial: &Trial<'_>) {
    trial.world.other.forget();
    trial.get("/moved");
    let landed = trial.world.other.seen("/landed");
    trial.expect(!landed.is_empty(), || "the redirect was not followed: nothing is proved".to_owned());
    for seen in landed {
        let line = seen.head.lines().find(|line| line.contains(SECRET)).unwrap_or_default();
        trial.expect(line.is_empty(), || format!("sent to another port: {line}"));
    }
}
