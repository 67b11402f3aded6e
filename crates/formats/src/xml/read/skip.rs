//! Steps over elements that the sink skips.

use memchr::memmem;
use polywire_core::bytes::find_any;

use super::super::prolog;
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Kind, Tag, Walk, Walker};

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Steps over an element whose start tag was read and not pushed.
    pub(super) fn skip(&mut self, tag: Tag) -> Walk<()> {
        self.pos = tag.after;
        if tag.empty {
            self.scope.leave(tag.scope);
            return Ok(());
        }
        let bytes = self.text.as_bytes();
        if let Some(end) = find_any(bytes, tag.after, [b'<'])
            && self.peek(end + 1) == b'/'
            && let Some(close) = self.same_name(tag.path, tag.name, end + 2)
            && self.peek(close) == b'>'
        {
            self.pos = close + 1;
            if tag.scope != self.scope.len() {
                self.scope.leave(tag.scope);
            }
            return Ok(());
        }
        self.push(tag, Kind::Leaf)?;
        self.skip_rest()
    }

    /// Steps over the rest of the element that was pushed last, and leaves it.
    pub(super) fn skip_rest(&mut self) -> Walk<()> {
        let mut depth = 0u32;
        let mut bytes = self.text.as_bytes();
        let mut at = self.pos;
        loop {
            let Some(markup) = find_any(bytes, at, [b'<']) else {
                self.pos = bytes.len();
                if self.leave_entity()? {
                    (bytes, at) = (self.text.as_bytes(), self.pos);
                    continue;
                }
                return Err(self.unfinished());
            };
            at = markup;
            match self.peek(at + 1) {
                b'/' if depth == 0 => {
                    self.pos = at;
                    self.finish()?;
                    return Ok(());
                }
                b'/' => match find_any(bytes, at + 2, [b'>']) {
                    Some(end) => {
                        depth -= 1;
                        self.budget.leave();
                        at = end + 1;
                    }
                    None => return Err(self.wrong(bytes.len(), "`>`, the end of an end tag")),
                },
                b'!' if bytes[at..].starts_with(b"<![CDATA[") => match memmem::find(&bytes[at..], b"]]>") {
                    Some(n) => at += n + 3,
                    None => return Err(self.wrong(bytes.len(), "`]]>`, the end of a CDATA section")),
                },
                b'!' | b'?' => match prolog::misc(self.text, at).map_err(|error| self.place(error))? {
                    Some(piece) => at = piece.end,
                    None => return Err(self.wrong(at + 1, "a comment, a CDATA section or an element")),
                },
                _ => {
                    let mut end = at + 1;
                    loop {
                        match find_any(bytes, end, [b'>', b'"', b'\'']) {
                            None => return Err(self.wrong(bytes.len(), "`>`, the end of a tag")),
                            Some(gt) if bytes[gt] == b'>' => {
                                end = gt;
                                break;
                            }
                            // Values are mostly short.
                            Some(quote) => match find_any(bytes, quote + 1, [bytes[quote]]) {
                                Some(close) => end = close + 1,
                                None => return Err(self.wrong(bytes.len(), "the closing quote of an attribute's value")),
                            },
                        }
                    }
                    if bytes[end - 1] != b'/' {
                        depth += 1;
                        let offset = self.offset(at);
                        self.budget.enter(offset)?;
                    }
                    at = end + 1;
                }
            }
        }
    }
}
