//! Text that is cheap to copy: short ones lie in the value itself.

use std::sync::Arc;

use smol_str::SmolStr;

/// Immutable text. A short one lies in the value, a longer one is shared.
#[derive(Debug, Clone)]
pub enum Text {
    /// Text of at most [`Text::SHORT`] bytes, as texts are made.
    Short(SmolStr),
    /// Any other.
    Long(Arc<String>),
}

impl Text {
    /// Bytes of the longest text that lies in the value.
    pub const SHORT: usize = 23;

    /// Returns the text.
    #[inline]
    pub fn as_str(&self) -> &str {
        match self {
            Text::Short(text) => text.as_str(),
            Text::Long(text) => text.as_str(),
        }
    }

    /// Appends to the text. One that nobody shares grows in place.
    pub(crate) fn push(&mut self, more: &str) {
        if let Text::Long(text) = self {
            Arc::make_mut(text).push_str(more);
            return;
        }
        let mut whole = String::with_capacity(self.as_str().len() + more.len());
        whole.push_str(self.as_str());
        whole.push_str(more);
        *self = Text::from(whole);
    }
}

impl From<&str> for Text {
    #[inline]
    fn from(text: &str) -> Text {
        match text.len() {
            ..=Text::SHORT => Text::Short(SmolStr::new_inline(text)),
            _ => Text::Long(Arc::new(text.to_string())),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        match text.len() {
            ..=Text::SHORT => Text::Short(SmolStr::new_inline(&text)),
            _ => Text::Long(Arc::new(text)),
        }
    }
}
