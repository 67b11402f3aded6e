//! Libraries whose code a compiler wrote for the files in `proto`: upb by Google's protoc, and buffa.

use std::marker::PhantomData;

use buffa::{Message as _, MessageView as _};
use polywire_core::Result;
use protobuf::{Parse as _, Serialize as _};

use super::Codec;
use crate::failed::failed;

/// As protoc wrote it.
#[allow(warnings, clippy::all, unsafe_code)]
pub mod of_upb {
    include!(concat!(env!("OUT_DIR"), "/protobuf_generated/generated.rs"));
}

/// As buffa wrote it.
#[allow(warnings, clippy::all)]
mod buffa_code {
    include!(concat!(env!("OUT_DIR"), "/buffa.rs"));
}

pub use buffa_code::peers as of_buffa;

/// Google's Rust library on upb: each message has an arena.
pub struct Upb<T>(PhantomData<T>);

/// buffa: owned values.
pub struct Buffa<T>(PhantomData<T>);

/// buffa: views of the bytes.
pub struct BuffaView<T>(PhantomData<T>);

macro_rules! codecs {
    ($upb:ty, $owned:ty, $view:ident) => {
        impl Codec for Upb<$upb> {
            type Decoded<'b> = $upb;
            type Value = $upb;

            fn decode(bytes: &[u8]) -> Result<$upb> {
                <$upb>::parse(bytes).map_err(failed)
            }

            fn encode(value: &$upb, out: &mut Vec<u8>) -> Result<()> {
                *out = value.serialize().map_err(failed)?;
                Ok(())
            }

            fn to_protobuf(value: &$upb) -> Result<Vec<u8>> {
                value.serialize().map_err(failed)
            }

            fn of_protobuf(bytes: &[u8]) -> Result<$upb> {
                <$upb>::parse(bytes).map_err(failed)
            }

            fn value(message: &[u8], _: &[u8]) -> Result<$upb> {
                Self::decode(message)
            }
        }

        impl Codec for Buffa<$owned> {
            type Decoded<'b> = $owned;
            type Value = $owned;

            fn decode(bytes: &[u8]) -> Result<$owned> {
                <$owned>::decode_from_slice(bytes).map_err(failed)
            }

            fn encode(value: &$owned, out: &mut Vec<u8>) -> Result<()> {
                value.encode(out);
                Ok(())
            }

            fn to_protobuf(value: &$owned) -> Result<Vec<u8>> {
                Ok(value.encode_to_vec())
            }

            fn of_protobuf(bytes: &[u8]) -> Result<$owned> {
                <$owned>::decode_from_slice(bytes).map_err(failed)
            }

            fn value(message: &[u8], _: &[u8]) -> Result<$owned> {
                Self::decode(message)
            }
        }

        impl Codec for BuffaView<$owned> {
            type Decoded<'b> = of_buffa::$view<'b>;
            type Value = $owned;

            fn decode(bytes: &[u8]) -> Result<Self::Decoded<'_>> {
                of_buffa::$view::decode_view(bytes).map_err(failed)
            }

            fn encode(value: &$owned, out: &mut Vec<u8>) -> Result<()> {
                value.encode(out);
                Ok(())
            }

            fn to_protobuf(decoded: &Self::Decoded<'_>) -> Result<Vec<u8>> {
                Ok(decoded.to_owned_message().map_err(failed)?.encode_to_vec())
            }

            fn of_protobuf(bytes: &[u8]) -> Result<$owned> {
                <$owned>::decode_from_slice(bytes).map_err(failed)
            }
        }
    };
}

codecs!(of_upb::Complex, of_buffa::Complex, ComplexView);
codecs!(of_upb::Flat, of_buffa::Flat, FlatView);
codecs!(of_upb::Sales, of_buffa::Sales, SalesView);
codecs!(of_upb::FindItemsByKeywordsResponse, of_buffa::FindItemsByKeywordsResponse, FindItemsByKeywordsResponseView);
