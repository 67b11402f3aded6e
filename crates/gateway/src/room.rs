//! Bodies that take memory of a pool as they arrive, and give it back when nobody holds their bytes
//! any more: however many there are at once, memory is bounded.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use polywire_ql::memory::{Full, Pool, Share};

/// Memory for long bodies.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    pool: Pool,
    /// The most that one body takes: the configuration may let bodies be longer than all the room.
    each: u64,
}

/// The reason for which a body did not arrive.
#[derive(Debug)]
pub(crate) enum Stopped<E> {
    /// The connection broke.
    Transport(E),
    /// Other bodies have the memory.
    Full,
}

/// A body that takes memory as it arrives.
pub(crate) struct Arriving<'s, B> {
    body: B,
    share: &'s Share,
    each: u64,
    length: u64,
    to_its_end: bool,
    full: bool,
}

impl Room {
    /// Makes room in a pool. One body takes half of what is there now at most.
    pub fn new(pool: Pool) -> Room {
        let each = pool.left() / 2;
        Room { pool, each }
    }

    /// Returns the pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns an empty share of it.
    pub fn share(&self) -> Share {
        Share::of(&self.pool)
    }

    /// Takes memory for bytes that are there, until nobody holds them.
    ///
    /// # Errors
    /// Others have it.
    pub fn keep(&self, bytes: Bytes) -> Result<Bytes, Full> {
        let share = self.share();
        share.grow((bytes.len() as u64).min(self.each))?;
        Ok(kept(bytes, share))
    }

    /// Returns a body that takes memory of `share` as it arrives.
    pub fn body<'s, B>(&self, body: B, share: &'s Share) -> Arriving<'s, B> {
        Arriving { body, share, each: self.each, length: 0, to_its_end: false, full: false }
    }
}

impl<B> Arriving<'_, B> {
    /// Returns a body that arrives to its end where there is no memory for it: the rest is thrown
    /// away. The sender gets an answer then, instead of a connection that breaks.
    pub fn read_to_end(self) -> Self {
        Arriving { to_its_end: true, ..self }
    }

    /// Returns true if a part has been thrown away.
    pub fn is_full(&self) -> bool {
        self.full
    }
}

/// Gives a share back when nobody holds the bytes.
pub(crate) fn kept(bytes: Bytes, share: Share) -> Bytes {
    if share.is_empty() { bytes } else { Bytes::from_owner(Kept { bytes, _share: share }) }
}

struct Kept {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Arriving<'_, B> {
    type Data = Bytes;
    type Error = Stopped<B::Error>;

    #[inline]
    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        Poll::Ready(frame.map(|frame| {
            let frame = frame.map_err(Stopped::Transport)?;
            let length = this.length + frame.data_ref().map_or(0, |data| data.len() as u64);
            if !this.full && this.share.grow(length.min(this.each)).is_ok() {
                this.length = length;
                return Ok(frame);
            }
            this.full = true;
            if this.to_its_end { Ok(frame.map_data(|_| Bytes::new())) } else { Err(Stopped::Full) }
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<E: fmt::Display> fmt::Display for Stopped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Transport(error) => error.fmt(f),
            Stopped::Full => f.write_str("no memory is left for the body"),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Stopped<E> {}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full as Whole;

    const ALL: u64 = 48 << 20;

    #[test]
    fn long_bodies_share_the_room() {
        let pool = Pool::new(ALL);
        let room = Room::new(pool.clone());
        let long = || Bytes::from(vec![0; 10 << 20]);
        let held: Vec<Bytes> = (0..4).map(|_| room.keep(long()).unwrap()).collect();
        assert!(room.keep(long()).is_err());
        // Short ones always have a place, and parts of a body hold its room.
        assert!(room.keep(Bytes::from(vec![0; 60_000])).is_ok());
        let part = held[0].slice(..1);
        drop(held);
        assert!((0..4).map(|_| room.keep(long()).ok()).collect::<Option<Vec<_>>>().is_none());
        drop(part);
        assert_eq!(pool.left(), ALL);
        // One that is longer than all of it.
        assert!(room.keep(Bytes::from(vec![0; ALL as usize + 1])).is_ok());
    }

    #[tokio::test]
    async fn bodies_take_room_as_they_arrive() {
        let pool = Pool::new(4 << 20);
        let room = Room::new(pool.clone());
        let rest = room.share();
        rest.grow(3 << 20).unwrap();
        for (length, good) in [(1 << 20, true), (2 << 20, false)] {
            let share = room.share();
            let mut body = room.body(Whole::new(Bytes::from(vec![1; length])), &share);
            let frame = std::future::poll_fn(|cx| Body::poll_frame(Pin::new(&mut body), cx)).await.unwrap();
            assert_eq!(frame.is_ok(), good, "{length}");
            let mut whole = room.body(Whole::new(Bytes::from(vec![1; length])), &share).read_to_end();
            let frame = std::future::poll_fn(|cx| Body::poll_frame(Pin::new(&mut whole), cx)).await.unwrap().unwrap();
            assert_eq!((frame.data_ref().map(Bytes::len), whole.is_full()), if good { (Some(length), false) } else { (Some(0), true) });
        }
        assert_eq!(pool.left(), 1 << 20);
    }
}
