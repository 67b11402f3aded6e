//! Encoding instructions of JER (X.697).

use polywire_core::text::diagnostic::Place;
use smol_str::SmolStr;

use super::Name;

/// Encoding instruction in front of a type, with its place.
#[derive(Debug, Clone)]
pub struct JsonInstruction {
    /// Place of the instruction.
    pub at: Place,
    /// Its effect.
    pub kind: JsonInstructionKind,
}

/// Kinds of encoding instructions that have an effect.
#[derive(Debug, Clone)]
pub enum JsonInstructionKind {
    /// `BASE64`: an OCTET STRING is Base64 (X.697 15).
    Base64,
    /// `NAME AS`: another name of the member of a component or alternative (X.697 16).
    Name(NewName),
    /// `TEXT`: other texts of enumerators; without a name, of all others (X.697 18).
    Text(Vec<(Option<Name>, NewName)>),
}

/// New name, or what becomes of the old one (X.697 16.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewName {
    /// The name itself.
    Literal(SmolStr),
    /// `CAPITALIZED`: the first letter is a capital.
    Capitalized,
    /// `UPPERCASED`: all letters are capitals.
    Uppercased,
    /// `UPPERCAMELCASED`: hyphens go, and the letters behind them and the first are capitals.
    UpperCamelCased,
    /// `LOWERCASED`: no letter is a capital.
    Lowercased,
    /// `LOWERCAMELCASED`: hyphens go, and the letters behind them are capitals.
    LowerCamelCased,
}

impl NewName {
    /// Returns the new name of something.
    pub fn of(&self, name: &str) -> SmolStr {
        let camel = |mut raised: bool| {
            let letters = name.chars().filter_map(|letter| match letter {
                '-' => {
                    raised = true;
                    None
                }
                letter => Some(if std::mem::take(&mut raised) { letter.to_ascii_uppercase() } else { letter }),
            });
            letters.collect()
        };
        match self {
            NewName::Literal(new) => new.clone(),
            NewName::Capitalized => {
                let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
                [&first.to_ascii_uppercase(), rest].concat().into()
            }
            NewName::Uppercased => name.to_ascii_uppercase().into(),
            NewName::Lowercased => name.to_ascii_lowercase().into(),
            NewName::UpperCamelCased => camel(true),
            NewName::LowerCamelCased => camel(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NewName;

    #[test]
    fn names_change_as_the_keywords_say() {
        for (new, name) in [
            (NewName::Capitalized, "Unit-pricE2"),
            (NewName::Uppercased, "UNIT-PRICE2"),
            (NewName::Lowercased, "unit-price2"),
            (NewName::UpperCamelCased, "UnitPricE2"),
            (NewName::LowerCamelCased, "unitPricE2"),
            (NewName::Literal("x y".into()), "x y"),
        ] {
            assert_eq!(new.of("unit-pricE2"), name, "{new:?}");
        }
    }
}
