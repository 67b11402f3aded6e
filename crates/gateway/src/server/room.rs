//! Room for long bodies of callers. A body takes room as it arrives, and gives it back when nobody
//! holds its bytes any more: however many callers send at once, memory is bounded.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a unit of room. A body shorter than that takes none.
const UNIT: usize = 64 << 10;

/// Bytes of all long bodies at a time.
const ALL: usize = 48 << 20;

/// The most that one body takes: bodies may be longer than all the room, if the configuration says
/// so.
const EACH: usize = ALL / 2;

/// The room of a gateway. Cheap to clone; clones are one.
#[derive(Debug, Clone)]
pub(super) struct Room(Arc<Semaphore>);

/// The part of the room that a body has taken.
#[derive(Debug, Default)]
pub(super) struct Taken(Option<OwnedSemaphorePermit>);

/// Other bodies have all the room.
#[derive(Debug)]
pub(super) struct Full;

impl Default for Room {
    fn default() -> Room {
        Room(Arc::new(Semaphore::new(ALL / UNIT)))
    }
}

impl Room {
    /// Takes room for a body that has `length` bytes by now.
    fn take(&self, taken: &mut Taken, length: usize) -> Result<(), Full> {
        let held = taken.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = (length.min(EACH) / UNIT).saturating_sub(held);
        let Ok(more @ 1..) = u32::try_from(more) else { return Ok(()) };
        let permit = self.0.clone().try_acquire_many_owned(more).map_err(|_| Full)?;
        match &mut taken.0 {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        Ok(())
    }

    /// Takes room for bytes that are there, until nobody holds them.
    ///
    /// # Errors
    /// Other bodies have it.
    pub fn keep(&self, bytes: Bytes) -> Result<Bytes, Full> {
        let mut taken = Taken::default();
        self.take(&mut taken, bytes.len())?;
        Ok(taken.keep(bytes))
    }

    /// Returns a body that takes room as it arrives.
    pub fn body<'r>(&'r self, body: Body, taken: &'r mut Taken) -> Arriving<'r> {
        Arriving { body, room: self, taken, length: 0 }
    }
}

impl Taken {
    /// Gives the room back when nobody holds the bytes.
    pub fn keep(self, bytes: Bytes) -> Bytes {
        match self.0 {
            None => bytes,
            Some(permit) => Bytes::from_owner(Kept { bytes, _permit: permit }),
        }
    }
}

struct Kept {
    bytes: Bytes,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body that takes room.
pub(super) struct Arriving<'r> {
    body: Body,
    room: &'r Room,
    taken: &'r mut Taken,
    length: usize,
}

/// The reason for which a body did not arrive.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The connection broke.
    Transport,
    /// There is no room.
    Full,
}

impl http_body::Body for Arriving<'_> {
    type Data = Bytes;
    type Error = Stopped;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Stopped>>> {
        let this = &mut *self;
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        Poll::Ready(frame.map(|frame| {
            let frame = frame.map_err(|_| Stopped::Transport)?;
            this.length += frame.data_ref().map_or(0, Bytes::len);
            this.room.take(this.taken, this.length).map_err(|Full| Stopped::Full)?;
            Ok(frame)
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bodies_share_the_room() {
        let room = Room::default();
        let long = || Bytes::from(vec![0; 10 << 20]);
        let held: Vec<Bytes> = (0..4).map(|_| room.keep(long()).unwrap()).collect();
        assert!(room.keep(long()).is_err());
        // Short ones always have a place, and parts of a body hold its room.
        assert!(room.keep(Bytes::from(vec![0; UNIT - 1])).is_ok());
        let part = held[0].slice(..1);
        drop(held);
        assert!((0..4).map(|_| room.keep(long()).ok()).collect::<Option<Vec<_>>>().is_none());
        drop(part);
        assert_eq!(room.0.available_permits(), ALL / UNIT);
        // One that is longer than all of it.
        assert!(room.keep(Bytes::from(vec![0; ALL + 1])).is_ok());
    }

    #[tokio::test]
    async fn bodies_take_room_as_they_arrive() {
        let room = Room::default();
        let _rest = room.0.clone().try_acquire_many_owned((ALL / UNIT - 2) as u32).unwrap();
        for (length, good) in [(2 * UNIT, true), (3 * UNIT, false)] {
            let mut taken = Taken::default();
            let mut body = room.body(Body::from(vec![1; length]), &mut taken);
            let frame = std::future::poll_fn(|cx| http_body::Body::poll_frame(Pin::new(&mut body), cx)).await.unwrap();
            assert_eq!(frame.is_ok(), good, "{length}");
        }
        assert_eq!(room.0.available_permits(), 2);
    }
}
