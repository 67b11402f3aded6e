//! nginx with the configuration that is shipped, in front of two replicas.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::folder::Folder;
use super::program::free_port;
use crate::wire::http1::Wire;

/// nginx, which ends with its value.
#[derive(Debug)]
pub struct Nginx {
    /// The port where it listens.
    pub port: u16,
    child: Child,
    folder: Folder,
}

impl Nginx {
    /// Returns the program, if this machine has it.
    pub fn program() -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        folders.map(|folder| folder.join("nginx")).find(|file| file.is_file())
    }

    /// Starts it before replicas at these ports.
    ///
    /// # Errors
    /// The configuration is not as expected, or it does not start.
    pub fn start(program: &PathBuf, replicas: [u16; 2]) -> Result<Nginx, String> {
        let port = free_port()?;
        let mut text = include_str!("../../../examples/deploy/nginx.conf").to_owned();
        for (old, new) in [
            ("listen 8080;", format!("listen 127.0.0.1:{port};")),
            ("127.0.0.1:3001 ", format!("127.0.0.1:{} ", replicas[0])),
            ("127.0.0.1:3002 ", format!("127.0.0.1:{} ", replicas[1])),
        ] {
            if text.matches(old).count() != 1 {
                return Err(format!("examples/deploy/nginx.conf: expected {old:?} once"));
            }
            text = text.replace(old, &new);
        }
        let folder = Folder::new()?;
        folder.write("conf.d/polywire.conf", &text)?;
        // The settings of Debian's main file that matter here, with folders of its own.
        let own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};\n")).concat();
        let main = format!(
            "daemon off;\npid nginx.pid;\nerror_log error.log;\nworker_processes 1;\nevents {{ worker_connections 768; }}\n\
             http {{\naccess_log off;\n{own}include {}/conf.d/*.conf;\n}}\n",
            folder.path().display()
        );
        folder.write("nginx.conf", &main)?;
        let child = Command::new(program)
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(folder.path().join("nginx.conf"))
            .args(["-e", "error.log"])
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let nginx = Nginx { port, child, folder };
        let started = Instant::now();
        while Wire::open(port).is_err() {
            if started.elapsed() > Duration::from_secs(10) {
                return Err(format!("nginx does not listen: {}", nginx.errors()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(nginx)
    }

    /// Returns its error log.
    pub fn errors(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("error.log")).unwrap_or_default()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The workers end with it after this signal, but not if it is killed.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}
