//! A link with a delay and a rate: a relay that hands on what it gets, in both directions, as late as the link would. Kernels without netem have no other.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Bytes that are on the way at most, in each direction of a connection.
const WINDOW: usize = 64 * 1024;

/// What a link is like, in each direction.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// From one end to the other.
    pub delay: Duration,
    /// Bytes a second, of all connections together; as many as there are, if none.
    pub rate: Option<u64>,
}

/// One direction of the link.
#[derive(Clone)]
struct Lane {
    kind: Kind,
    /// When the last byte that was given to it has left.
    free: Rc<Cell<Instant>>,
}

impl Lane {
    fn new(kind: Kind) -> Lane {
        Lane { kind, free: Rc::new(Cell::new(Instant::now())) }
    }

    /// When `bytes` given to it now are at the other end.
    fn due(&self, bytes: usize) -> Instant {
        let now = Instant::now();
        let Some(rate) = self.kind.rate else { return now + self.kind.delay };
        let left = self.free.get().max(now) + Duration::from_secs_f64(bytes as f64 / rate as f64);
        self.free.set(left);
        left + self.kind.delay
    }
}

/// Relays connections to `listener` to `port` of this machine, until it is dropped.
pub async fn run(listener: TcpListener, port: u16, kind: Kind) -> io::Result<()> {
    let (there, back) = (Lane::new(kind), Lane::new(kind));
    loop {
        let (near, _) = listener.accept().await?;
        let (there, back) = (there.clone(), back.clone());
        tokio::task::spawn_local(async move {
            let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else { return };
            let _ = near.set_nodelay(true);
            let _ = far.set_nodelay(true);
            let (near_read, near_write) = near.into_split();
            let (far_read, far_write) = far.into_split();
            let _ = tokio::join!(one_way(near_read, far_write, &there), one_way(far_read, near_write, &back));
        });
    }
}

/// What is on the way, and when it is due.
#[derive(Default)]
struct Link {
    on_the_way: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    ended: bool,
}

async fn one_way(mut from: impl AsyncReadExt + Unpin, mut to: impl AsyncWriteExt + Unpin, lane: &Lane) {
    let link = RefCell::new(Link::default());
    let changed = Notify::new();
    let reads = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            while link.borrow().bytes >= WINDOW {
                changed.notified().await;
            }
            let count = from.read(&mut buffer).await.unwrap_or(0);
            let mut link = link.borrow_mut();
            link.ended = count == 0;
            if count > 0 {
                link.bytes += count;
                link.on_the_way.push_back((lane.due(count), buffer[..count].to_vec()));
            }
            changed.notify_waiters();
            if count == 0 {
                return;
            }
        }
    };
    let writes = async {
        loop {
            let next = link.borrow_mut().on_the_way.pop_front();
            match next {
                Some((due, bytes)) => {
                    tokio::time::sleep_until(due).await;
                    if to.write_all(&bytes).await.is_err() {
                        return;
                    }
                    link.borrow_mut().bytes -= bytes.len();
                    changed.notify_waiters();
                }
                None if link.borrow().ended => break,
                None => changed.notified().await,
            }
        }
        let _ = to.shutdown().await;
    };
    tokio::join!(reads, writes);
}
