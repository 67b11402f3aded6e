//! The options document's schema (EXI 1.0, appendix C), as far as its grammar has choices.
//!
//! The document is coded by this schema with the option `strict`: elements of a sequence that may
//! be absent have the codes of their order, and the end of the sequence comes last.

use polywire_core::Result;

use crate::tables::Tables;

/// The four bytes that a stream may start with (5.1).
pub(crate) const COOKIE: &[u8] = b"$EXI";

/// The children of `header`, and of the elements within.
pub(crate) const HEADER: [&str; 3] = ["lesscommon", "common", "strict"];
pub(crate) const LESS_COMMON: [&str; 3] = ["uncommon", "preserve", "blockSize"];
pub(crate) const UNCOMMON: [&str; 5] =
    ["alignment", "selfContained", "valueMaxLength", "valuePartitionCapacity", "datatypeRepresentationMap"];
pub(crate) const PRESERVE: [&str; 5] = ["dtd", "prefixes", "lexicalValues", "comments", "pis"];
pub(crate) const COMMON: [&str; 3] = ["compression", "fragment", "schemaId"];

/// The names of XML Schema that streams by a schema start with (appendix D.3).
const XSD: [&str; 46] = [
    "ENTITIES",
    "ENTITY",
    "ID",
    "IDREF",
    "IDREFS",
    "NCName",
    "NMTOKEN",
    "NMTOKENS",
    "NOTATION",
    "Name",
    "QName",
    "anySimpleType",
    "anyType",
    "anyURI",
    "base64Binary",
    "boolean",
    "byte",
    "date",
    "dateTime",
    "decimal",
    "double",
    "duration",
    "float",
    "gDay",
    "gMonth",
    "gMonthDay",
    "gYear",
    "gYearMonth",
    "hexBinary",
    "int",
    "integer",
    "language",
    "long",
    "negativeInteger",
    "nonNegativeInteger",
    "nonPositiveInteger",
    "normalizedString",
    "positiveInteger",
    "short",
    "string",
    "time",
    "token",
    "unsignedByte",
    "unsignedInt",
    "unsignedLong",
    "unsignedShort",
];

/// The names of the schema of options, in order.
const EXI: [&str; 39] = [
    "alignment",
    "base64Binary",
    "blockSize",
    "boolean",
    "byte",
    "comments",
    "common",
    "compression",
    "datatypeRepresentationMap",
    "date",
    "dateTime",
    "decimal",
    "double",
    "dtd",
    "fragment",
    "gDay",
    "gMonth",
    "gMonthDay",
    "gYear",
    "gYearMonth",
    "header",
    "hexBinary",
    "ieeeBinary32",
    "ieeeBinary64",
    "integer",
    "lesscommon",
    "lexicalValues",
    "pis",
    "pre-compress",
    "prefixes",
    "preserve",
    "schemaId",
    "selfContained",
    "strict",
    "string",
    "time",
    "uncommon",
    "valueMaxLength",
    "valuePartitionCapacity",
];

/// Makes the string tables that an options document starts with.
pub(crate) fn tables() -> Result<Tables> {
    let mut tables = Tables::default();
    tables.clear()?;
    tables.add_uri("http://www.w3.org/2001/XMLSchema", None, &XSD)?;
    tables.add_uri("http://www.w3.org/2009/exi", None, &EXI)?;
    Ok(tables)
}
