//! Writer of messages.

use polywire_doc::Ref;

use super::received::Received;
use super::sent::Sent;

/// Bytes of a frame before its content: its length, then its kind.
pub(super) const HEAD: usize = 5;

/// A message that is being written. It is one frame of a stream.
pub(crate) struct Put<'t> {
    pub(super) out: Vec<u8>,
    pub(super) side: Side<'t>,
}

/// The use of the lists and objects that are written.
pub(super) enum Side<'t> {
    /// The gateway sends them, and remembers their numbers.
    Gateway(Sent<'t>),
    /// A worker names those that it has received.
    Worker(&'t Received),
}

impl<'t> Put<'t> {
    /// Begins a message of the gateway, into an empty buffer.
    pub fn sending(kind: u8, out: Vec<u8>) -> Put<'t> {
        Put::new(kind, out, Side::Gateway(Sent::default()))
    }

    /// Begins one more message of the gateway in the same call.
    pub fn going_on(kind: u8, sent: Sent<'t>) -> Put<'t> {
        Put::new(kind, Vec::new(), Side::Gateway(sent))
    }

    /// Begins a message of a worker.
    pub fn answering(kind: u8, received: &'t Received) -> Put<'t> {
        Put::new(kind, Vec::new(), Side::Worker(received))
    }

    fn new(kind: u8, mut out: Vec<u8>, side: Side<'t>) -> Put<'t> {
        out.extend_from_slice(&[0, 0, 0, 0, kind]);
        Put { out, side }
    }

    /// Returns the frame, and the lists and objects that the gateway has sent. Returns no frame if
    /// it would have 4 GiB.
    pub fn finish(mut self) -> (Option<Vec<u8>>, Sent<'t>) {
        let sent = match self.side {
            Side::Gateway(sent) => sent,
            Side::Worker(_) => Sent::default(),
        };
        let Ok(length) = u32::try_from(self.out.len() - HEAD) else { return (None, sent) };
        self.out[..4].copy_from_slice(&length.to_le_bytes());
        (Some(self.out), sent)
    }

    pub fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    /// Writes a length, a count or a number that is small as a rule.
    pub fn count(&mut self, mut count: u64) {
        while count >= 0x80 {
            self.out.push(count as u8 | 0x80);
            count >>= 7;
        }
        self.out.push(count as u8);
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len() as u64);
        self.raw(bytes);
    }

    /// Returns the number by which the gateway knows a list or object that it has sent.
    pub(super) fn known(&self, value: Ref<'t>) -> Option<u32> {
        match &self.side {
            Side::Gateway(_) => None,
            Side::Worker(received) => received.number(value),
        }
    }

    pub(super) fn sent(&mut self) -> Option<&mut Sent<'t>> {
        match &mut self.side {
            Side::Gateway(sent) => Some(sent),
            Side::Worker(_) => None,
        }
    }
}
