//! Child elements of nothing but text, one behind the other: most of most data.

use memchr::memchr;
use polywire_core::bytes::find_any;

use super::super::chars::{is_space, skip_space};
use super::Source;
use super::sink::ElementSink;
use super::walker::{Level, Walk, Walker};

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Reads leaves as long as they come as expected: known, without attributes and prefixes, of text that needs no second look. What it leaves standing, the
    /// general way reads. Whether it has read any.
    #[inline(always)]
    pub(super) fn leaves(&mut self) -> Walk<bool> {
        if !K::TAKES_LEAVES || !self.contents.is_plain() || self.is_nested() || self.declares_attributes {
            return Ok(false);
        }
        let text = self.text;
        let bytes = text.as_bytes();
        let Some(level) = self.work.levels.last_mut() else { return Ok(false) };
        let (first, mut at) = (self.pos, self.pos);
        let (mut last, mut path) = (level.last, level.likely);
        loop {
            let start = match bytes.get(at) {
                Some(b'<') => at + 1,
                Some(byte) if is_space(*byte) => match layout(bytes, at, level) {
                    Some(start) => start,
                    None => break,
                },
                _ => break,
            };
            let name = match self.paths.whole_name_at(path, bytes, start) {
                Some(name) => name,
                None => match self.paths.second_guess(last, path, bytes, start) {
                    Some((other, name)) => {
                        path = other;
                        name
                    }
                    None => break,
                },
            };
            if name.colon || bytes.get(name.end) != Some(&b'>') {
                break;
            }
            let Some(wanted) = self.sink.wants(path) else { break };
            let inner = name.end + 1;
            let end = if wanted { find_any(bytes, inner, [b'<', b'&']) } else { find_any(bytes, inner, [b'<']) };
            let Some(end) = end.filter(|end| bytes.get(end + 1) == Some(&b'/')) else { break };
            let Some(close) = self.paths.name_at(path, bytes, end + 2) else { break };
            if bytes[end] != b'<' || bytes.get(close.end) != Some(&b'>') || !self.budget.all_items(1 + u64::from(wanted)) {
                break;
            }
            let at_name = self.source.span(start, name.end);
            if wanted {
                self.sink.leaf(path, &text[inner..end], at_name)?;
            } else {
                self.sink.unwanted(at_name)?;
            }
            at = close.end + 1;
            (last, path) = (path, self.paths.after(path));
        }
        (level.last, level.likely) = (last, path);
        self.pos = at;
        Ok(at > first)
    }
}

/// Where the name of an element begins behind white space at `at`, if that is nothing but layout.
#[inline]
fn layout(bytes: &[u8], at: usize, level: &Level) -> Option<usize> {
    let markup = skip_space(bytes, at);
    let is_layout = bytes.get(markup) == Some(&b'<') && !level.had_text && !level.preserve && memchr(b'\n', &bytes[at..markup]).is_some();
    is_layout.then_some(markup + 1)
}
