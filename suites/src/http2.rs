//! h2spec, against `polywire serve`.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cases::Cases;
use crate::files;
use crate::outcome::{Miss, Outcome};
use crate::suite::Suite;

/// h2spec.
pub static SUITE: Suite = Suite {
    name: "http2",
    format: "HTTP/2",
    title: "h2spec 2.2.1",
    folder: "summerwind+h2spec",
    needs: "bin/h2spec",
    licence: "MIT",
    rule: "h2spec passes the case against `polywire serve` without TLS, in one of five runs: some mistakes come after a request that may be \
           answered by then",
    others: "",
    run,
};

/// Runs of h2spec. Some of its cases send a mistake after a request that the server may have
/// answered in full by then, so that nothing is left to object to.
const ROUNDS: usize = 5;

/// Most time that the server takes to listen.
const PATIENCE: Duration = Duration::from_secs(20);

/// The server, which ends with its value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let polywire = cases.tools.polywire()?.to_path_buf();
    let h2spec = cases.root().join("bin/h2spec");
    let folder = std::env::temp_dir().join(format!("suites-h2spec-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("tables")).map_err(|error| error.to_string())?;
    let outcome = judged(&polywire, &h2spec, &folder, cases);
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

fn judged(polywire: &Path, h2spec: &Path, folder: &Path, cases: &mut Cases<'_>) -> Result<(), String> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr()).map_err(|error| error.to_string())?.port();
    let mut serve = Command::new(polywire);
    serve
        .arg("serve")
        .arg(folder)
        .args(["--port", &port.to_string(), "--grace", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut server = Server(serve.spawn().map_err(|error| format!("{}: {error}", polywire.display()))?);
    let started = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Ok(Some(status)) = server.0.try_wait() {
            return Err(format!("{} serve ended: {status}", polywire.display()));
        }
        if started.elapsed() > PATIENCE {
            return Err("the server does not listen".to_string());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut found: BTreeMap<String, Outcome> = BTreeMap::new();
    for round in 0..ROUNDS {
        for (name, outcome) in round_of(h2spec, port, &folder.join(format!("report-{round}.xml")))? {
            let known = found.entry(name).or_insert_with(|| outcome.clone());
            if matches!(outcome, Outcome::Right) {
                *known = outcome;
            }
        }
    }
    for (name, outcome) in found {
        match outcome {
            Outcome::Free => cases.skip("skipped by h2spec"),
            outcome => cases.put("all", name, outcome),
        }
    }
    if cases.names.is_empty() { Err("h2spec reported no case".to_string()) } else { Ok(()) }
}

/// Runs h2spec once. A case that it skips is free.
fn round_of(h2spec: &Path, port: u16, report: &Path) -> Result<Vec<(String, Outcome)>, String> {
    let mut spec = Command::new(h2spec);
    spec.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-o", "2", "-S", "-j"]).arg(report).stdout(Stdio::null()).stderr(Stdio::null());
    spec.status().map_err(|error| format!("{}: {error}", h2spec.display()))?;
    let text = files::text(report)?;
    let report = roxmltree::Document::parse(&text).map_err(|error| error.to_string())?;
    let mut found: Vec<(String, Outcome)> = Vec::new();
    for case in report.descendants().filter(|node| node.has_tag_name("testcase")) {
        let of = |name: &str| case.attribute(name).unwrap_or_default();
        let name = format!("{} {}", of("package"), of("classname"));
        let same = found.iter().filter(|(known, _)| known.starts_with(&name)).count();
        let name = if same > 0 { format!("{name} ({})", same + 1) } else { name };
        let failed = case.children().find(|node| node.has_tag_name("failure") || node.has_tag_name("error"));
        let outcome = match failed {
            _ if case.children().any(|node| node.has_tag_name("skipped")) => Outcome::Free,
            None => Outcome::Right,
            Some(node) => Outcome::miss(Miss::Failed, node.text().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")),
        };
        found.push((name, outcome));
    }
    Ok(found)
}
