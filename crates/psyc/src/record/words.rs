//! The types that mark values in the profile.

/// The marks. Reader and writer define the payload of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// No payload.
    Null,
    /// Text that unmarked would be something else.
    Text,
    /// A 64-bit float that has no digits: `inf`, `-inf`, `nan`.
    Float,
    /// A 32-bit float.
    Float32,
    /// A decimal number that unmarked would be something else.
    Decimal,
    /// A moment: seconds since the PSYC epoch, and nanoseconds after a point.
    Date,
    /// Binary data.
    Bytes,
    /// Octets that are UTF-8.
    Octets,
    /// A key that is no text: what its payload is unmarked.
    Value,
    /// A list.
    List,
    /// A dict whose keys are all names: a record without a type.
    Dict,
    /// A dict with keys of any kind.
    Map,
    /// A list of fixed length.
    Tuple,
    /// Name, and a list of index and values.
    Variant,
    /// Name, and a dict.
    Record,
    /// Space, and a list of code and value.
    Tagged,
}

const MARKS: [(&str, Mark); 16] = [
    ("_null", Mark::Null),
    ("_text", Mark::Text),
    ("_float", Mark::Float),
    ("_float32", Mark::Float32),
    ("_decimal", Mark::Decimal),
    ("_date", Mark::Date),
    ("_bytes", Mark::Bytes),
    ("_octets", Mark::Octets),
    ("_value", Mark::Value),
    ("_list", Mark::List),
    ("_dict", Mark::Dict),
    ("_map", Mark::Map),
    ("_tuple", Mark::Tuple),
    ("_variant", Mark::Variant),
    ("_record", Mark::Record),
    ("_tagged", Mark::Tagged),
];

impl Mark {
    /// Returns the mark of that type.
    pub(crate) fn of(kind: &[u8]) -> Option<Mark> {
        MARKS.iter().find(|(word, _)| word.as_bytes() == kind).map(|(_, mark)| *mark)
    }

    /// Returns its type.
    pub(crate) fn word(self) -> &'static str {
        MARKS.iter().find(|(_, mark)| *mark == self).map_or("", |(word, _)| word)
    }
}

/// The method of a packet that is no record: its data is the value.
pub(crate) const VALUE_METHOD: &[u8] = b"_data__value";

/// The variable of an entry whose key is no text, in a packet that is a map: a list of key and
/// value.
pub(crate) const PAIR: &[u8] = b"__pair";

/// The prefixes of the names of list and dict variables (docs/spec/psyc.md 12.2).
pub(crate) const STRUCTURES: [(&[u8], Mark); 2] = [(b"_list_", Mark::List), (b"_dict_", Mark::Dict)];

/// The field that is the data of a packet.
pub(crate) const DATA: &str = "#text";

/// Returns whether a keyword is one that no name may be.
pub(crate) fn is_own(keyword: &[u8]) -> bool {
    keyword == VALUE_METHOD || keyword == PAIR
}

/// Returns whether a name's keyword may have another meaning than the name.
pub(crate) fn is_ambiguous(name: &str) -> bool {
    name.starts_with("list_") || name.starts_with("dict_") || MARKS.iter().any(|(word, _)| &word[1..] == name)
}

/// If `value` is marked, as values of variables, data and keys are: mark and payload.
pub(crate) fn marked(value: &[u8]) -> Option<(Mark, &[u8])> {
    let rest = value.strip_prefix(b"=")?;
    let len = crate::wire::keyword_len(rest);
    let mark = Mark::of(&rest[..len])?;
    match &rest[len..] {
        [] => Some((mark, &rest[len..])),
        [b' ', payload @ ..] => Some((mark, payload)),
        _ => None,
    }
}

/// If the variable is a list or dict by its name (docs/spec/psyc.md 12.2), and its value can be
/// one: which, and where its own name starts.
///
/// A value that starts as no list or dict does is taken as it is: peers put other things in
/// variables of such names.
pub(crate) fn structured(keyword: &[u8], value: &[u8]) -> Option<(Mark, usize)> {
    let (prefix, mark) = STRUCTURES.iter().find(|(prefix, _)| keyword.starts_with(prefix))?;
    let start = if *mark == Mark::List { b'|' } else { b'{' };
    let default = crate::wire::keyword_len(value);
    (value.is_empty() || value.get(default) == Some(&start)).then_some((*mark, prefix.len() - 1))
}
