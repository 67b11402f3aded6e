//! Writes EXI. A message that is no plain document becomes XML first, since only the whole of it
//! shows how its values can be said there, and which parts of a document it has.

use polywire_core::{Error, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};
use polywire_exi::{Alignment, BLOCK_SIZE, Encoder, Head, Name, Options, Preserve, Value};

use super::names::{Names, XSI_SPACE};
use super::plain::Plain;
use super::scan::{Parts, Scanner};
use super::settings::Choice;
use crate::xml::{XmlWriter, split};

/// Writes EXI.
#[derive(Debug, Default)]
pub struct ExiWriter {
    choice: Choice,
    plain: Plain,
    /// True once the message is not plain.
    by_xml: bool,
    xml: XmlWriter,
    text: Vec<u8>,
    scanner: Scanner,
    encoder: Encoder,
    names: Names,
    losses: Losses,
}

impl ExiWriter {
    /// Creates a writer by settings.
    pub fn with(choice: Choice) -> ExiWriter {
        ExiWriter { choice, ..ExiWriter::default() }
    }

    /// Hands what came so far to the writer of XML, which gets the rest of the message.
    #[cold]
    fn leave_plain(&mut self) -> Result<()> {
        self.by_xml = true;
        self.plain.replay(&mut self.xml)
    }
}

/// The document that is written.
enum Document<'d> {
    Plain(&'d Plain),
    Xml(&'d mut Scanner, &'d str),
}

impl Document<'_> {
    fn emit(&mut self, parts: &mut impl Parts) -> Result<()> {
        match self {
            Document::Plain(plain) => plain.emit(parts),
            Document::Xml(scanner, text) => scanner.scan(text, parts),
        }
    }
}

/// Finds the parts of a document that streams keep only if their options say so.
#[derive(Debug, Default)]
struct Survey(Preserve);

impl Parts for Survey {
    fn doctype(&mut self, _: &str) -> Result<()> {
        self.0.doctypes = true;
        Ok(())
    }

    fn comment(&mut self, _: &str) -> Result<()> {
        self.0.comments = true;
        Ok(())
    }

    fn instruction(&mut self, _: &str, _: &str) -> Result<()> {
        self.0.instructions = true;
        Ok(())
    }

    fn start(&mut self, _: &str, attributes: &[(&str, &str)]) -> Result<()> {
        self.0.prefixes |= attributes.iter().any(|(name, _)| name.starts_with("xmlns"));
        Ok(())
    }

    fn text(&mut self, _: &str, _: bool) -> Result<()> {
        Ok(())
    }

    fn reference(&mut self, _: &str) -> Result<()> {
        self.0.doctypes = true;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Makes events of a document's parts.
struct Put<'w> {
    encoder: &'w mut Encoder,
    names: &'w mut Names,
    losses: &'w mut Losses,
    choice: &'w Choice,
    keep: Preserve,
    /// Number of declarations around each open element.
    scopes: Vec<usize>,
}

/// The writer sees a document's parts once their places are gone.
const NOWHERE: Span = Span::new(0, 0);

/// Returns the namespace of a prefix, and the local name.
fn resolve<'n>(names: &'n Names, name: &'n str, default: bool) -> (&'n str, &'n str, &'n str) {
    match split(name) {
        Some((prefix, local)) => match names.uri(prefix) {
            Some(uri) => (uri, prefix, local),
            None => ("", "", name),
        },
        None if default => (names.uri("").unwrap_or(""), "", name),
        None => ("", "", name),
    }
}

impl Put<'_> {
    fn attribute(&mut self, name: &str, value: &str) -> Result<()> {
        let (uri, prefix, local) = resolve(self.names, name, false);
        let is_type = uri == XSI_SPACE && local == "type";
        let value = if is_type && !self.keep.lexical {
            // An unknown prefix is a part of the name (EXI 1.0, 8.4.3).
            let (uri, prefix, local) = match value.split_once(':') {
                Some((prefix, local)) if !prefix.is_empty() && prefix != "xmlns" => match self.names.uri(prefix) {
                    Some(uri) => (uri, prefix, local),
                    None => ("", "", value),
                },
                Some(_) => ("", "", value),
                None => (self.names.uri("").unwrap_or(""), "", value),
            };
            Value::Name(Name { id: 0, uri, local, prefix: Some(prefix) })
        } else {
            Value::Text(value)
        };
        self.encoder.attribute(uri, local, Some(prefix), value)
    }
}

impl Parts for Put<'_> {
    fn doctype(&mut self, text: &str) -> Result<()> {
        if !self.keep.doctypes {
            self.losses.note(Note::Directive(text), NOWHERE);
            return Ok(());
        }
        self.encoder.doctype(doctype(text))
    }

    fn comment(&mut self, text: &str) -> Result<()> {
        if !self.keep.comments {
            self.losses.note(Note::Comment(text), NOWHERE);
            return Ok(());
        }
        self.encoder.comment(text)
    }

    fn instruction(&mut self, target: &str, text: &str) -> Result<()> {
        if !self.keep.instructions {
            self.losses.note(Note::Directive(target), NOWHERE);
            return Ok(());
        }
        self.encoder.instruction(target, text)
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) -> Result<()> {
        self.scopes.push(self.names.len());
        let mut declared: Vec<(&str, &str)> = attributes
            .iter()
            .filter_map(|(name, uri)| match name.strip_prefix("xmlns") {
                Some("") => Some(("", *uri)),
                Some(prefix) => prefix.strip_prefix(':').filter(|prefix| *prefix != "xml").map(|prefix| (prefix, *uri)),
                None => None,
            })
            .collect();
        declared.iter().for_each(|(prefix, uri)| self.names.declare(prefix, uri));
        let mut rest: Vec<(&str, &str)> =
            attributes.iter().copied().filter(|(name, _)| *name != "xmlns" && !name.starts_with("xmlns:")).collect();
        let names = &*self.names;
        if self.choice.canonical {
            // Canonical EXI, 4.2: declarations by their prefix, attributes by local name and
            // namespace.
            declared.sort_unstable();
            rest.sort_by_cached_key(|(name, _)| {
                let (uri, _, local) = resolve(names, name, false);
                (local.to_string(), uri.to_string())
            });
        }
        // EXI 1.0, 4: these come before all others.
        let rank = |name: &str| match resolve(names, name, false) {
            (XSI_SPACE, _, "type") => 0,
            (XSI_SPACE, _, "nil") => 1,
            _ => 2,
        };
        rest.sort_by_key(|(name, _)| rank(name));
        let (uri, prefix, local) = resolve(self.names, name, true);
        self.encoder.start(uri, local, Some(prefix))?;
        if self.choice.self_contained.iter().any(|known| known == local || known == name) {
            self.encoder.self_contained()?;
            // It can be read by itself, so it declares what is declared around it.
            let scope = self.scopes.last().copied().unwrap_or(0);
            for (around, uri) in self.names.in_force(scope).filter(|(_, uri)| !uri.is_empty()) {
                self.encoder.namespace(around, uri, around == prefix)?;
            }
        }
        if !self.keep.prefixes && !declared.is_empty() {
            self.losses.value("prefixes, and the declarations of namespaces, are not kept", NOWHERE);
        }
        for (declared, uri) in declared {
            self.encoder.namespace(declared, uri, declared == prefix)?;
        }
        rest.iter().try_for_each(|(name, value)| self.attribute(name, value))
    }

    fn text(&mut self, text: &str, unclear: bool) -> Result<()> {
        if unclear {
            self.losses.value("text of white space before other content reads as layout", NOWHERE);
        }
        self.encoder.text(text)
    }

    fn reference(&mut self, name: &str) -> Result<()> {
        if !self.keep.doctypes {
            self.losses.note(Note::Directive(name), NOWHERE);
            return Ok(());
        }
        self.encoder.reference(name)
    }

    fn end(&mut self) -> Result<()> {
        if let Some(scope) = self.scopes.pop() {
            self.names.leave(scope);
        }
        self.encoder.end()
    }
}

/// Returns the parts of a document type: name, public identifier, system identifier, and subset.
fn doctype(text: &str) -> [&str; 4] {
    let inner = text.strip_prefix("<!DOCTYPE").and_then(|rest| rest.strip_suffix('>')).unwrap_or(text).trim_ascii();
    let end = inner.find(|c: char| c.is_ascii_whitespace() || c == '[').unwrap_or(inner.len());
    let (name, rest) = (&inner[..end], inner[end..].trim_ascii_start());
    let (public, system, rest) = if let Some(rest) = rest.strip_prefix("PUBLIC") {
        let (public, rest) = literal(rest);
        let (system, rest) = literal(rest);
        (public, system, rest)
    } else if let Some(rest) = rest.strip_prefix("SYSTEM") {
        let (system, rest) = literal(rest);
        ("", system, rest)
    } else {
        ("", "", rest)
    };
    let subset = rest.trim_ascii().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or("");
    [name, public, system, subset]
}

/// Returns the text in quotes that `text` starts with, and what follows.
fn literal(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some((inner, rest)) = text.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return (inner, rest);
        }
    }
    ("", text)
}

impl<'m> Sink<'m> for ExiWriter {
    fn needs(&self) -> Needs {
        Sink::needs(&self.xml)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if !self.by_xml {
            if self.plain.open(open) {
                return Ok(Next::Enter);
            }
            self.leave_plain()?;
        }
        self.xml.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if !self.by_xml {
            if self.plain.field(field.name.get()) {
                return Ok(Next::Enter);
            }
            self.leave_plain()?;
        }
        self.xml.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if !self.by_xml {
            if self.plain.scalar(&value) {
                return Ok(());
            }
            self.leave_plain()?;
        }
        self.xml.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.xml.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if !self.by_xml {
            if self.plain.close() {
                return Ok(());
            }
            self.leave_plain()?;
        }
        Sink::close(&mut self.xml, at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        match note {
            // White space between elements is no part of the document.
            Note::Layout(_) => Ok(()),
            Note::Comment(_) | Note::Directive(_) if !self.by_xml => {
                self.leave_plain()?;
                self.xml.note(note, at)
            }
            note => self.xml.note(note, at),
        }
    }
}

impl Writer for ExiWriter {
    fn only_one(&self) -> Option<&'static str> {
        let cookie = self.choice.head.cookie && !self.choice.canonical;
        (!cookie).then_some("nothing marks the end of a stream of EXI without the cookie; leave out --exi-header and --exi-canonical")
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut document = if !self.by_xml && self.plain.is_complete() {
            Document::Plain(&self.plain)
        } else {
            if !self.by_xml {
                self.leave_plain()?;
            }
            self.text.clear();
            self.xml.finish(&mut self.text)?;
            let text = std::str::from_utf8(&self.text).map_err(|_| Error::internal("XML that is no UTF-8"))?;
            Document::Xml(&mut self.scanner, text)
        };
        let mut options = self.choice.options.clone();
        let keep = match self.choice.preserve {
            Some(keep) => keep,
            None => {
                let mut survey = Survey::default();
                document.emit(&mut survey)?;
                survey.0
            }
        };
        options.preserve = keep;
        let head = if self.choice.canonical {
            // Canonical EXI: an options document and no cookie, and only options with an effect.
            // DEFLATE has many outcomes, so blocks stay as they are before it.
            if options.alignment == Alignment::Compression {
                options.alignment = Alignment::PreCompression;
            }
            if !options.alignment.has_blocks() {
                options.block_size = BLOCK_SIZE;
            }
            Head { cookie: false, options: true }
        } else {
            Head { cookie: self.choice.head.cookie, options: self.choice.head.options && options != Options::default() }
        };
        self.encoder.begin(&options, head)?;
        self.names.clear();
        let (encoder, names, losses) = (&mut self.encoder, &mut self.names, &mut self.losses);
        let mut put = Put { encoder, names, losses, choice: &self.choice, keep, scopes: Vec::new() };
        document.emit(&mut put)?;
        self.encoder.finish(out)?;
        self.plain.clear();
        self.by_xml = false;
        Ok(())
    }

    fn reset(&mut self) {
        self.plain.clear();
        self.by_xml = false;
        self.xml.reset();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        let mut losses = self.xml.losses();
        losses.extend(self.losses.take());
        losses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_types_have_four_parts() {
        for (text, parts) in [
            ("<!DOCTYPE a>", ["a", "", "", ""]),
            ("<!DOCTYPE a SYSTEM 'b' >", ["a", "", "b", ""]),
            ("<!DOCTYPE a PUBLIC \"-//X\" 'b\"c' [ <!ENTITY e '>'> ]>", ["a", "-//X", "b\"c", " <!ENTITY e '>'> "]),
            ("<!DOCTYPE a[<!ELEMENT a ANY>]>", ["a", "", "", "<!ELEMENT a ANY>"]),
        ] {
            assert_eq!(doctype(text), parts);
        }
    }
}
