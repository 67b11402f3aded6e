//! Ticket sales by the types of `proto/sales.asn1`, in four encoding rules of rasn.
//!
//! rasn has no `REAL` in BER and PER: there, the number is an octet string of eight.

use polywire_core::Result;
use prost::Message;
use rasn::types::{Constraints, FixedOctetString, Identifier, IntegerType, Tag};
use rasn::{AsnType, Decode, Decoder, Encode, Encoder};

use super::{Codec, model};
use crate::failed::failed;

/// A number as the octets of its IEEE 754 form, the highest first.
#[derive(Clone, Copy)]
pub struct Octets(f64);

impl From<f64> for Octets {
    fn from(number: f64) -> Octets {
        Octets(number)
    }
}

impl From<Octets> for f64 {
    fn from(octets: Octets) -> f64 {
        octets.0
    }
}

impl AsnType for Octets {
    const TAG: Tag = Tag::OCTET_STRING;
    const CONSTRAINTS: Constraints = FixedOctetString::<8>::CONSTRAINTS;
    const IDENTIFIER: Identifier = Identifier::OCTET_STRING;
}

impl Encode for Octets {
    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        constraints: &Constraints,
        identifier: Identifier,
    ) -> std::result::Result<(), E::Error> {
        encoder.encode_octet_string(tag, constraints, &self.0.to_be_bytes(), identifier.or(Self::IDENTIFIER)).map(drop)
    }
}

impl Decode for Octets {
    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        constraints: &Constraints,
    ) -> std::result::Result<Octets, D::Error> {
        let octets = FixedOctetString::<8>::decode_with_tag_and_constraints(decoder, tag, constraints)?;
        Ok(Octets(f64::from_be_bytes(*octets)))
    }
}

/// An integer that the module doesn't bound: rasn's plain integers have the bounds of their types, and so another encoding in PER and OER.
#[derive(Clone, Copy)]
struct Whole<I>(I);

impl<I> AsnType for Whole<I> {
    const TAG: Tag = Tag::INTEGER;
    const IDENTIFIER: Identifier = Identifier::INTEGER;
}

impl<I: IntegerType> Encode for Whole<I> {
    fn encode_with_tag_and_constraints<'b, E: Encoder<'b>>(
        &self,
        encoder: &mut E,
        tag: Tag,
        constraints: &Constraints,
        identifier: Identifier,
    ) -> std::result::Result<(), E::Error> {
        encoder.encode_integer(tag, constraints, &self.0, identifier.or(Self::IDENTIFIER)).map(drop)
    }
}

impl<I: IntegerType> Decode for Whole<I> {
    fn decode_with_tag_and_constraints<D: Decoder>(
        decoder: &mut D,
        tag: Tag,
        constraints: &Constraints,
    ) -> std::result::Result<Whole<I>, D::Error> {
        decoder.decode_integer(tag, constraints).map(Whole)
    }
}

macro_rules! types {
    ($module:ident, $double:ty) => {
        /// Sales with numbers of that type.
        pub mod $module {
            use super::*;

            #[derive(Clone, AsnType, Encode, Decode)]
            #[rasn(automatic_tags)]
            pub struct Sales {
                #[rasn(value("0.."))]
                n: Whole<u64>,
                // Its bounds are those of the module.
                m: i32,
                s: Whole<i64>,
                e: Whole<i64>,
                v: Vec<Voucher>,
            }

            #[derive(Clone, AsnType, Encode, Decode)]
            #[rasn(automatic_tags)]
            struct Voucher {
                #[rasn(value("0.."))]
                n: Whole<u64>,
                s: $double,
                g: String,
                t: Whole<i64>,
                b: bool,
            }

            impl From<model::Sales> for Sales {
                fn from(sales: model::Sales) -> Sales {
                    let voucher = |model::Voucher { n, s, g, t, b }| Voucher { n: Whole(n), s: s.into(), g, t: Whole(t), b };
                    let v = sales.v.into_iter().map(voucher).collect();
                    Sales { n: Whole(sales.n), m: sales.m, s: Whole(sales.s), e: Whole(sales.e), v }
                }
            }

            impl From<Sales> for model::Sales {
                fn from(sales: Sales) -> model::Sales {
                    let voucher = |Voucher { n, s, g, t, b }| model::Voucher { n: n.0, s: s.into(), g, t: t.0, b };
                    let v = sales.v.into_iter().map(voucher).collect();
                    model::Sales { n: sales.n.0, m: sales.m, s: sales.s.0, e: sales.e.0, v }
                }
            }
        }
    };
}

types!(with_real, f64);
types!(with_octets, Octets);

macro_rules! rules {
    ($(#[$doc:meta])* $codec:ident, $sales:ty, $rules:ident, $encode:expr) => {
        $(#[$doc])*
        pub struct $codec;

        impl Codec for $codec {
            type Decoded<'b> = $sales;
            type Value = $sales;

            fn decode(bytes: &[u8]) -> Result<$sales> {
                rasn::$rules::decode(bytes).map_err(failed)
            }

            fn encode(value: &$sales, out: &mut Vec<u8>) -> Result<()> {
                let encode: fn(&$sales, &mut Vec<u8>) -> std::result::Result<(), rasn::error::EncodeError> = $encode;
                encode(value, out).map_err(failed)
            }

            fn to_protobuf(decoded: &$sales) -> Result<Vec<u8>> {
                Ok(model::Sales::from(decoded.clone()).encode_to_vec())
            }

            fn of_protobuf(bytes: &[u8]) -> Result<$sales> {
                model::Sales::decode(bytes).map(<$sales>::from).map_err(failed)
            }
        }
    };
}

rules!(
    /// Basic encoding rules, numbers as octets.
    Ber, with_octets::Sales, ber, rasn::ber::encode_buf
);
rules!(
    /// Packed encoding rules, unaligned, numbers as octets.
    Uper, with_octets::Sales, uper, rasn::uper::encode_buf
);
rules!(
    /// Octet encoding rules.
    Oer, with_real::Sales, oer, rasn::oer::encode_buf
);
rules!(
    /// XML encoding rules, which have no call that takes a buffer.
    Xer, with_real::Sales, xer, |value, out| {
        *out = rasn::xer::encode(value)?;
        Ok(())
    }
);
