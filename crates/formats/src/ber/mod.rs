//! ASN.1's Basic Encoding Rules (X.690) without a schema, and with them DER and CER: certificates, keys, LDAP and SNMP messages.
//!
//! Every encoding says its tag and its length, so the shape can be told without the ASN.1 module; the names cannot. There is no
//! writer: which type a tag stands for is in the module, not in the bytes. The convention is on the page `docs/formats/ber.md`.

mod frame;
mod header;
mod oids;
mod read;
mod universal;

use polywire_core::format::{Format, Nature, SchemaNeed};

/// Tag space of the universal types that a value alone does not tell: `SET`, `OBJECT IDENTIFIER`, `BIT STRING`…
pub const UNIVERSAL: &str = "ber-universal";
/// Tag space of the application class.
pub const APPLICATION: &str = "ber-application";
/// Tag space of the context-specific class.
pub const CONTEXT: &str = "ber-context";
/// Tag space of the private class.
pub const PRIVATE: &str = "ber-private";

/// The format's line in the registry.
pub static FORMAT: Format =
    Format::new("ber", "ASN.1 BER and DER", Nature::Binary, frame::recognise, || Box::new(read::BerReader::default()))
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
