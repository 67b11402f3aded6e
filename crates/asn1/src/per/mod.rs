//! PER: the packed encoding rules (X.691), aligned and unaligned, basic and canonical; and OER, the
//! octet encoding rules (X.696), which write the same parts in whole octets.
//!
//! A [`Per`] is a [`Plan`] with the widths of its fields. Readers take BASIC-PER; writers make
//! CANONICAL-PER, which is BASIC-PER too. A relay writes the messages of its own reader as they
//! came.

mod bits;
mod layout;
mod read;
mod times;
mod write;

use std::sync::Arc;

pub use read::PerReader;
pub use write::PerWriter;

use polywire_core::Frame;

use crate::walk::Plan;
use layout::Layout;
pub(crate) use layout::{Number, Size};

/// Text before the bits that say which extension additions a message has, in a note of the reader.
/// A relay writes as many.
const EXTENSIONS: &str = "extension additions: ";

/// Variants of the encoding: two of PER, and OER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// UNALIGNED: values follow each other bit by bit.
    Unaligned,
    /// ALIGNED: many values begin at a byte.
    Aligned,
    /// OER: every value has octets of its own (X.696).
    Octets,
    /// Canonical OER: the reader refuses what is not canonical.
    CanonicalOctets,
}

impl Variant {
    /// Returns the name of the format.
    pub const fn format(self) -> &'static str {
        match self {
            Variant::Unaligned => "asn1-uper",
            Variant::Aligned => "asn1-aper",
            Variant::Octets => "asn1-oer",
            Variant::CanonicalOctets => "asn1-coer",
        }
    }
}

/// Messages of one type in a variant of PER.
#[derive(Debug, Clone)]
pub struct Per {
    variant: Variant,
    layout: Arc<Layout>,
}

impl Per {
    /// Prepares the types of a plan.
    pub fn new(plan: Arc<Plan>, variant: Variant) -> Per {
        Per { variant, layout: Arc::new(Layout::new(plan, variant)) }
    }

    /// Returns the variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.layout.plan
    }

    /// Makes a reader. A lenient one reads values that a constraint of the schema forbids, where
    /// they have an encoding.
    pub fn reader(&self, lenient: bool) -> PerReader {
        PerReader::new(Arc::clone(&self.layout), lenient)
    }

    /// Makes a writer of CANONICAL-PER.
    pub fn writer(&self) -> PerWriter {
        PerWriter::new(Arc::clone(&self.layout), false)
    }

    /// Makes a writer for messages that come straight from a reader of the same type: it keeps what
    /// is not canonical, and additions of a later version.
    pub fn relay(&self) -> PerWriter {
        PerWriter::new(Arc::clone(&self.layout), true)
    }
}

/// Frames a message that ends with the input: nothing in its bits says how long they are.
pub(crate) fn whole(buf: &[u8], eof: bool) -> Frame {
    match (buf.len(), eof) {
        (0, true) => Frame::End,
        (length, true) => Frame::Message { start: 0, end: length },
        (length, false) => Frame::More(length.max(1)),
    }
}
