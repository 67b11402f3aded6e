//! The canonical form of XML that the W3C's suite has its outputs in, made of a walk's events.

use polywire_core::{Field, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span};

/// A sink that writes the canonical form: no document type, no comments, attributes sorted, no
/// white space outside of the root.
#[derive(Default)]
pub struct Canonical {
    out: String,
    /// Elements that are open, by name; a record without one is the message.
    open: Vec<Option<String>>,
    /// Attributes of an element whose start is not written yet.
    start: Option<(String, Vec<(String, String)>)>,
    field: Option<String>,
}

impl Canonical {
    /// Returns the text.
    pub fn finish(mut self) -> String {
        self.started();
        self.out
    }

    /// Writes the start tag that waits for its attributes.
    fn started(&mut self) {
        let Some((name, mut attributes)) = self.start.take() else { return };
        attributes.sort();
        self.out.push('<');
        self.out.push_str(&name);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(&name);
            self.out.push_str("=\"");
            self.text(&value);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\t' => self.out.push_str("&#9;"),
                '\n' => self.out.push_str("&#10;"),
                '\r' => self.out.push_str("&#13;"),
                other => self.out.push(other),
            }
        }
    }

    fn end(&mut self, name: &str) {
        self.started();
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    fn inside(&self) -> bool {
        self.open.iter().any(Option::is_some)
    }
}

impl<'m> Sink<'m> for Canonical {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }

    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        self.started();
        let name = self.field.take();
        if let Some(name) = &name {
            self.start = Some((name.clone(), Vec::new()));
        }
        self.open.push(name);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.field = Some(field.name.get().to_string());
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        let text = match value {
            Scalar::Text(text) => text.get().to_string(),
            other => format!("{other:?}"),
        };
        let name = self.field.take().unwrap_or_default();
        if name == "#text" {
            self.started();
            self.text(&text);
        } else if let Some(attribute) = name.strip_prefix('@') {
            match &mut self.start {
                Some((_, attributes)) => attributes.push((attribute.to_string(), text)),
                None => self.out.push_str("(an attribute after the start tag)"),
            }
        } else {
            self.started();
            self.start = Some((name.clone(), Vec::new()));
            self.started();
            self.text(&text);
            self.end(&name);
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        self.out.push_str("(a part)");
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.started();
        if let Some(Some(name)) = self.open.pop() {
            self.end(&name);
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        match note {
            Note::Layout(space) if self.inside() => {
                self.started();
                self.text(&space.replace("\r\n", "\n").replace('\r', "\n"));
            }
            Note::Directive(instruction) if instruction.starts_with("<?") => {
                self.started();
                // White space between target and data is one space.
                let inner = instruction.trim_start_matches("<?").trim_end_matches("?>").replace("\r\n", "\n");
                let (target, data) = inner.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((&inner, ""));
                self.out.push_str(&format!("<?{target} {}?>", data.trim_start()));
            }
            _ => {}
        }
        Ok(())
    }
}
