//! Encoding instructions of JER in front of types (X.697 9 and 10).

use super::{Parsed, Parser};
use crate::lex::Kind;
use crate::syntax::{JsonInstruction, JsonInstructionKind, NewName};

impl Parser<'_> {
    /// Parses an encoding instruction of JER up to its `]`. Returns `None`, with a caution, for one
    /// without effect.
    pub(super) fn json_instruction(&mut self) -> Parsed<Option<JsonInstruction>> {
        let start = self.at;
        let kind = match self.peek_text() {
            "BASE64" => {
                self.at += 1;
                JsonInstructionKind::Base64
            }
            "NAME" => {
                self.at += 1;
                self.expect("AS")?;
                JsonInstructionKind::Name(self.new_name()?)
            }
            "TEXT" => {
                self.at += 1;
                let mut changes = Vec::new();
                loop {
                    let item = if self.eat("ALL") { None } else { Some(self.expect_name(Kind::Lower, "an enumerator, or `ALL`")?) };
                    self.expect("AS")?;
                    changes.push((item, self.new_name()?));
                    if !self.eat_sign(',') {
                        break;
                    }
                }
                JsonInstructionKind::Text(changes)
            }
            _ => {
                self.no_instruction();
                while !self.is_sign(']') {
                    if self.is_done() {
                        return Err(self.expected("`]`"));
                    }
                    self.at += 1;
                }
                return Ok(None);
            }
        };
        Ok(Some(JsonInstruction { at: self.place_from(start), kind }))
    }

    fn new_name(&mut self) -> Parsed<NewName> {
        if self.peek().kind == Kind::Text {
            let word = self.take();
            let text = self.text(word);
            let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
            return Ok(NewName::Literal(inside.replace("\"\"", "\"").into()));
        }
        let found = match self.peek_text() {
            "CAPITALIZED" => NewName::Capitalized,
            "UPPERCASED" => NewName::Uppercased,
            "UPPERCAMELCASED" => NewName::UpperCamelCased,
            "LOWERCASED" => NewName::Lowercased,
            "LOWERCAMELCASED" => NewName::LowerCamelCased,
            _ => return Err(self.expected("a name in quotes, or a keyword such as CAPITALIZED")),
        };
        self.at += 1;
        Ok(found)
    }
}
