//! Rules that verdicts name.

use polywire_core::schema::language::Rule;

/// Source of a rule that says what bytes mean.
const BER: &str = "X.690";

pub(super) const REMOVED: Rule =
    Rule { id: "removed-type", section: "X.680 16", text: "a type of one version that the other does not assign is read by nobody there" };
pub(super) const NAMES: Rule =
    Rule { id: "names", section: "X.680 25", text: "names are not on the wire: programs have to be changed, messages not" };
pub(super) const DEFAULTS: Rule =
    Rule { id: "defaults", section: "X.680 25.11", text: "an absent component has the value that the reader's default says" };
pub(super) const VALUES: Rule =
    Rule { id: "values", section: "X.680 49", text: "a value that the reader's constraint does not have is no value of its type" };
pub(super) const TAGS: Rule =
    Rule { id: "tags", section: "X.690 8.1.2", text: "BER knows components and alternatives by their tags alone" };
pub(super) const KIND: Rule = Rule { id: "type", section: BER, text: "the contents of a value are those of its type" };
pub(super) const ORDER: Rule =
    Rule { id: "order", section: "X.690 8.9.2", text: "the components of a SEQUENCE come in the order of its definition" };
pub(super) const REQUIRED: Rule =
    Rule { id: "required", section: "X.680 25.8", text: "a component without OPTIONAL or DEFAULT is in every value" };
pub(super) const UNKNOWN: Rule = Rule {
    id: "extension-marker",
    section: "X.680 25.1",
    text: "a reader steps over what it does not know only where its definition has an extension marker",
};
pub(super) const ENUMERATORS: Rule = Rule { id: "enumerators", section: "X.690 8.4", text: "BER writes the number of an enumerator" };
pub(super) const PACKED_KIND: Rule =
    Rule { id: "packed-type", section: "X.691 11", text: "PER writes no tags: bits mean what the reader's type says" };
pub(super) const PACKED_RANGE: Rule = Rule {
    id: "packed-range",
    section: "X.691 13.2",
    text: "PER writes a whole number as the distance from the least one of its constraint, in as many bits as the constraint needs",
};
pub(super) const PACKED_SIZE: Rule = Rule {
    id: "packed-size",
    section: "X.691 11.9",
    text: "PER writes a length as the distance from the least one of its constraint, and none where only one is allowed",
};
pub(super) const PACKED_ALPHABET: Rule =
    Rule { id: "packed-alphabet", section: "X.691 30.5", text: "PER writes a character in as many bits as the permitted alphabet needs" };
pub(super) const PACKED_MARKER: Rule =
    Rule { id: "packed-marker", section: "X.691 19.1", text: "PER writes a bit for each extension marker" };
pub(super) const PACKED_PREAMBLE: Rule = Rule {
    id: "packed-preamble",
    section: "X.691 19.2",
    text: "PER writes a bit for each component before the marker that may be absent, and no names",
};
pub(super) const PACKED_ROOT: Rule =
    Rule { id: "packed-root", section: "X.691 19.4", text: "PER knows the components before the marker by their position alone" };
pub(super) const PACKED_ADDITIONS: Rule =
    Rule { id: "packed-additions", section: "X.691 19.7", text: "PER knows additions by their position: new ones come behind all others" };
pub(super) const PACKED_INDEX: Rule = Rule {
    id: "packed-index",
    section: "X.691 14, 23",
    text: "PER writes the index of an enumerator or alternative among those before the marker, in as many bits as their number needs",
};
pub(super) const JSON_KIND: Rule =
    Rule { id: "json-type", section: "X.697", text: "JER writes a value as its type says: number, text, object" };
pub(super) const JSON_NAMES: Rule =
    Rule { id: "json-names", section: "X.697", text: "JER knows components, alternatives and enumerators by their names alone" };
pub(super) const JSON_BITS: Rule =
    Rule { id: "json-bits", section: "X.697 24", text: "JER writes a bit string of one size as text, and another one as an object" };
pub(super) const ELEMENT_KIND: Rule =
    Rule { id: "element-type", section: "X.693 8.3", text: "XER writes a value as its type says: characters, or elements" };
pub(super) const ELEMENT_NAMES: Rule =
    Rule { id: "element-names", section: "X.693 8.3", text: "XER knows components, alternatives and enumerators by their names alone" };
pub(super) const ELEMENT_TYPES: Rule = Rule {
    id: "element-types",
    section: "X.693 8.3",
    text: "XER names the element of a value in a list, an open type or a string as its type; our own reader takes any name in a list",
};
pub(super) const ELEMENT_ORDER: Rule = Rule {
    id: "element-order",
    section: "X.693 8.3",
    text: "the elements of a SEQUENCE come in the order of its definition; our own reader takes any order",
};
pub(super) const OCTET_KIND: Rule =
    Rule { id: "octet-type", section: "X.696 8", text: "OER writes tags of alternatives alone: octets mean what the reader's type says" };
pub(super) const OCTET_TAGS: Rule = Rule { id: "octet-tags", section: "X.696 20.1", text: "OER knows an alternative by its outermost tag" };
pub(super) const OCTET_RANGE: Rule = Rule {
    id: "octet-range",
    section: "X.696 10",
    text: "OER writes a whole number in 1, 2, 4 or 8 octets if its constraint says that these hold it, else behind a length",
};
pub(super) const OCTET_REAL: Rule = Rule {
    id: "octet-real",
    section: "X.696 12",
    text: "OER writes a real number in 4 or 8 octets if the constraint on its mantissa, base and exponent says that these hold it",
};
pub(super) const OCTET_SIZE: Rule =
    Rule { id: "octet-size", section: "X.696 13, 14, 27", text: "OER writes no length where the constraint allows only one" };
pub(super) const OCTET_MARKER: Rule =
    Rule { id: "octet-marker", section: "X.696 16.2", text: "OER writes a bit for the extension marker of a SEQUENCE or SET" };
pub(super) const OCTET_PREAMBLE: Rule = Rule {
    id: "octet-preamble",
    section: "X.696 16.2",
    text: "OER writes a bit for each component before the marker that may be absent, and no names",
};
pub(super) const OCTET_ROOT: Rule =
    Rule { id: "octet-root", section: "X.696 16", text: "OER knows the components before the marker by their position alone" };
pub(super) const OCTET_ADDITIONS: Rule =
    Rule { id: "octet-additions", section: "X.696 16.4", text: "OER knows additions by their position: new ones come behind all others" };
pub(super) const OCTET_ALTERNATIVE: Rule = Rule {
    id: "octet-alternative",
    section: "X.696 20.2",
    text: "OER writes an alternative behind the marker as octets with a length, and one before it without",
};
