//! Ticket sales as JSON, by libraries that read and write types through serde; times as integers and as text.

use std::marker::PhantomData;

use polywire_core::Result;
use prost::Message;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Codec;
use super::model::{Sales, Voucher};
use crate::failed::failed;

/// Sales whose times are ISO 8601 text on the wire.
#[derive(Clone, Serialize, Deserialize)]
pub struct Dated {
    n: u64,
    m: i32,
    #[serde(with = "date")]
    s: i64,
    #[serde(with = "date")]
    e: i64,
    v: Vec<DatedVoucher>,
}

#[derive(Clone, Serialize, Deserialize)]
struct DatedVoucher {
    n: u64,
    s: f64,
    g: String,
    #[serde(with = "date")]
    t: i64,
    b: bool,
}

impl From<Sales> for Dated {
    fn from(sales: Sales) -> Dated {
        let voucher = |Voucher { n, s, g, t, b }| DatedVoucher { n, s, g, t, b };
        Dated { n: sales.n, m: sales.m, s: sales.s, e: sales.e, v: sales.v.into_iter().map(voucher).collect() }
    }
}

impl From<Dated> for Sales {
    fn from(sales: Dated) -> Sales {
        let voucher = |DatedVoucher { n, s, g, t, b }| Voucher { n, s, g, t, b };
        Sales { n: sales.n, m: sales.m, s: sales.s, e: sales.e, v: sales.v.into_iter().map(voucher).collect() }
    }
}

/// Milliseconds since 1970 as text, by jiff.
mod date {
    use std::fmt;

    use jiff::Timestamp;
    use serde::de::{Error as _, Visitor};
    use serde::ser::Error as _;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(time: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        let time = Timestamp::from_millisecond(*time).map_err(S::Error::custom)?;
        serializer.collect_str(&format_args!("{time:.3}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = i64;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a time as text")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<i64, E> {
                text.parse::<Timestamp>().map(Timestamp::as_millisecond).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text).map_err(D::Error::custom)
    }
}

/// serde_json, on sales with times of either kind.
pub struct SerdeJson<T>(PhantomData<T>);

/// sonic-rs, likewise.
pub struct SonicRs<T>(PhantomData<T>);

macro_rules! codec {
    ($codec:ident, $library:ident) => {
        impl<T: Serialize + DeserializeOwned + Clone + From<Sales> + Into<Sales>> Codec for $codec<T> {
            type Decoded<'b> = T;
            type Value = T;

            fn decode(bytes: &[u8]) -> Result<T> {
                $library::from_slice(bytes).map_err(failed)
            }

            fn encode(value: &T, out: &mut Vec<u8>) -> Result<()> {
                $library::to_writer(out, value).map_err(failed)
            }

            fn to_protobuf(decoded: &T) -> Result<Vec<u8>> {
                let sales: Sales = decoded.clone().into();
                Ok(sales.encode_to_vec())
            }

            fn of_protobuf(bytes: &[u8]) -> Result<T> {
                Sales::decode(bytes).map(T::from).map_err(failed)
            }
        }
    };
}

codec!(SerdeJson, serde_json);
codec!(SonicRs, sonic_rs);
