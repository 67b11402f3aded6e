//! Values as JSON text: for filters that ask for it, and for people.

use std::cell::RefCell;
use std::fmt;

use polywire_core::{Error, Writer};
use polywire_formats::json;

use super::{Text, Val, emit};

thread_local! {
    /// The writer of JSON text, which keeps its memory.
    static WRITER: RefCell<Option<Box<dyn Writer>>> = const { RefCell::new(None) };
}

impl Val {
    /// Returns the value as compact JSON text, as the writer of that format has it.
    ///
    /// # Errors
    /// The value is nested too deep, or has too many values.
    pub(crate) fn to_json(&self) -> Result<String, Error> {
        let plain = match self {
            Val::Int(value) => Some(value.to_string()),
            Val::Null => Some("null".to_string()),
            Val::Bool(value) => Some(value.to_string()),
            _ => None,
        };
        if let Some(plain) = plain {
            return Ok(plain);
        }
        let mut writer = WRITER.with(|writer| writer.borrow_mut().take()).or_else(|| json::FORMAT.writer.map(|make| make()));
        let Some(mut writer) = writer.take() else { return Err(Error::internal("JSON without a writer")) };
        let mut out = Vec::new();
        let outcome = emit(self, &mut *writer).and_then(|()| writer.finish(&mut out));
        // Losses of text are no losses of the result.
        writer.reset();
        WRITER.with(|kept| *kept.borrow_mut() = Some(writer));
        outcome?;
        String::from_utf8(out).map_err(|_| Error::internal("JSON that is no UTF-8"))
    }

    /// Returns the start of the value as JSON text, of at most `most` bytes.
    pub(crate) fn excerpt(&self, most: usize) -> String {
        let mut out = String::new();
        excerpt(self, most + 1, 0, &mut out);
        if out.len() > most {
            let mut end = most.saturating_sub(3);
            while !out.is_char_boundary(end) {
                end -= 1;
            }
            out.truncate(end);
            out.push_str("...");
        }
        out
    }

    /// Returns the text of a text, and the JSON text of any other value.
    pub(crate) fn into_text(self) -> Result<Val, Error> {
        Ok(match self {
            Val::Text(_) => self,
            // Binary data has the text that it has in JSON.
            Val::Bytes(_) => {
                let quoted = self.to_json()?;
                Val::text(quoted.trim_matches('"'))
            }
            ref value => match (value.as_str(), value.bytes()) {
                (Some(text), _) => Val::text(text),
                (None, Some(bytes)) => Val::text_lossy(bytes),
                (None, None) => Val::Text(Text::from(value.to_json()?)),
            },
        })
    }
}

/// Writes the start of a value, of about `most` bytes and few levels.
fn excerpt(value: &Val, most: usize, level: usize, out: &mut String) {
    if out.len() > most {
        return;
    }
    if level > 50 {
        out.push_str("...");
        return;
    }
    match value {
        Val::List(list) => {
            out.push('[');
            for (n, value) in list.values.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                if out.len() > most {
                    return;
                }
                excerpt(value, most, level + 1, out);
            }
            out.push(']');
        }
        Val::Object(object) => {
            out.push('{');
            for (n, (key, value)) in object.entries().iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                if out.len() > most {
                    return;
                }
                excerpt(key, most, level + 1, out);
                out.push(':');
                excerpt(value, most, level + 1, out);
            }
            out.push('}');
        }
        Val::Tagged(tagged) => excerpt(&tagged.value, most, level + 1, out),
        Val::Variant(_) => excerpt(&value.clone().plain(), most, level + 1, out),
        Val::Text(text) => {
            let text = text.as_str();
            let mut end = text.len().min(most);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let quoted = Val::text(&text[..end]).to_json().unwrap_or_default();
            out.push_str(if end < text.len() { quoted.trim_end_matches('"') } else { &quoted });
        }
        other => out.push_str(&other.to_json().unwrap_or_default()),
    }
}

/// Writes the start of the value as JSON text: errors show it.
impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.excerpt(1000))
    }
}
