//! Gateways of tests that listen on loopback.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use polywire_gateway::server::{Gateway, Listening, Start, listen, router};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::folder::Folder;

/// A gateway over a folder. It stops to listen when it is dropped.
pub struct Serving {
    pub gateway: Arc<Gateway>,
    pub address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Serving {
    /// Serves, with one thread for hooks.
    pub async fn start(folder: &Folder, start: Start, listening: Listening) -> io::Result<Serving> {
        let gateway = Arc::new(Gateway::new(folder.path(), Start { hook_threads: Some(1), ..start })?);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let listening = Listening { account: Some(gateway.clone()), ..listening };
        tokio::spawn(listen(listener, router(gateway.clone()), listening, async {
            let _ = stopped.await;
        }));
        Ok(Serving { gateway, address, _stop: stop })
    }
}
