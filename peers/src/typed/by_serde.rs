//! Typed messages by way of serde: ours beside the libraries of the same formats. All of them read and write the same types.
//!
//! Our reader and writer are kept from message to message, as a program keeps them that has several; other libraries have nothing to keep.

use std::cell::RefCell;
use std::marker::PhantomData;

use polywire_core::Result;
use polywire_formats::serde::{TypedReader, TypedWriter};
use prost::Message;
use serde::{Deserialize, Serialize};

use super::Codec;
use super::finding::FindItemsByKeywordsResponse;
use super::model::{Sales, Voucher};
use crate::failed::failed;
use crate::ours::asn1::Encoding;

/// A library for one format.
pub trait Library {
    fn decode<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T>;

    /// Appends the message to `out`.
    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()>;
}

/// A library that only makes values that own all they have.
pub trait OwningLibrary {
    fn decode<T: for<'b> Deserialize<'b>>(bytes: &[u8]) -> Result<T>;
    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()>;
}

macro_rules! ours {
    ($($library:ident, $dialect:expr;)*) => {$(
        pub struct $library;

        impl Library for $library {
            fn decode<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T> {
                thread_local!(static READER: RefCell<TypedReader> = RefCell::new(TypedReader::new($dialect).expect("a registered format")));
                READER.with_borrow_mut(|reader| reader.read(bytes))
            }

            fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
                thread_local!(static WRITER: RefCell<TypedWriter> = RefCell::new(TypedWriter::new($dialect).expect("a format that is written")));
                WRITER.with_borrow_mut(|writer| writer.write(value, out))
            }
        }
    )*};
}

ours! {
    Json, "json";
    Msgpack, "msgpack";
    Cbor, "cbor";
    Xml, "xml";
    Ber, Encoding::Ber.dialect().expect("a module");
    Uper, Encoding::Uper.dialect().expect("a module");
}

pub struct SerdeJson;

impl Library for SerdeJson {
    fn decode<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T> {
        serde_json::from_slice(bytes).map_err(failed)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, value).map_err(failed)
    }
}

pub struct SonicRs;

impl Library for SonicRs {
    fn decode<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T> {
        sonic_rs::from_slice(bytes).map_err(failed)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        sonic_rs::to_writer(out, value).map_err(failed)
    }
}

/// rmp-serde, with the names of fields in the message, as ours has them.
pub struct RmpSerde;

impl Library for RmpSerde {
    fn decode<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T> {
        rmp_serde::from_slice(bytes).map_err(failed)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        rmp_serde::encode::write_named(out, value).map_err(failed)
    }
}

pub struct Ciborium;

impl OwningLibrary for Ciborium {
    fn decode<T: for<'b> Deserialize<'b>>(bytes: &[u8]) -> Result<T> {
        ciborium::from_reader(bytes).map_err(failed)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        ciborium::into_writer(value, out).map_err(failed)
    }
}

/// quick-xml's serde, the root called `Root`.
pub struct QuickXml;

impl OwningLibrary for QuickXml {
    fn decode<T: for<'b> Deserialize<'b>>(bytes: &[u8]) -> Result<T> {
        quick_xml::de::from_str(std::str::from_utf8(bytes).map_err(failed)?).map_err(failed)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        quick_xml::se::to_utf8_io_writer(out, value).map(|_| ()).map_err(failed)
    }
}

/// Our reader of XML, on the documents that quick-xml writes.
pub struct PlainXml;

#[derive(Deserialize)]
struct Document<T> {
    #[serde(rename = "Root")]
    root: T,
}

impl OwningLibrary for PlainXml {
    fn decode<T: for<'b> Deserialize<'b>>(bytes: &[u8]) -> Result<T> {
        <Xml as Library>::decode::<Document<T>>(bytes).map(|document| document.root)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        <QuickXml as OwningLibrary>::encode(value, out)
    }
}

/// A library that may borrow, reading values that own all they have.
pub struct Whole<L>(PhantomData<L>);

impl<L: Library> OwningLibrary for Whole<L> {
    fn decode<T: for<'b> Deserialize<'b>>(bytes: &[u8]) -> Result<T> {
        L::decode(bytes)
    }

    fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        L::encode(value, out)
    }
}

/// A library on messages of the type `T`, which own all they have.
pub struct Owned<L, T>(PhantomData<(L, T)>);

impl<L: OwningLibrary, T: Message + Default + Serialize + for<'b> Deserialize<'b>> Codec for Owned<L, T> {
    type Decoded<'b> = T;
    type Value = T;

    fn decode(bytes: &[u8]) -> Result<T> {
        L::decode(bytes)
    }

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<()> {
        L::encode(value, out)
    }

    fn to_protobuf(decoded: &T) -> Result<Vec<u8>> {
        Ok(decoded.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<T> {
        T::decode(bytes).map_err(failed)
    }
}

/// Ticket sales whose texts lie in the message.
#[derive(Deserialize)]
pub struct SalesView<'b> {
    n: u64,
    m: i32,
    s: i64,
    e: i64,
    #[serde(borrow)]
    v: Vec<VoucherView<'b>>,
}

#[derive(Deserialize)]
struct VoucherView<'b> {
    n: u64,
    s: f64,
    g: &'b str,
    t: i64,
    b: bool,
}

/// A library on ticket sales, which borrow their texts.
pub struct Borrowed<L>(PhantomData<L>);

impl<L: Library> Codec for Borrowed<L> {
    type Decoded<'b> = SalesView<'b>;
    type Value = Sales;

    fn decode(bytes: &[u8]) -> Result<SalesView<'_>> {
        L::decode(bytes)
    }

    fn encode(value: &Sales, out: &mut Vec<u8>) -> Result<()> {
        L::encode(value, out)
    }

    fn to_protobuf(sales: &SalesView<'_>) -> Result<Vec<u8>> {
        let voucher = |voucher: &VoucherView<'_>| Voucher { n: voucher.n, s: voucher.s, g: voucher.g.into(), t: voucher.t, b: voucher.b };
        Ok(Sales { n: sales.n, m: sales.m, s: sales.s, e: sales.e, v: sales.v.iter().map(voucher).collect() }.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<Sales> {
        <Sales as Message>::decode(bytes).map_err(failed)
    }
}

/// The search reply.
pub type Reply = FindItemsByKeywordsResponse;
