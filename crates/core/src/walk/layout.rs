//! The look of text that a writer makes: lines, indentation, colours. None of it changes a value.

/// The look of a message's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// Indentation of each level, on lines of their own; `None` for as few bytes as possible.
    pub indent: Option<Indent>,
    /// Escape sequences of colours, for terminals; `None` for none.
    pub colors: Option<Colors>,
}

impl Layout {
    /// As few bytes as possible, without colours.
    pub const COMPACT: Layout = Layout { indent: None, colors: None };

    /// Sets the indentation of each level.
    #[must_use]
    pub fn with_indent(self, indent: Option<Indent>) -> Layout {
        Layout { indent, ..self }
    }

    /// Sets the colours.
    #[must_use]
    pub fn with_colors(self, colors: Option<Colors>) -> Layout {
        Layout { colors, ..self }
    }
}

/// Indentation of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indent {
    /// This number of spaces.
    Spaces(u8),
    /// A tab.
    Tab,
}

impl Indent {
    /// Most bytes that a line is indented by. Deeper levels keep that, so that the text of a deeply
    /// nested message is at most this many times as long as without indentation.
    pub const WIDEST: usize = 256;

    /// Appends the indentation of a line within `depth` containers.
    pub fn put(self, depth: usize, out: &mut Vec<u8>) {
        let (byte, each) = match self {
            Indent::Spaces(spaces) => (b' ', usize::from(spaces)),
            Indent::Tab => (b'\t', 1),
        };
        let end = out.len() + depth.saturating_mul(each).min(Indent::WIDEST);
        out.resize(end, byte);
    }
}

/// Text before and after each kind of token, usually escape sequences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Colors {
    /// Text before a name.
    pub name: String,
    /// Text before a text value.
    pub text: String,
    /// Text before a number or truth value.
    pub number: String,
    /// Text before a null.
    pub null: String,
    /// Text after each of them.
    pub end: String,
}

impl Colors {
    /// Makes the colours of names, texts, numbers and nulls, and the text after them.
    pub fn new(name: String, text: String, number: String, null: String, end: String) -> Colors {
        Colors { name, text, number, null, end }
    }
}
