//! Names of kinds.

use super::Kind;

impl Kind {
    /// Returns the name of the kind as the standard writes it, equal for types with the same
    /// contents.
    pub fn keyword(&self) -> &'static str {
        match self {
            Kind::Boolean => "BOOLEAN",
            Kind::Null => "NULL",
            Kind::Real => "REAL",
            Kind::Integer(_) => "INTEGER",
            Kind::Enumerated(_) => "ENUMERATED",
            Kind::Bits(_) => "BIT STRING",
            Kind::Octets => "OCTET STRING",
            Kind::Oid => "OBJECT IDENTIFIER",
            Kind::RelativeOid => "RELATIVE-OID",
            Kind::OidIri => "OID-IRI",
            Kind::RelativeOidIri => "RELATIVE-OID-IRI",
            Kind::External => "EXTERNAL",
            Kind::EmbeddedPdv => "EMBEDDED PDV",
            Kind::CharacterString => "CHARACTER STRING",
            Kind::Text(kind) => kind.keyword(),
            Kind::Time(kind) => kind.keyword(),
            Kind::Sequence(_) => "SEQUENCE",
            Kind::Set(_) => "SET",
            Kind::SequenceOf(_) => "SEQUENCE OF",
            Kind::SetOf(_) => "SET OF",
            Kind::Choice(_) => "CHOICE",
            Kind::Open => "an open type",
            Kind::Unknown => "an unknown type",
        }
    }
}
