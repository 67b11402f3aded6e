//! Debian's redis-server, for tests.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server that ends with the test.
pub struct Server {
    pub port: u16,
    child: Child,
}

impl Server {
    pub async fn start(port: u16) -> Self {
        let child = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port", &port.to_string()])
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is there; tools/setup.sh gateway installs it");
        let server = Server { port, child };
        for _ in 0..500 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return server;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("redis-server does not listen at port {port}");
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
