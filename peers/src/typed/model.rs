//! The messages of the typed benchmarks, as the types that prost, rkyv, bitcode and serde use: `proto/messages.proto` says the same.

use fastrand::Rng;
use prost::{Message, Oneof};
use serde::{Deserialize, Serialize};

/// One case of two.
#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Complex {
    #[prost(oneof = "Case", tags = "1, 2")]
    pub is: Option<Case>,
}

#[derive(Clone, PartialEq, Oneof, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub enum Case {
    #[prost(message, tag = "1")]
    A(A),
    #[prost(message, tag = "2")]
    B(B),
}

#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct A {
    #[prost(message, repeated, tag = "1")]
    pub a1: Vec<Flags>,
    #[prost(message, repeated, tag = "2")]
    pub a2: Vec<Sum>,
}

#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Flags {
    #[prost(sint64, tag = "1")]
    pub number: i64,
    #[prost(bool, repeated, tag = "2")]
    pub flags: Vec<bool>,
}

#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Sum {
    #[prost(oneof = "Is", tags = "1, 2, 3, 4")]
    pub is: Option<Is>,
}

#[derive(Clone, PartialEq, Oneof, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub enum Is {
    #[prost(sint64, tag = "1")]
    Int(i64),
    #[prost(string, tag = "2")]
    Text(String),
    #[prost(sfixed64, tag = "3")]
    Long(i64),
    #[prost(bool, tag = "4")]
    Nothing(bool),
}

#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct B {
    #[prost(bool, tag = "1")]
    pub b1: bool,
    #[prost(message, optional, tag = "2")]
    pub b2: Option<Numbers>,
}

#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Numbers {
    #[prost(string, tag = "1")]
    pub text: String,
    #[prost(sint64, repeated, tag = "2")]
    pub numbers: Vec<i64>,
}

#[derive(Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Flat {
    #[prost(sint64, tag = "1")]
    pub id: i64,
    #[prost(sint64, tag = "2")]
    pub count: i64,
    #[prost(bool, tag = "3")]
    pub good: bool,
    #[prost(string, tag = "4")]
    pub name: String,
    #[prost(string, tag = "5")]
    pub place: String,
    #[prost(double, tag = "6")]
    pub price: f64,
    #[prost(sfixed64, tag = "7")]
    pub time: i64,
    #[prost(bool, tag = "8")]
    pub late: bool,
}

/// A shift's ticket sales.
#[derive(
    Serialize, Deserialize, Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
#[serde(rename = "Root")]
pub struct Sales {
    #[prost(uint64, tag = "1")]
    pub n: u64,
    #[prost(sint32, tag = "2")]
    pub m: i32,
    #[prost(sint64, tag = "3")]
    pub s: i64,
    #[prost(sint64, tag = "4")]
    pub e: i64,
    #[prost(message, repeated, tag = "5")]
    #[serde(default)]
    pub v: Vec<Voucher>,
}

#[derive(
    Serialize, Deserialize, Clone, PartialEq, Message, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
pub struct Voucher {
    #[prost(uint64, tag = "1")]
    pub n: u64,
    #[prost(double, tag = "2")]
    pub s: f64,
    #[prost(string, tag = "3")]
    pub g: String,
    #[prost(sint64, tag = "4")]
    pub t: i64,
    #[prost(bool, tag = "5")]
    pub b: bool,
}

/// The sales of the published USDS benchmark, with that many vouchers, as Protobuf writes them.
pub fn sales(vouchers: u32) -> Vec<u8> {
    let voucher = |at: u32| Voucher { n: at.into(), s: at.into(), g: format!("Goods ID is {at}"), t: at.into(), b: at.is_multiple_of(2) };
    Sales { n: 1234, m: 9_992_828, s: 8_887_776, e: 8_889_999, v: (0..vouchers).map(voucher).collect() }.encode_to_vec()
}

/// A message with values at random.
pub trait Random: Message + Default {
    fn random(random: &mut Rng) -> Self;
}

/// Lists and texts of the published benchmark have up to nine items.
fn some<T>(random: &mut Rng, mut item: impl FnMut(&mut Rng) -> T) -> Vec<T> {
    (0..random.usize(..10)).map(|_| item(random)).collect()
}

fn text(random: &mut Rng) -> String {
    some(random, Rng::lowercase).into_iter().collect()
}

/// Whole numbers as the published message has them, of 3, 12 and 30 bits: of any size up to that, the largest somewhat more often, so that
/// messages have 82 bytes on average, as the published ones do.
fn whole(random: &mut Rng) -> i64 {
    let bits = if random.u8(..6) == 0 { 30 } else { random.u32(1..31) };
    random.i64(-(1 << bits)..1 << bits)
}

impl Random for Complex {
    fn random(random: &mut Rng) -> Complex {
        let case = if random.bool() {
            let a1 = some(random, |random| Flags { number: whole(random), flags: some(random, Rng::bool) });
            let a2 = some(random, |random| Sum {
                is: Some(match random.u8(..4) {
                    0 => Is::Int(whole(random)),
                    1 => Is::Text(text(random)),
                    2 => Is::Long(random.i64(..)),
                    _ => Is::Nothing(true),
                }),
            });
            Case::A(A { a1, a2 })
        } else {
            Case::B(B { b1: random.bool(), b2: Some(Numbers { text: text(random), numbers: some(random, whole) }) })
        };
        Complex { is: Some(case) }
    }
}

impl Random for Flat {
    fn random(random: &mut Rng) -> Flat {
        Flat {
            id: whole(random),
            count: whole(random),
            good: random.bool(),
            name: text(random),
            place: text(random),
            price: f64::from(random.u32(1..1_000_000)) / 100.0,
            time: random.i64(1_000_000_000_000..2_000_000_000_000),
            late: random.bool(),
        }
    }
}

/// Random messages, always the same, as Protobuf writes them: the bytes, and where each message lies in them.
pub fn messages<T: Random>(count: usize) -> (Vec<u8>, Vec<(usize, usize)>) {
    let mut random = Rng::with_seed(count as u64);
    let (mut bytes, mut places) = (Vec::new(), Vec::with_capacity(count));
    for _ in 0..count {
        let start = bytes.len();
        bytes.extend_from_slice(&T::random(&mut random).encode_to_vec());
        places.push((start, bytes.len()));
    }
    (bytes, places)
}
