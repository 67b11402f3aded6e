//! The types of values on the wire.

/// Type of a value, as both protocols know it. Its number is that of the binary protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Truth value.
    Bool = 2,
    /// Signed integer of 8 bits, `byte` in older IDL.
    I8 = 3,
    /// IEEE 754 binary64.
    Double = 4,
    /// Signed integer of 16 bits.
    I16 = 6,
    /// Signed integer of 32 bits, and enums.
    I32 = 8,
    /// Signed integer of 64 bits.
    I64 = 10,
    /// Text, or bytes: the wire has no mark for either.
    String = 11,
    /// Struct, union or exception.
    Struct = 12,
    /// Map.
    Map = 13,
    /// Set.
    Set = 14,
    /// List.
    List = 15,
    /// Universal unique identifier of 16 bytes.
    Uuid = 16,
}

/// Number of types.
const COUNT: usize = 12;

/// Every type, with its name in IDL and what inspection says of a container of it.
static NAMES: [(Kind, &str, &str, &str, &str, &str); COUNT] = {
    macro_rules! row {
        ($kind:ident, $name:literal) => {
            (
                Kind::$kind,
                $name,
                concat!("list of ", $name),
                concat!("set of ", $name),
                concat!("keys of ", $name),
                concat!("values of ", $name),
            )
        };
    }
    [
        row!(Bool, "bool"),
        row!(I8, "i8"),
        row!(Double, "double"),
        row!(I16, "i16"),
        row!(I32, "i32"),
        row!(I64, "i64"),
        row!(String, "string"),
        row!(Struct, "struct"),
        row!(Map, "map"),
        row!(Set, "set"),
        row!(List, "list"),
        row!(Uuid, "uuid"),
    ]
};

impl Kind {
    /// Returns the type with this number in the binary protocol.
    pub const fn of(code: u8) -> Option<Kind> {
        Some(match code {
            2 => Kind::Bool,
            3 => Kind::I8,
            4 => Kind::Double,
            6 => Kind::I16,
            8 => Kind::I32,
            10 => Kind::I64,
            11 => Kind::String,
            12 => Kind::Struct,
            13 => Kind::Map,
            14 => Kind::Set,
            15 => Kind::List,
            16 => Kind::Uuid,
            _ => return None,
        })
    }

    const fn index(self) -> usize {
        match self {
            Kind::Bool => 0,
            Kind::I8 => 1,
            Kind::Double => 2,
            Kind::I16 => 3,
            Kind::I32 => 4,
            Kind::I64 => 5,
            Kind::String => 6,
            Kind::Struct => 7,
            Kind::Map => 8,
            Kind::Set => 9,
            Kind::List => 10,
            Kind::Uuid => 11,
        }
    }

    /// Returns the name in IDL.
    pub const fn name(self) -> &'static str {
        NAMES[self.index()].1
    }

    /// Returns the remark on a list, or a set, of this type.
    pub(crate) const fn remark_of_elements(self, set: bool) -> &'static str {
        let names = &NAMES[self.index()];
        if set { names.3 } else { names.2 }
    }

    /// Returns the remarks on the keys and on the values of a map that are of this type.
    pub(crate) const fn remark_of_entries(self) -> (&'static str, &'static str) {
        let names = &NAMES[self.index()];
        (names.4, names.5)
    }

    /// Returns the type of elements that a remark states.
    pub(crate) fn of_remark(remark: &str) -> Option<(Of, Kind)> {
        NAMES.iter().find_map(|&(kind, _, list, set, keys, values)| {
            let part = [(list, Of::Elements), (set, Of::Elements), (keys, Of::Keys), (values, Of::Values)];
            part.into_iter().find(|(text, _)| *text == remark).map(|(_, part)| (part, kind))
        })
    }

    /// Returns the width in bits of an integer type.
    pub const fn bits(self) -> Option<u8> {
        match self {
            Kind::I8 => Some(8),
            Kind::I16 => Some(16),
            Kind::I32 => Some(32),
            Kind::I64 => Some(64),
            _ => None,
        }
    }

    /// Returns the integer type of a width.
    pub const fn integer(bits: u8) -> Kind {
        match bits {
            8 => Kind::I8,
            16 => Kind::I16,
            32 => Kind::I32,
            _ => Kind::I64,
        }
    }
}

/// Part of a container that a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Elements of a list or set.
    Elements,
    /// Keys of a map.
    Keys,
    /// Values of a map.
    Values,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_remarks_belong_together() {
        for (n, (kind, name, ..)) in NAMES.iter().enumerate() {
            assert_eq!((kind.index(), kind.name(), Kind::of(*kind as u8)), (n, *name, Some(*kind)));
            assert_eq!(Kind::of_remark(kind.remark_of_elements(true)), Some((Of::Elements, *kind)));
            assert_eq!(Kind::of_remark(kind.remark_of_elements(false)), Some((Of::Elements, *kind)));
            assert_eq!(Kind::of_remark(kind.remark_of_entries().0), Some((Of::Keys, *kind)));
            assert_eq!(Kind::of_remark(kind.remark_of_entries().1), Some((Of::Values, *kind)));
            assert!(kind.bits().is_none_or(|bits| Kind::integer(bits) == *kind));
        }
        assert_eq!((0..=255).filter(|code| Kind::of(*code).is_some()).count(), COUNT);
    }
}
