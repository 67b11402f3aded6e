//! Packet ids (docs/spec/psyc.md 15), which identify packets in tags and in requests for
//! retransmission.

use crate::element;
use crate::packet::Sizing;
use crate::wire::BAR;
use crate::wire::render::{Item, List, RenderError};

/// Number of elements of a packet id.
pub const ELEMENTS: usize = 5;

/// The parts of a packet id, in the order of its elements. Parts that are not there are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketId<'a> {
    /// 0: address of the context, of a multicast.
    pub context: &'a [u8],
    /// 1: address of the sender.
    pub source: &'a [u8],
    /// 2: address of the receiver, of a unicast.
    pub target: &'a [u8],
    /// 3: number of the packet.
    pub counter: &'a [u8],
    /// 4: number of the fragment.
    pub fragment: &'a [u8],
}

impl<'a> PacketId<'a> {
    /// Returns the id as a list of five plain elements. They have no sizes, except a part that
    /// contains a bar.
    ///
    /// ```
    /// use polywire_psyc::packet_id::PacketId;
    ///
    /// let id = PacketId { context: b"psyc://h/@room", source: b"psyc://h/~ann", counter: b"12", ..PacketId::default() };
    /// let mut out = [0; 64];
    /// let length = id.list().render(&mut out)?;
    /// assert_eq!(&out[..length], b"| psyc://h/@room| psyc://h/~ann|| 12|");
    /// assert_eq!(PacketId::parse(&out[..length]), Some(id));
    /// # Ok::<(), polywire_psyc::wire::RenderError>(())
    /// ```
    pub fn list(&self) -> List<'a, [Item<'a>; ELEMENTS]> {
        let items = [self.context, self.source, self.target, self.counter, self.fragment].map(|value| {
            let sizing = if memchr::memchr(BAR, value).is_some() { Sizing::Need } else { Sizing::No };
            Item { kind: b"", value, sizing }
        });
        List { default: b"", items }
    }

    /// Renders it at the start of `out`, and returns its length.
    pub fn render(&self, out: &mut [u8]) -> Result<usize, RenderError> {
        self.list().render(out)
    }

    /// Parses an id. Returns `None` if the bytes are no list of exactly five elements, or if an
    /// element has a type.
    pub fn parse(bytes: &'a [u8]) -> Option<PacketId<'a>> {
        let mut parts = [&b""[..]; ELEMENTS];
        let mut at = 0;
        for part in &mut parts {
            if bytes.get(at) != Some(&BAR) {
                return None;
            }
            let found = element::whole(bytes, at, BAR).ok().filter(|found| found.kind.is_empty())?;
            (*part, at) = (found.value, found.end);
        }
        let [context, source, target, counter, fragment] = parts;
        (at == bytes.len()).then_some(PacketId { context, source, target, counter, fragment })
    }
}
