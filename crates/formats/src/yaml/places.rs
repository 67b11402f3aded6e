//! Byte offsets for a parser that counts characters.

/// Characters between two offsets that are kept: the most that one look-up scans.
const STEP: usize = 64;

/// Byte offsets of the characters of a text.
pub struct Places<'m> {
    text: &'m str,
    /// Offset of each `STEP`th character; empty if each character is a byte.
    steps: Vec<usize>,
}

impl<'m> Places<'m> {
    /// Indexes the characters of `text`.
    pub fn new(text: &'m str) -> Places<'m> {
        let steps = if text.is_ascii() { Vec::new() } else { text.char_indices().step_by(STEP).map(|(at, _)| at).collect() };
        Places { text, steps }
    }

    /// Returns the offset of the `index`th character, or of the end of the text if it has fewer.
    pub fn byte(&self, index: usize) -> usize {
        if self.steps.is_empty() {
            return index.min(self.text.len());
        }
        let Some(&from) = self.steps.get(index / STEP) else { return self.text.len() };
        self.text[from..].char_indices().nth(index % STEP).map_or(self.text.len(), |(at, _)| from + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_found() {
        for text in ["", "abc", "ä", &"aäß日🦀".repeat(60), &"x".repeat(200)] {
            let places = Places::new(text);
            for (n, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(places.byte(n), at);
            }
            assert_eq!(places.byte(text.chars().count()), text.len());
            assert_eq!(places.byte(usize::MAX), text.len());
        }
    }
}
