//! Our ASN.1 by a module that is read at run time: ticket sales, every value sent to a sink that counts.
//!
//! `proto/sales.asn1` is the module that asn1c makes its code of; `proto/sales-octets.asn1` has rasn's octets in place of `REAL`.

use std::hint::black_box;
use std::sync::Arc;

use polywire_asn1::ber::{self, BerReader, Rules};
use polywire_asn1::load::load;
use polywire_asn1::per::{Per, PerReader, Variant};
use polywire_asn1::walk::Plan;
use polywire_compare::harness::Subject;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_core::tools::Count;
use polywire_core::{Budget, Dialect, Error, Limits, Reader, Result};
use polywire_formats::registry;
use polywire_formats::serde::{TypedReader, TypedWriter};
use prost::Message as _;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::failed::failed;
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};
use crate::typed::model::{Sales, Voucher};
use crate::typed::{self, Messages};

/// An encoding of ticket sales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// BER and UPER of `proto/sales.asn1`, as our own writer makes them. A test in `native.rs` reads asn1c's.
    Ber,
    Uper,
    /// Octets of rasn, by the module without `REAL`. In OER, the bytes are those of `proto/sales.asn1` too.
    BerOctets,
    UperOctets,
    OerOctets,
}

impl Encoding {
    fn has_octets(self) -> bool {
        !matches!(self, Encoding::Ber | Encoding::Uper)
    }

    /// Returns name and text of the module.
    fn module(self) -> SchemaText<'static> {
        let (name, bytes): (_, &[u8]) = if self.has_octets() {
            ("sales-octets.asn1", include_bytes!("../../proto/sales-octets.asn1"))
        } else {
            ("sales.asn1", include_bytes!("../../proto/sales.asn1"))
        };
        SchemaText { name, bytes, identity: name }
    }

    /// Returns the format, bound to the module.
    pub fn dialect(self) -> Result<Dialect> {
        let format = registry::find(match self {
            Encoding::Ber | Encoding::BerOctets => "asn1-ber",
            Encoding::Uper | Encoding::UperOctets => "asn1-uper",
            Encoding::OerOctets => "asn1-oer",
        })?;
        let binder = format.binder.ok_or_else(|| Error::internal(format!("{} takes no schema", format.name)))?;
        let bound = binder.bind_text(&self.module(), &mut NoFiles, Some("Sales"))?;
        Ok(Dialect::bound(format, bound))
    }

    /// Returns the tables of the module.
    fn plan(self) -> Result<Arc<Plan>> {
        let model = load(&self.module(), &mut NoFiles).resolve(&Limits::DEFAULT).map_err(failed)?;
        let root = model.modules.iter().find_map(|module| model.named(&module.name, "Sales"));
        Plan::new(Arc::new(model), root.ok_or_else(|| Error::internal("a module without Sales"))?).map(Arc::new)
    }

    /// Returns the messages in this encoding.
    pub fn messages(self, input: &Input) -> Result<Vec<Vec<u8>>> {
        let of_rasn = match self {
            Encoding::Ber | Encoding::Uper => {
                let mut writer = TypedWriter::new(self.dialect()?)?;
                let write = |protobuf: &[u8]| {
                    let mut out = Vec::new();
                    writer.write(&Sales::decode(protobuf).map_err(failed)?, &mut out)?;
                    Ok(out)
                };
                return input.each().map(write).collect();
            }
            Encoding::OerOctets => Messages::of::<typed::asn1::Oer>(input)?,
            Encoding::BerOctets => Messages::of::<typed::asn1::Ber>(input)?,
            Encoding::UperOctets => Messages::of::<typed::asn1::Uper>(input)?,
        };
        Ok(of_rasn.each().map(<[u8]>::to_vec).collect())
    }
}

/// A reader, and whether it knows the sink when it is compiled.
pub trait Walker: 'static {
    fn of(encoding: Encoding) -> Result<Self>
    where
        Self: Sized;

    fn count(&mut self, message: &[u8], budget: &mut Budget) -> Result<Count>;
}

/// Calls the sink through the registry and `dyn Sink`, as the program does.
impl Walker for Box<dyn Reader> {
    fn of(encoding: Encoding) -> Result<Box<dyn Reader>> {
        Ok(encoding.dialect()?.reader())
    }

    fn count(&mut self, message: &[u8], budget: &mut Budget) -> Result<Count> {
        let mut count = Count::default();
        self.walk(message, 0, &mut count, budget)?;
        Ok(count)
    }
}

impl Walker for BerReader {
    fn of(encoding: Encoding) -> Result<BerReader> {
        let plan = encoding.plan()?;
        let defaults = Arc::new(ber::defaults(&plan));
        Ok(BerReader::new(plan, defaults, Rules::Basic))
    }

    fn count(&mut self, message: &[u8], budget: &mut Budget) -> Result<Count> {
        let mut count = Count::default();
        self.walk_into(message, 0, &mut count, budget)?;
        Ok(count)
    }
}

impl Walker for PerReader {
    fn of(encoding: Encoding) -> Result<PerReader> {
        let variant = if encoding == Encoding::OerOctets { Variant::Octets } else { Variant::Unaligned };
        Ok(Per::new(encoding.plan()?, variant).reader(false))
    }

    fn count(&mut self, message: &[u8], budget: &mut Budget) -> Result<Count> {
        let mut count = Count::default();
        self.walk_into(message, 0, &mut count, budget)?;
        Ok(count)
    }
}

/// Every value is sent to a sink that counts.
struct Walk<'a, W> {
    encoding: Encoding,
    walker: W,
    messages: Vec<Vec<u8>>,
    budget: Budget,
    input: &'a Input,
}

/// The messages walked by a reader of `encoding`.
pub fn walk<W: Walker>(encoding: Encoding, work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode {
        return Ok(None);
    }
    let (walker, messages) = (W::of(encoding)?, encoding.messages(input)?);
    Ok(Some(Box::new(Walk { encoding, walker, messages, budget: Budget::new(&Limits::DEFAULT), input })))
}

impl<W: Walker> Subject for Walk<'_, W> {
    fn pass(&mut self) -> Result<()> {
        for message in &self.messages {
            self.budget.reset();
            black_box(self.walker.count(black_box(message), &mut self.budget)?);
        }
        Ok(())
    }
}

impl<'a, W: Walker> Peer<'a> for Walk<'a, W> {
    /// Compares the walk's events, read as types, with the message of Protobuf.
    fn check(&mut self) -> Result<u64> {
        let mut reader = TypedReader::new(self.encoding.dialect()?)?;
        let mut known = <Box<dyn Reader>>::of(self.encoding)?;
        for (message, expected) in self.messages.iter().zip(self.input.each()) {
            let found = if self.encoding.has_octets() {
                reader.message::<OctetSales>(message, 0)?.into()
            } else {
                reader.message::<Sales>(message, 0)?
            };
            if found.encode_to_vec() != expected {
                return Err(Error::internal("polywire: the walk found another message"));
            }
            let count = |walker: &mut dyn Walker| walker.count(message, &mut Budget::new(&Limits::DEFAULT));
            if count(&mut self.walker)? != count(&mut known)? {
                return Err(Error::internal("polywire: the walk counted otherwise"));
            }
        }
        Ok(self.messages.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.iter().map(Vec::len).sum())
    }
}

/// Ticket sales of `proto/sales-octets.asn1`.
#[derive(Deserialize)]
struct OctetSales {
    n: u64,
    m: i32,
    s: i64,
    e: i64,
    v: Vec<OctetVoucher>,
}

#[derive(Deserialize)]
struct OctetVoucher {
    n: u64,
    s: Octets,
    g: String,
    t: i64,
    b: bool,
}

impl From<OctetSales> for Sales {
    fn from(sales: OctetSales) -> Sales {
        let voucher = |OctetVoucher { n, s, g, t, b }| Voucher { n, s: s.0, g, t, b };
        Sales { n: sales.n, m: sales.m, s: sales.s, e: sales.e, v: sales.v.into_iter().map(voucher).collect() }
    }
}

/// A number as eight octets.
struct Octets(f64);

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Octets, D::Error> {
        struct Eight;

        impl Visitor<'_> for Eight {
            type Value = Octets;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("eight octets")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> std::result::Result<Octets, E> {
                let octets = bytes.try_into().map_err(|_| E::invalid_length(bytes.len(), &self))?;
                Ok(Octets(f64::from_be_bytes(octets)))
            }
        }

        deserializer.deserialize_bytes(Eight)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::input::Source;

    #[test]
    fn the_walk_counts_what_the_messages_hold() {
        let input = Input::load(Path::new(".."), &Source::Sales { vouchers: 3 }).unwrap();
        for encoding in [Encoding::Ber, Encoding::Uper, Encoding::BerOctets, Encoding::UperOctets, Encoding::OerOctets] {
            let mut reader = <Box<dyn Reader>>::of(encoding).unwrap();
            let count = reader.count(&encoding.messages(&input).unwrap()[0], &mut Budget::new(&Limits::DEFAULT)).unwrap();
            // A record, its list, a record for each voucher.
            assert_eq!((count.containers, count.fields, count.scalars), (5, 20, 19), "{encoding:?}");
        }
    }
}
