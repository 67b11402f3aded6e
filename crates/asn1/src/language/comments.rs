//! Comments that document assignments, components and enumerators.

use std::collections::HashMap;

use polywire_core::text::diagnostic::Place;

use crate::lex::Words;

/// Comments of one text, by the names that they document.
pub struct Comments<'w> {
    words: &'w Words,
    /// Index of the word that starts at an offset.
    at: HashMap<u32, usize>,
}

impl<'w> Comments<'w> {
    /// Returns the comments of a text.
    pub fn new(words: &'w Words) -> Comments<'w> {
        Comments { words, at: words.words.iter().enumerate().map(|(index, word)| (word.start, index)).collect() }
    }

    /// Returns the documentation of the name at a place: the comments on the lines directly above
    /// it, else those behind it on its own line.
    pub fn of(&self, name: Place) -> String {
        let Some(&index) = self.at.get(&name.start) else { return String::new() };
        let text = &self.words.text;
        let before = index.checked_sub(1).map_or(0, |before| self.words.words[before].end);
        let from = self.words.comments.partition_point(|(start, _)| *start < before);
        let to = self.words.comments.partition_point(|(start, _)| *start < name.start);
        let mut above: Vec<&str> = Vec::new();
        let mut next = name.start as usize;
        for (start, end) in self.words.comments[from..to].iter().rev() {
            let (start, end) = (*start as usize, *end as usize);
            // A blank line ends the documentation; a comment behind another word is not above.
            let alone = text[..start].rfind('\n').map_or(0, |at| at + 1);
            if text[end..next].matches('\n').count() != 1 || !text[alone..start].trim().is_empty() {
                break;
            }
            above.push(&text[start..end]);
            next = start;
        }
        if !above.is_empty() {
            above.reverse();
            return plain(&above);
        }
        // Behind the name, the first comment up to the end of the line.
        let line_end = text[name.end as usize..].find('\n').map_or(text.len(), |at| name.end as usize + at);
        let from = self.words.comments.partition_point(|(start, _)| *start < name.end);
        match self.words.comments.get(from) {
            Some((start, end))
                if (*start as usize) < line_end && text[*end as usize..].trim_start_matches([' ', '\t', ',', '\r']).starts_with('\n') =>
            {
                plain(&[&text[*start as usize..*end as usize]])
            }
            _ => String::new(),
        }
    }
}

/// Returns the text of comments without their signs and ornaments.
fn plain(comments: &[&str]) -> String {
    let mut lines = Vec::new();
    for comment in comments {
        let inner = match comment.strip_prefix("/*") {
            Some(block) => block.strip_suffix("*/").unwrap_or(block),
            None => comment.trim_start_matches('-').trim_end().trim_end_matches('-'),
        };
        for line in inner.lines() {
            lines.push(line.trim().trim_start_matches('*').trim().to_string());
        }
    }
    let from = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let to = lines.iter().rposition(|line| !line.is_empty()).map_or(from, |at| at + 1);
    lines[from..to].join("\n")
}
