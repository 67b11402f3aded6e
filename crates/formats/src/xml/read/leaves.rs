//! Leaves: child elements of nothing but text, one after the other. Most data is made of them.

use memchr::memchr;
use polywire_core::bytes::find_any;

use super::super::chars::{is_space, may_start_name, skip_space};
use super::paths::{Kind, PathId, Paths};
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Level, Tag, Walk, Walker};

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Reads leaves as long as they come as expected: known, without prefixes, with at most one
    /// attribute, and text that needs no second look. The general path reads the rest.
    #[inline(always)]
    pub(super) fn leaves(&mut self) -> Walk<Found> {
        if !K::TAKES_LEAVES || !self.contents.is_plain() || self.is_nested() || self.declares_attributes {
            return Ok(Found::Nothing);
        }
        let text = self.text;
        let bytes = text.as_bytes();
        let Some(level) = self.work.levels.last_mut() else { return Ok(Found::Nothing) };
        let (first, mut at) = (self.pos, self.pos);
        let (mut last, mut path) = (level.last, level.likely);
        let mut record = None;
        loop {
            let start = match bytes.get(at) {
                Some(b'<') => at + 1,
                Some(byte) if is_space(*byte) => match layout(bytes, at, level) {
                    Some(start) => start,
                    None => break,
                },
                _ => break,
            };
            let name = match self.work.paths.name_at(path, bytes, start) {
                Some(name) => name,
                None if bytes.get(start) == Some(&b'/') => break,
                None => match self.work.paths.second_guess(last, path, bytes, start) {
                    Some((other, name)) => {
                        path = other;
                        name
                    }
                    None => break,
                },
            };
            let (attribute, inner) = match bytes.get(name.end) {
                _ if name.colon => break,
                Some(b'>') => (None, name.end + 1),
                Some(b' ') => match only_attribute(&self.work.paths, path, bytes, name.end + 1) {
                    Some(attribute) if self.sink.wants_all(path, attribute.path) => (Some(attribute), attribute.after),
                    _ => break,
                },
                _ => break,
            };
            let Some(wanted) = self.sink.wants(path) else { break };
            let end = if wanted { find_any(bytes, inner, [b'<', b'&']) } else { find_any(bytes, inner, [b'<']) };
            let Some(end) = end else { break };
            if bytes.get(end + 1) != Some(&b'/') {
                if end > inner || attribute.is_some() || bytes[end] != b'<' || bytes.get(end + 1).is_none_or(|byte| !may_start_name(*byte))
                {
                    break;
                }
                record = Some(Tag { start: start - 1, name: (start, name.end), after: inner, empty: false, scope: self.scope.len(), path });
                at = inner;
                (last, path) = (path, self.work.paths.after(path));
                break;
            }
            let Some(close) = self.work.paths.name_at(path, bytes, end + 2) else { break };
            if bytes[end] != b'<' || bytes.get(close.end) != Some(&b'>') {
                break;
            }
            let at_name = self.source.span(start, name.end);
            if let Some(attribute) = attribute {
                // A text that starts with white space may be layout, and no text is no item.
                let plain = bytes[inner] > b' ' && end > inner;
                let fits = self.budget.enter(at_name.start).is_ok();
                self.budget.leave();
                // Element, record, attribute and text, three of them with a value.
                if !plain || !fits || !self.budget.all_items(6) {
                    break;
                }
                let value = &text[attribute.value.0..attribute.value.1];
                self.sink.leaf_with(path, attribute.path, value, &text[inner..end], at_name)?;
            } else if !self.budget.all_items(1 + u64::from(wanted)) {
                break;
            } else if wanted {
                self.sink.leaf(path, &text[inner..end], at_name)?;
            } else {
                self.sink.unwanted(at_name)?;
            }
            at = close.end + 1;
            (last, path) = (path, self.work.paths.after(path));
        }
        (level.last, level.likely) = (last, path);
        self.pos = at;
        Ok(match record {
            Some(tag) => Found::Record(tag),
            None if at > first => Found::Leaves,
            None => Found::Nothing,
        })
    }
}

/// The thing that ended the leaves.
pub(super) enum Found {
    /// Nothing known: nothing was read.
    Nothing,
    Leaves,
    /// The start tag of an element that starts with another one. It was read, and not emitted.
    Record(Tag),
}

#[derive(Clone, Copy)]
struct OnlyAttribute {
    path: PathId,
    value: (usize, usize),
    /// Offset after the tag.
    after: usize,
}

/// Returns the attribute at `at`, if it is the one that `owner` had before, has nothing to do with
/// namespaces, has a value that needs no second look, and ends the tag.
#[inline(always)]
fn only_attribute(paths: &Paths, owner: PathId, bytes: &[u8], at: usize) -> Option<OnlyAttribute> {
    let path = paths.first(owner, Kind::Attribute);
    let name = paths.whole_name_at(path, bytes, at)?;
    if name.colon || bytes.get(at) == Some(&b'x') || bytes.get(name.end..name.end + 2) != Some(b"=\"") {
        return None;
    }
    let start = name.end + 2;
    let end = find_any(bytes, start, [b'"', b'&', b'<', b'\t', b'\n'])?;
    (bytes.get(end..end + 2) == Some(b"\">")).then_some(OnlyAttribute { path, value: (start, end), after: end + 2 })
}

/// Returns the start of an element's name after white space at `at`, if that is nothing but layout.
#[inline]
fn layout(bytes: &[u8], at: usize, level: &Level) -> Option<usize> {
    let markup = skip_space(bytes, at);
    let is_layout = bytes.get(markup) == Some(&b'<') && !level.had_text && !level.preserve && memchr(b'\n', &bytes[at..markup]).is_some();
    is_layout.then_some(markup + 1)
}
