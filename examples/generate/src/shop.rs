//! The shop of `examples/shop`: its services, and the exchanges that its scripts have with them.
//!
//! The gateway records as it does with `--record`. The services are really there: one listener stands for all hosts, as the forward proxy of the gateway.

mod server;
mod services;

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use polywire_gateway::directory::Layout;
use polywire_gateway::exchange::tape::Tape;
use polywire_gateway::server::{Gateway, Start, query};
use serde_json::{Value, json};

/// Headers of exchanges that differ from one recording or version to the next. Replies are found without them.
const FLEETING: [&str; 2] = ["request-id:", "user-agent:"];

/// The files of all exchanges of the shop's scripts and routes, by their paths.
pub fn recorded(examples: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let aside = std::env::temp_dir().join(format!("polywire-shop-{}-{:016x}", std::process::id(), fastrand::u64(..)));
    fs::create_dir_all(&aside)?;
    let outcome = record(&examples.join("shop"), &aside);
    fs::remove_dir_all(&aside)?;
    outcome
}

fn record(shop: &Path, aside: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let port = server::start(services::answer)?;
    let mut config: Value = serde_json::from_slice(&fs::read(shop.join("config.json"))?)?;
    config["proxy"] = json!({"*": {"host": "127.0.0.1", "port": port}});
    // A busy machine is no reason to fail.
    config["hooks"] = json!({"time": 20_000});
    let file = aside.join("config.json");
    fs::write(&file, config.to_string())?;
    let tape = aside.join("recorded");
    let layout = Layout { config: Some(file), ..Layout::new(shop) };
    let gateway = Gateway::over(layout, Start { tape: Tape::Record(tape.clone()), ..Start::default() })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for script in scripts(shop)? {
        let outcome = runtime.block_on(query(&gateway, &script, None)).and_then(|execution| execution.result);
        outcome.map_err(|failure| io::Error::other(format!("{failure}\n{script}")))?;
    }
    let mut files = files(&tape)?;
    for (_, bytes) in files.iter_mut().filter(|(name, _)| name.ends_with(".http")) {
        let text = String::from_utf8_lossy(bytes);
        let kept = text.split_inclusive('\n').filter(|line| !FLEETING.iter().any(|name| line.starts_with(name)));
        *bytes = kept.collect::<String>().into_bytes();
    }
    Ok(files)
}

/// The scripts of the folder, and its route for the callers that the page of the example has.
fn scripts(shop: &Path) -> io::Result<Vec<String>> {
    let mut found: Vec<String> =
        files(&shop.join("scripts"))?.into_values().map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
    let route = fs::read_to_string(shop.join("routes/search.ql"))?;
    for maker in ["", "Birk"] {
        found.push(route.replace("{words}", "lamp").replace("{maker}", maker));
    }
    Ok(found)
}

/// The files below a folder, by their paths in it.
pub fn files(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
                found.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
