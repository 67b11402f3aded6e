//! Values: JSON with either quote (docs/spec/ql.md 3, `value`).

use super::ast::Value;
use super::cursor::{Cursor, Fit, Miss};

impl Cursor<'_> {
    /// Reads a value with nothing else in the text.
    pub(super) fn only_value(&mut self) -> Fit<Value> {
        self.wide();
        let value = self.value()?;
        self.wide();
        if self.rest().is_empty() { Ok(value) } else { self.miss("the end") }
    }

    pub(super) fn value(&mut self) -> Fit<Value> {
        match self.peek() {
            Some('{') => self.deeper(Cursor::object),
            Some('[') => self.deeper(Cursor::array),
            Some('"' | '\'') => self.string().map(Value::Text),
            Some('0'..='9' | '+' | '-') => self.number(),
            _ if self.accept("true") => Ok(Value::Bool(true)),
            _ if self.accept("false") => Ok(Value::Bool(false)),
            _ if self.accept("null") => Ok(Value::Null),
            _ => self.miss("a value"),
        }
    }

    fn object(&mut self) -> Fit<Value> {
        self.token("{")?;
        self.wide();
        let mut members = Vec::new();
        if self.accept("}") {
            return Ok(Value::Object(members));
        }
        loop {
            match self.peek() {
                Some('"' | '\'') => {}
                _ => {
                    let _ = self.miss::<()>("the name of a member in quotes");
                    // An opening brace starts nothing but an object.
                    return self.commit();
                }
            }
            let name = self.string()?;
            self.wide();
            self.token(":").or_else(|Miss| self.commit())?;
            self.wide();
            let value = self.value().or_else(|Miss| self.commit())?;
            members.push((name, value));
            self.wide();
            if self.token("}").is_ok() {
                return Ok(Value::Object(members));
            }
            self.token(",").or_else(|Miss| self.commit())?;
            self.wide();
        }
    }

    fn array(&mut self) -> Fit<Value> {
        self.token("[")?;
        self.wide();
        let mut values = Vec::new();
        if self.accept("]") {
            return Ok(Value::Array(values));
        }
        loop {
            let value = self.value().or_else(|Miss| self.commit())?;
            values.push(value);
            self.wide();
            if self.token("]").is_ok() {
                return Ok(Value::Array(values));
            }
            self.token(",").or_else(|Miss| self.commit())?;
            self.wide();
        }
    }

    /// Reads a string with escapes, in either quote.
    pub(super) fn string(&mut self) -> Fit<String> {
        let start = self.at;
        let Some(quote @ ('"' | '\'')) = self.peek() else { return self.miss("a string") };
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| c == quote || c == '\\' || c < ' ' || c == '\u{7f}').unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                None => {
                    self.at = start + 1;
                    let here = self.since(start).0;
                    return self.fatal("unclosed_quote", here, "a string that does not end", "close it with the quote that opens it");
                }
                Some(c) if c == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => self.escape(quote, &mut text)?,
                Some(c) => {
                    let from = self.at;
                    self.at += c.len_utf8();
                    let here = self.since(from).0;
                    let seen = format!("the control character U+{:04X} in a string", u32::from(c));
                    return self.fatal("control_character", here, seen, "write it as an escape: \\n, \\t, \\u0001");
                }
            }
        }
    }

    fn escape(&mut self, quote: char, text: &mut String) -> Fit<()> {
        let start = self.at;
        self.at += 1;
        let escaped = match self.peek() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(c) if c == quote || c == '\\' || c == '/' => c,
            Some('u') => return self.unicode(start, text),
            _ => return self.bad_escape(start),
        };
        self.at += 1;
        text.push(escaped);
        Ok(())
    }

    /// Reads `\u` and four digits, or two of these for a character beyond the first 65,536. An
    /// unpaired surrogate is U+FFFD.
    fn unicode(&mut self, start: usize, text: &mut String) -> Fit<()> {
        self.at += 1;
        let Some(unit) = self.hex4() else { return self.bad_escape(start) };
        if (0xd800..0xdc00).contains(&unit) && self.rest().starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            match self.hex4() {
                Some(low) if (0xdc00..0xe000).contains(&low) => {
                    let code = 0x10000 + ((u32::from(unit) - 0xd800) << 10) + (u32::from(low) - 0xdc00);
                    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    return Ok(());
                }
                _ => self.at = back,
            }
        }
        text.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    fn hex4(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }

    fn bad_escape<T>(&mut self, start: usize) -> Fit<T> {
        self.at = start + 1 + self.rest().chars().next().filter(|_| self.at == start + 1).map_or(0, char::len_utf8);
        let here = self.since(start).0;
        let hint = "escapes are \\\" \\' (the quote of the string) \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits";
        self.fatal("bad_escape", here, format!("the escape `{}` in a string", self.slice(start)), hint)
    }

    /// Reads a number, more liberal than JSON's: a leading `+`, leading zeros, nothing behind the
    /// point or the `e`.
    fn number(&mut self) -> Fit<Value> {
        let mut text = String::new();
        if self.accept("-") {
            text.push('-');
        } else {
            self.accept("+");
        }
        text.push_str(&self.digits()?.text);
        if self.accept(".") {
            let digits = self.raw_digits();
            if !digits.is_empty() {
                text.push('.');
                text.push_str(&digits);
            }
        }
        if self.accept("e") || self.accept("E") {
            let sign = if self.accept("-") {
                "-"
            } else {
                self.accept("+");
                ""
            };
            let digits = self.raw_digits();
            if !digits.is_empty() {
                text.push('e');
                text.push_str(sign);
                text.push_str(&digits);
            }
        }
        Ok(Value::Number(text))
    }

    fn raw_digits(&mut self) -> String {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_string()
    }
}
