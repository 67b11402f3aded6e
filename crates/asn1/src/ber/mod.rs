//! BER, DER and CER by a schema (X.690), both ways.

mod back;
mod frame;
mod header;
mod read;
mod rules;
mod write;

pub use crate::walk::checks::Checks;
pub(crate) use frame::Framer;
pub use read::BerReader;
pub(crate) use rules::is_canonical_time;
pub use write::{BerWriter, Defaults, defaults};

/// Name of the basic rules, for errors of all three.
pub(crate) const NAME: &str = "asn1-ber";

/// Encoding rules of X.690.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// BER: a value has many encodings.
    Basic,
    /// DER: one encoding, of definite lengths.
    Distinguished,
    /// CER: one encoding, of indefinite lengths.
    Canonical,
}

impl Rules {
    /// Returns the name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Rules::Basic => NAME,
            Rules::Distinguished => "asn1-der",
            Rules::Canonical => "asn1-cer",
        }
    }

    /// Returns the abbreviation of the rules.
    pub const fn title(self) -> &'static str {
        match self {
            Rules::Basic => "BER",
            Rules::Distinguished => "DER",
            Rules::Canonical => "CER",
        }
    }
}
