//! Two replicas with one cache behind nginx, by the configuration of `examples/deploy`. Under load,
//! one is killed, one is shut down, and both are started again; no request is lost.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::backend::{Backend, Pause, reply};
use crate::folder::Folder;
use crate::program::{Program, Signal, client, get, until};
use crate::redis_server::{self, free_port};

/// nginx with the configuration of the example, at other ports.
struct Nginx {
    port: u16,
    child: Child,
    /// Its files.
    _folder: Folder,
}

impl Nginx {
    fn start(replicas: [u16; 2]) -> Nginx {
        let port = free_port();
        let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/deploy/nginx.conf");
        let mut text = fs::read_to_string(example).expect("the example");
        for (old, new) in [
            ("listen 8080;", format!("listen 127.0.0.1:{port};")),
            ("127.0.0.1:3001 ", format!("127.0.0.1:{} ", replicas[0])),
            ("127.0.0.1:3002 ", format!("127.0.0.1:{} ", replicas[1])),
        ] {
            assert_eq!(text.matches(old).count(), 1, "{old}");
            text = text.replace(old, &new);
        }
        let folder = Folder::new();
        folder.write("conf.d/polywire.conf", text);
        // The settings of Debian's main file that matter here, with folders of its own.
        let own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};\n")).concat();
        folder.write(
            "nginx.conf",
            format!(
                "daemon off;\npid nginx.pid;\nerror_log error.log;\nworker_processes 1;\nevents {{ worker_connections 768; }}\n\
                 http {{\naccess_log off;\n{own}include {}/conf.d/*.conf;\n}}\n",
                folder.path().display()
            ),
        );
        let child = Command::new("nginx")
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(folder.path().join("nginx.conf"))
            .args(["-e", "error.log"])
            .env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default()))
            .stdout(Stdio::null())
            .spawn()
            .expect("nginx is there; tools/setup.sh gateway installs it");
        Nginx { port, child, _folder: folder }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The workers end with it after this signal, but not if it is killed.
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

/// Callers without a pause, and what they got.
struct Load {
    answers: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    callers: Vec<tokio::task::JoinHandle<Vec<String>>>,
}

impl Load {
    fn start(port: u16) -> Load {
        let (answers, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let caller = |first: usize| {
            let (answers, stop) = (answers.clone(), stop.clone());
            tokio::spawn(async move {
                let asking = client();
                let mut wrong = Vec::new();
                let mut number = first;
                while !stop.load(Ordering::Relaxed) {
                    number += 7;
                    // Some are in the cache and some are not.
                    let id = if number.is_multiple_of(2) { number % 50 } else { number };
                    let answer = get(&asking, port, &format!("/r?id={id}")).await;
                    if answer != Ok((200, format!("[\"{id}\"]"))) {
                        wrong.push(format!("{id}: {answer:?}"));
                    }
                    answers.fetch_add(1, Ordering::Relaxed);
                }
                wrong
            })
        };
        let callers = (0..16).map(|number| caller(10_000 * number)).collect();
        Load { answers, stop, callers }
    }

    /// Waits for `answers` more answers.
    async fn go_on(&self, answers: usize) {
        let goal = self.answers.load(Ordering::Relaxed) + answers;
        while self.answers.load(Ordering::Relaxed) < goal {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops the callers, and returns the requests without a good answer.
    async fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut lost = Vec::new();
        for caller in self.callers {
            lost.extend(caller.await.expect("no panic"));
        }
        lost
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_lost() {
    let backend = Backend::new(|asked| {
        let id = asked.path().rsplit('=').next().unwrap_or_default().to_owned();
        vec![Pause(Duration::from_millis(5)), reply(200, &["content-type: application/json"], format!(r#"{{"id": "{id}"}}"#))]
    })
    .await;
    let folder = Folder::new();
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "hosts": ["api.example"]}"#);
    folder.write("tables/t.ql", format!("create table t on select get from '{}?id={{^id}}' expires 600", backend.uri("/")));
    folder.write("routes/r.ql", "return select id from t where id = '{id}' via route '/r?id={id}' using method get");
    let redis = redis_server::Server::start(free_port()).await;
    let cache = format!("redis://127.0.0.1:{}", redis.port);
    let replica = |port: u16| Program::start(&folder, &["--cache", &cache, "--port", &port.to_string()]);
    let ports = [free_port(), free_port()];
    let [mut one, mut two] = ports.map(replica);
    let nginx = Nginx::start(ports);
    until(&client(), nginx.port, "/healthz", "ok\n").await;

    // nginx passes the name on that callers use, and the replicas judge it.
    for (host, status) in [("api.example", 200), ("localhost:8080", 200), ("rebound.example", 403)] {
        let request = http::Request::get(format!("http://127.0.0.1:{}/r?id=0", nginx.port)).header("host", host);
        let reply = client().request(request.body(http_body_util::Full::default()).expect("a request")).await.expect("an answer");
        assert_eq!(reply.status().as_u16(), status, "{host}");
    }

    let load = Load::start(nginx.port);
    load.go_on(250).await;
    one.kill();
    load.go_on(250).await;
    one = replica(ports[0]);
    // nginx finds that out within a second of requests.
    tokio::time::sleep(Duration::from_secs(2)).await;
    load.go_on(250).await;
    // The other one, in peace: it answers what it has begun.
    two.tell(Signal::TERM);
    assert!(two.ended().await.success());
    load.go_on(250).await;
    two = replica(ports[1]);
    tokio::time::sleep(Duration::from_secs(2)).await;
    load.go_on(250).await;
    let answers = load.answers.load(Ordering::Relaxed);
    let lost = load.end().await;
    assert!(lost.is_empty(), "{} of {answers} requests were lost: {:?}", lost.len(), &lost[..lost.len().min(5)]);
    // They had one cache, and both are there.
    assert!(backend.asked().len() < answers, "{} requests for {answers} answers", backend.asked().len());
    for port in ports {
        assert_eq!(get(&client(), port, "/r?id=4").await, Ok((200, "[\"4\"]".to_owned())));
    }
    drop((one, two));
}
