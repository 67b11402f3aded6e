//! Variables that PSYC knows: types by their first words, and those of the routing header
//! (docs/spec/psyc.md 12.2 and 12.3).

/// The type of a variable or an element, numbered as in docs/spec/psyc.md 12.2. Zero means an
/// unknown type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Type {
    /// A whole number.
    Amount = 1,
    /// A colour.
    Color = 2,
    /// A counter. No keyword stands for this type.
    Counter = 3,
    /// Seconds since [`PSYC_EPOCH`](crate::value::PSYC_EPOCH).
    Date = 4,
    /// A digit from 0 to 9.
    Degree = 5,
    /// A dict.
    Dict = 6,
    /// The address of an entity.
    Entity = 7,
    /// Yes or no.
    Flag = 8,
    /// The code of a language.
    Language = 9,
    /// A list.
    List = 10,
    /// A name to show.
    Nick = 11,
    /// A web address.
    Page = 12,
    /// A struct: a list of its members.
    Struct = 13,
    /// A duration in seconds.
    Time = 14,
    /// An address.
    Uniform = 15,
}

impl Type {
    /// All types with a keyword, in the order of their numbers, which is that of the keywords.
    pub const ALL: [Type; 14] = [
        Type::Amount,
        Type::Color,
        Type::Date,
        Type::Degree,
        Type::Dict,
        Type::Entity,
        Type::Flag,
        Type::Language,
        Type::List,
        Type::Nick,
        Type::Page,
        Type::Struct,
        Type::Time,
        Type::Uniform,
    ];

    /// Returns the type of a variable by the first word of its name (docs/spec/psyc.md 12.2), or
    /// `None` if its values are opaque.
    ///
    /// ```
    /// use polywire_psyc::variable::Type;
    ///
    /// assert_eq!(Type::of(b"_list_friends"), Some(Type::List));
    /// assert_eq!(Type::of(b"_lists"), None);
    /// ```
    #[inline]
    pub fn of(name: &[u8]) -> Option<Type> {
        let rest = name.strip_prefix(b"_")?;
        let word = match rest.iter().take(LONGEST + 1).position(|byte| *byte == b'_') {
            Some(end) => &rest[..end],
            None => rest,
        };
        Some(match word {
            b"amount" => Type::Amount,
            b"color" => Type::Color,
            b"date" => Type::Date,
            b"degree" => Type::Degree,
            b"dict" => Type::Dict,
            b"entity" => Type::Entity,
            b"flag" => Type::Flag,
            b"language" => Type::Language,
            b"list" => Type::List,
            b"nick" => Type::Nick,
            b"page" => Type::Page,
            b"struct" => Type::Struct,
            b"time" => Type::Time,
            b"uniform" => Type::Uniform,
            _ => return None,
        })
    }

    /// Returns its number.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns its keyword, or `None` for [`Type::Counter`].
    pub const fn keyword(self) -> Option<&'static str> {
        Some(match self {
            Type::Amount => "_amount",
            Type::Color => "_color",
            Type::Date => "_date",
            Type::Degree => "_degree",
            Type::Dict => "_dict",
            Type::Entity => "_entity",
            Type::Flag => "_flag",
            Type::Language => "_language",
            Type::List => "_list",
            Type::Nick => "_nick",
            Type::Page => "_page",
            Type::Struct => "_struct",
            Type::Time => "_time",
            Type::Uniform => "_uniform",
            Type::Counter => return None,
        })
    }
}

/// Bytes of the longest first word.
const LONGEST: usize = "language".len();

/// Returns whether a variable of that name holds a list: `_list`, or a name that begins with
/// `_list_`.
pub fn is_list(name: &[u8]) -> bool {
    Type::of(name) == Some(Type::List)
}

/// A variable of the routing header, numbered as in docs/spec/psyc.md 12.3. Zero means an unknown
/// variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Routing {
    /// `_amount_fragments`
    AmountFragments = 1,
    /// `_context`
    Context = 2,
    /// `_counter`
    Counter = 3,
    /// `_fragment`
    Fragment = 4,
    /// `_source`
    Source = 5,
    /// `_source_relay`
    SourceRelay = 6,
    /// `_tag`
    Tag = 7,
    /// `_tag_relay`
    TagRelay = 8,
    /// `_target`
    Target = 9,
    /// `_target_relay`
    TargetRelay = 10,
}

impl Routing {
    /// All, in the order of their numbers, which is that of their names.
    pub const ALL: [Routing; 10] = [
        Routing::AmountFragments,
        Routing::Context,
        Routing::Counter,
        Routing::Fragment,
        Routing::Source,
        Routing::SourceRelay,
        Routing::Tag,
        Routing::TagRelay,
        Routing::Target,
        Routing::TargetRelay,
    ];

    /// Returns the variable with exactly this name: routing variables do not inherit
    /// (docs/spec/psyc.md 4.1).
    #[inline]
    pub fn from_name(name: &[u8]) -> Option<Routing> {
        Some(match name {
            b"_amount_fragments" => Routing::AmountFragments,
            b"_context" => Routing::Context,
            b"_counter" => Routing::Counter,
            b"_fragment" => Routing::Fragment,
            b"_source" => Routing::Source,
            b"_source_relay" => Routing::SourceRelay,
            b"_tag" => Routing::Tag,
            b"_tag_relay" => Routing::TagRelay,
            b"_target" => Routing::Target,
            b"_target_relay" => Routing::TargetRelay,
            _ => return None,
        })
    }

    /// Returns its number.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Routing::AmountFragments => "_amount_fragments",
            Routing::Context => "_context",
            Routing::Counter => "_counter",
            Routing::Fragment => "_fragment",
            Routing::Source => "_source",
            Routing::SourceRelay => "_source_relay",
            Routing::Tag => "_tag",
            Routing::TagRelay => "_tag_relay",
            Routing::Target => "_target",
            Routing::TargetRelay => "_target_relay",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        for (n, variable) in Routing::ALL.iter().enumerate() {
            assert_eq!((usize::from(variable.number()), Routing::from_name(variable.name().as_bytes())), (n + 1, Some(*variable)));
        }
        assert_eq!((Routing::from_name(b"_source_other"), Routing::from_name(b"source")), (None, None));
        for kind in Type::ALL {
            let keyword = kind.keyword().expect("a keyword");
            for (ending, of) in [("", Some(kind)), ("_", Some(kind)), ("_x_y", Some(kind)), ("s", None), ("s_x", None)] {
                assert_eq!(Type::of([keyword, ending].concat().as_bytes()), of, "{keyword}{ending}");
            }
        }
        assert_eq!((Type::of(b""), Type::of(b"_"), Type::of(b"list"), Type::of(b"_counter")), (None, None, None, None));
        assert_eq!((Type::Amount.number(), Type::Date.number(), Type::Uniform.number()), (1, 4, 15));
    }
}
