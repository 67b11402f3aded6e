//! ASN.1's Basic Encoding Rules (X.690) without a schema, and with them DER and CER: certificates,
//! keys, LDAP and SNMP messages.
//!
//! Every encoding has its tag and its length, so the shape is known without the ASN.1 module; the
//! names are not. There is no writer: the type of a tag is in the module, not in the bytes.
//! `docs/formats/ber.md` describes the convention.

mod frame;
mod header;
mod read;
mod spaces;
mod universal;

pub use spaces::{APPLICATION, CONTEXT, PRIVATE, UNIVERSAL};

use polywire_core::format::{Format, Nature, SchemaNeed};

/// The format's line in the registry.
pub static FORMAT: Format =
    Format::new(spaces::NAME, "ASN.1 BER and DER", Nature::Binary, frame::recognise, || Box::new(read::BerReader::default()))
        .media_types(&[
            "application/pkix-cert",
            "application/x-x509-ca-cert",
            "application/pkix-crl",
            "application/pkcs8",
            "application/pkcs10",
        ])
        .extensions(&["der", "ber", "cer"])
        .magic("a tag and a length; mostly 30, SEQUENCE")
        .schema(SchemaNeed::Optional);
