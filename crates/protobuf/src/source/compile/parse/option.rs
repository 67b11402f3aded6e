//! Options as they are written.

use super::super::lex::Kind;
use super::super::literal;
use super::super::unit::{Holder, OptionSet, Part, Statement, Written};
use super::cursor::Parser;
use super::{Failed, Parsed};

/// Number of the field for options that are not interpreted, in every message of options.
const UNINTERPRETED: i32 = 999;

impl Parser<'_> {
    /// Reads `option name = value;`.
    pub(super) fn option_statement(&mut self, holder: Holder, path: &[i32], set: &mut Option<usize>) -> Parsed {
        let location = self.open(path, &[]);
        let read = self.option(holder, path, set, true);
        self.close(location);
        read
    }

    /// Reads an option into the set of its declaration, which the first one starts. `path` is that
    /// of the declaration's options.
    pub(super) fn option(&mut self, holder: Holder, path: &[i32], set: &mut Option<usize>, statement: bool) -> Parsed {
        let set = *set.get_or_insert_with(|| {
            self.sets.push(OptionSet { holder, path: path.to_vec(), statements: Vec::new() });
            self.sets.len() - 1
        });
        let location = self.open(path, &[UNINTERPRETED, self.sets[set].statements.len() as i32]);
        if statement {
            self.word("option")?;
        }
        let mut name = vec![self.part()?];
        while self.try_word(".") {
            name.push(self.part()?);
        }
        self.word("=")?;
        let start = self.now.start;
        let value = self.value()?;
        let value_at = (start, self.last.end);
        self.sets[set].statements.push(Statement { name, value, value_at, location: Some(location as u32) });
        if statement {
            self.end(";", location)?;
        }
        self.close(location);
        Ok(())
    }

    fn part(&mut self) -> Parsed<Part> {
        let start = self.now.start;
        let extension = self.try_word("(");
        let name = if extension { self.path_name("the name of an extension")? } else { self.name("the name of an option")? };
        if extension {
            self.word(")")?;
        }
        Ok(Part { name, extension, at: (start, self.last.end) })
    }

    fn value(&mut self) -> Parsed<Written> {
        let negative = self.try_word("-");
        let text = self.text(self.now);
        Ok(match self.now.kind {
            Kind::Word if negative && !matches!(text, "inf" | "nan") => return Err(self.expected("a number behind '-'")),
            Kind::Word if !negative => Written::Word(self.name("a name")?),
            Kind::Text if !negative => Written::Text(self.string("a string")?),
            Kind::Symbol if text == "{" && !negative => {
                let start = self.now.end;
                self.skip_aggregate()?;
                Written::Block(start, self.last.start)
            }
            Kind::Integer if literal::integer(text).is_some_and(|value| !negative || value <= 1 << 63) => {
                let value = self.integer(u64::MAX, "an integer")?;
                if negative { Written::Negative((value as i64).wrapping_neg()) } else { Written::Positive(value) }
            }
            Kind::Word | Kind::Integer | Kind::Float => {
                let value = self.number("a number")?;
                // Compilers know one NaN.
                Written::Float(if negative && !value.is_nan() { -value } else { value })
            }
            _ => return Err(self.expected("the value of an option")),
        })
    }

    /// Steps over a message in the text format, with its braces.
    fn skip_aggregate(&mut self) -> Parsed {
        let mut open = 0u32;
        loop {
            match self.text(self.now) {
                "{" => open += 1,
                "}" => open -= 1,
                _ if self.at_end() => {
                    self.expected("'}' at the end of an option's value");
                    return Err(Failed);
                }
                _ => {}
            }
            self.next();
            if open == 0 {
                return Ok(());
            }
        }
    }
}
