//! What is measured, and the stage that it runs on.

use std::fs;
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use crate::process::{Process, on_core};
use crate::round::Round;
use crate::wrk::Seen;
use crate::{Error, GATEWAY_CORE, OTHER_CORE, http, relay, users, wrk};

/// Port of the backend.
const BACKEND: u16 = 6600;
/// Port of the relay before the backend.
const RELAY: u16 = 6601;
/// Port of the gateway.
const GATEWAY: u16 = 6602;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// nginx, which passes the backend's reply on.
    Nginx,
    /// node/gateway.mjs.
    Node,
    /// `polywire serve` on the folder `tables`.
    Polywire,
}

/// One row of the benchmark.
#[derive(Debug, Deserialize)]
pub struct Subject {
    pub name: String,
    pub server: Server,
    pub path: String,
    /// What the answer must hold.
    pub answer: Answer,
    /// Which of the plain C++ programs reads the same reply, and how much of its time a request may cost.
    #[serde(default)]
    pub beside: Option<Beside>,
    /// The subjects that its throughput or cost is held against.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// Whether 200 thinking users are sent too.
    #[serde(default)]
    pub users: bool,
}

/// What an answer must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The backend's reply as it is.
    Reply,
    /// All items.
    Items,
    /// Id and title of each item.
    TwoColumns,
}

/// A plain program beside a subject.
#[derive(Debug, Deserialize)]
pub struct Beside {
    pub plain: String,
    /// Most processor time of a request, as a multiple of the plain program's.
    pub at_most: f64,
}

/// Another subject beside a subject.
#[derive(Debug, Deserialize)]
pub struct Limit {
    pub than: String,
    /// Least throughput, as a multiple of the other's.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// Most processor time of a request, as a multiple of the other's.
    #[serde(default)]
    pub cpu_at_most: Option<f64>,
}

/// The subjects, and what each of ours must keep.
#[derive(Debug, Deserialize)]
pub struct Plan {
    pub subjects: Vec<Subject>,
    /// KB that our gateway may take at 200 connections.
    pub peak_at_most: u64,
}

impl Plan {
    /// Reads `subjects.json`.
    pub fn read(path: &Path) -> Result<Plan, Error> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// Only the subjects whose names start with one of `prefixes`, if there are any.
    pub fn only(mut self, prefixes: &[String]) -> Plan {
        self.subjects.retain(|subject| prefixes.is_empty() || prefixes.iter().any(|prefix| subject.name.starts_with(prefix)));
        self
    }
}

/// Backend, relay and the folder of all that is written.
pub struct Stage {
    /// Held until the end.
    _backend: Process,
    _relay: Option<std::thread::JoinHandle<()>>,
    root: PathBuf,
    folder: PathBuf,
    polywire: PathBuf,
    /// Where gateways find the backend.
    backend: u16,
    runtime: Runtime,
}

impl Stage {
    /// Starts the backend, and the relay if there is a link. `root` is the toolkit's folder.
    pub fn set(root: &Path, polywire: &Path, link: Option<relay::Kind>) -> Result<Stage, Error> {
        if !polywire.exists() {
            return Err(format!("{}: not there; `cargo build --profile dist --features full` makes it", polywire.display()).into());
        }
        let folder = root.join("peers/target/gateway");
        let replies = folder.join("replies");
        fs::create_dir_all(&replies)?;
        for (from, to) in [("xml", "xml"), ("pb", "protobuf"), ("json", "json")] {
            fs::copy(root.join(format!("examples/search-reply.{from}")), replies.join(format!("reply.{to}")))?;
        }
        let conf = configure(root, &folder, "nginx.conf", &[("@port@", BACKEND), ("@backend@", BACKEND)], &replies)?;
        let mut command = on_core(OTHER_CORE, Path::new("nginx"));
        command.arg("-c").arg(&conf);
        let backend = Process::start(command, &folder.join("backend.log"))?;
        wait_for(BACKEND)?;
        let relay = match link {
            Some(kind) => Some(start_relay(kind)?),
            None => None,
        };
        Ok(Stage {
            _backend: backend,
            backend: if relay.is_some() { RELAY } else { BACKEND },
            _relay: relay,
            root: root.to_owned(),
            folder,
            polywire: polywire.to_owned(),
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    /// A reply of the backend, by its ending.
    pub fn reply(&self, ending: &str) -> Result<Vec<u8>, Error> {
        Ok(fs::read(self.folder.join("replies").join(format!("reply.{ending}")))?)
    }

    /// Starts the gateway of a subject, and waits until it listens.
    fn start(&self, subject: &Subject) -> Result<Process, Error> {
        let here = self.root.join("peers/gateway");
        let command = match subject.server {
            Server::Nginx => {
                let ports = [("@port@", GATEWAY), ("@backend@", self.backend)];
                let conf = configure(&self.root, &self.folder, "proxy.conf", &ports, &self.folder.join("replies"))?;
                let mut command = on_core(GATEWAY_CORE, Path::new("nginx"));
                command.arg("-c").arg(conf);
                command
            }
            Server::Node => {
                let mut command = on_core(GATEWAY_CORE, Path::new("node"));
                command.arg(here.join("node/gateway.mjs")).arg(GATEWAY.to_string()).arg(format!("http://127.0.0.1:{}", self.backend));
                command.arg(self.root.join("examples/search.proto"));
                command
            }
            Server::Polywire => {
                let tables = self.tables(&here)?;
                let mut command = on_core(GATEWAY_CORE, &self.polywire);
                command.arg("serve").arg(tables).args(["--port", &GATEWAY.to_string(), "--threads", "1"]);
                command
            }
        };
        let process = Process::start(command, &self.folder.join("gateway.log"))?;
        wait_for(GATEWAY).map_err(|failure| {
            let log = fs::read_to_string(self.folder.join("gateway.log")).unwrap_or_default();
            format!("{}: {failure}\n{log}", subject.name)
        })?;
        Ok(process)
    }

    /// The folder `tables`, with the backend's port filled in.
    fn tables(&self, here: &Path) -> Result<PathBuf, Error> {
        let to = self.folder.join("tables");
        if to.exists() {
            fs::remove_dir_all(&to)?;
        }
        copy(&here.join("tables"), &to, self.backend)?;
        fs::copy(self.root.join("examples/search.proto"), to.join("tables/search.proto"))?;
        Ok(to)
    }

    /// One answer of a subject.
    pub fn ask(&self, subject: &Subject) -> Result<http::Reply, Error> {
        let _gateway = self.start(subject)?;
        Ok(self.runtime.block_on(async { http::Connection::open(GATEWAY, &subject.path).await?.ask().await })?)
    }

    /// A round: some seconds of as many requests as 200 connections get answered, behind a short one that warms up.
    pub fn load(&self, subject: &Subject, seconds: f64) -> Result<Round, Error> {
        let gateway = self.start(subject)?;
        self.wrk(subject, 1.0)?;
        let before = gateway.usage()?;
        let seen = self.wrk(subject, seconds)?;
        let after = gateway.usage()?;
        Ok(Round { seen, cpu_micros: (after.cpu - before.cpu) * 1e6 / seen.requests as f64, peak: after.peak })
    }

    fn wrk(&self, subject: &Subject, seconds: f64) -> Result<Seen, Error> {
        wrk::run(&self.root.join("peers/gateway/mock/wrk.lua"), &format!("http://127.0.0.1:{GATEWAY}{}", subject.path), seconds)
    }

    /// 200 users who think, for that long.
    pub fn users(&self, subject: &Subject, time: Duration) -> Result<Seen, Error> {
        let _gateway = self.start(subject)?;
        self.wrk(subject, 1.0)?;
        Ok(LocalSet::new().block_on(&self.runtime, users::run(GATEWAY, &subject.path, time)))
    }

    /// Resident memory in KB, every so often, under load for that many seconds.
    pub fn soak(&self, subject: &Subject, seconds: f64) -> Result<Vec<u64>, Error> {
        let gateway = self.start(subject)?;
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let mut memory = Vec::new();
        while Instant::now() < end {
            self.wrk(subject, 10.0)?;
            memory.push(gateway.usage()?.resident);
        }
        Ok(memory)
    }
}

/// Fills in a configuration of nginx, and gives its path.
fn configure(root: &Path, folder: &Path, name: &str, ports: &[(&str, u16)], replies: &Path) -> Result<PathBuf, Error> {
    let mut text = fs::read_to_string(root.join("peers/gateway/mock").join(name))?;
    for (mark, port) in ports {
        text = text.replace(mark, &port.to_string());
    }
    text = text.replace("@folder@", &folder.display().to_string()).replace("@root@", &replies.display().to_string());
    let path = folder.join(name);
    fs::write(&path, text)?;
    Ok(path)
}

/// Copies a folder of tables; `@backend@` in their text becomes the backend's address.
fn copy(from: &Path, to: &Path, backend: u16) -> Result<(), Error> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, backend)?;
        } else {
            let text = fs::read_to_string(entry.path())?;
            fs::write(target, text.replace("@backend@", &format!("http://127.0.0.1:{backend}")))?;
        }
    }
    Ok(())
}

/// Waits until somebody listens.
fn wait_for(port: u16) -> Result<(), Error> {
    let end = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if Instant::now() > end {
            return Err(format!("nobody listens at port {port}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Starts the relay on a thread of its own.
fn start_relay(kind: relay::Kind) -> Result<std::thread::JoinHandle<()>, Error> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", RELAY))?;
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok(std::thread::spawn(move || {
        let served: io::Result<()> = LocalSet::new().block_on(&runtime, async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            relay::run(listener, BACKEND, kind).await
        });
        if let Err(error) = served {
            eprintln!("relay: {error}");
        }
    }))
}
