//! The gateway as a process.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::folder::Folder;
use crate::wire::http1::{self, Answer, Wire};

/// The most time that the gateway takes to listen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A gateway that ends with its value.
#[derive(Debug)]
pub struct Program {
    /// The port where it listens, at 127.0.0.1.
    pub port: u16,
    child: Child,
    /// Its standard error.
    log: PathBuf,
    /// Its access log.
    access: PathBuf,
}

impl Program {
    /// Starts a gateway, and waits until it listens.
    ///
    /// # Errors
    /// It ends, or does not listen.
    pub fn start(polywire: &Path, folder: &Folder, port: u16, arguments: &[&str]) -> Result<Program, String> {
        // Beside the folder: a log in it would be a change of it.
        let beside = |end: &str| folder.path().with_extension(format!("{port}.{end}"));
        let (log, access) = (beside("log"), beside("access"));
        let stderr = std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let child = Command::new(polywire)
            .arg("serve")
            .arg(folder.path())
            .args(["--port", &port.to_string(), "--grace", "1", "--access-log"])
            .arg(&access)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(|error| format!("{}: {error}", polywire.display()))?;
        let mut program = Program { port, child, log, access };
        let started = Instant::now();
        while Wire::open(port).is_err() {
            if let Some(status) = program.ended() {
                return Err(format!("{} serve ended ({status}): {}", polywire.display(), program.log()));
            }
            if started.elapsed() > PATIENCE {
                return Err(format!("the gateway does not listen: {}", program.log()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(program)
    }

    /// Returns its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns its messages.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Returns its access log.
    pub fn access(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.access).unwrap_or_default()).into_owned()
    }

    /// Returns how it ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }

    /// Ends it by SIGTERM, and returns the time that it took; none if it did not end within `most`.
    pub fn terminate(&mut self, most: Duration) -> Option<Duration> {
        let started = Instant::now();
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        while started.elapsed() < most {
            if self.ended().is_some() {
                return Some(started.elapsed());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks for a path.
    ///
    /// # Errors
    /// There is no answer within ten seconds.
    pub fn get(&self, target: &str) -> Result<Answer, String> {
        let mut wire = Wire::open(self.port)?;
        wire.send(&http1::request("GET", target, self.port, "Connection: close\r\n"), PATIENCE);
        wire.answer(false, Duration::from_secs(10))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
        for file in [&self.log, &self.access] {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Returns a port that nobody listens at.
///
/// # Errors
/// There is none.
pub fn free_port() -> Result<u16, String> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr());
    free.map(|address| address.port()).map_err(|error| error.to_string())
}
