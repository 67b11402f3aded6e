//! Start tags, attributes and their namespaces.

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::RandomState;
use polywire_core::{Error, ErrorKind};

use super::super::chars::{self, Name, is_space, scan_name, skip_space};
use super::super::dtd::Preset;
use super::super::markup::{self, Reference, XML_SPACE, XMLNS_SPACE};
use super::paths::{self, PathId};
use super::sink::ElementSink;
use super::source::Source;
use super::walker::{Attribute, Halt, RunText, Tag, Walk, Walker};

/// Number of attributes of one tag up to which each is compared with each; beyond, they are sorted.
const FEW: usize = 8;

impl<'m, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'_, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    /// Reads the start tag at `pos`, its attributes into [`Work::attributes`].
    #[inline(always)]
    pub(super) fn tag(&mut self) -> Walk<Tag> {
        let start = self.pos;
        let (name, path) = self.element_name(start + 1)?;
        let scope = self.scope.len();
        self.work.attributes.clear();
        self.work.has_names = false;
        let (after, empty) = match (self.peek(name.end), self.peek(name.end + 1)) {
            (b'>', _) => (name.end + 1, false),
            (b'/', b'>') => (name.end + 2, true),
            _ => self.attributes(name.end, path)?,
        };
        let tag = Tag { start, name: (start + 1, name.end), after, empty, scope, path };
        if self.declares_attributes {
            self.presets(tag)?;
        }
        if !self.work.attributes.is_empty() {
            self.check_attributes()?;
        }
        if name.colon && self.profile {
            self.check_prefix(&self.text[tag.name.0..tag.name.1], tag.name.0)?;
        }
        Ok(tag)
    }

    /// Reads the name of an element at `at`; returns it and its path.
    #[inline(always)]
    fn element_name(&mut self, at: usize) -> Walk<(Name, PathId)> {
        if let Some(level) = self.work.levels.last_mut()
            && let Some(name) = self.work.paths.whole_name_at(level.likely, self.text.as_bytes(), at)
        {
            let path = level.likely;
            (level.last, level.likely) = (path, self.work.paths.after(path));
            return Ok((name, path));
        }
        self.unexpected_name(at)
    }

    #[inline(never)]
    fn unexpected_name(&mut self, at: usize) -> Walk<(Name, PathId)> {
        if let Some(level) = self.work.levels.last_mut()
            && let Some((path, name)) = self.work.paths.second_guess(level.last, level.likely, self.text.as_bytes(), at)
        {
            (level.last, level.likely) = (path, self.work.paths.after(path));
            return Ok((name, path));
        }
        let name = match scan_name(self.text, at) {
            Ok(name) => name,
            Err(at) => return Err(self.wrong(at, "the name of an element after `<`; a plain `<` is written `&lt;`")),
        };
        let Some(level) = self.work.levels.last_mut() else { return Ok((name, PathId::NONE)) };
        let path = self.work.paths.find(level.path, paths::Kind::Element, level.last, &self.text[at..name.end], name.colon);
        if path != PathId::NONE {
            (level.last, level.likely) = (path, self.work.paths.after(path));
        }
        Ok((name, path))
    }

    /// Reads the name of an attribute at `at` in the tag of `owner`, after the attribute `last`;
    /// returns it and its path.
    #[inline(always)]
    fn attribute_name(&mut self, at: usize, owner: PathId, last: PathId) -> Walk<(Name, PathId)> {
        let likely = if last == PathId::NONE { self.work.paths.first(owner, paths::Kind::Attribute) } else { self.work.paths.after(last) };
        if let Some(name) = self.work.paths.whole_name_at(likely, self.text.as_bytes(), at) {
            return Ok((name, likely));
        }
        match scan_name(self.text, at) {
            Ok(name) => Ok((name, self.work.paths.find(owner, paths::Kind::Attribute, last, &self.text[at..name.end], name.colon))),
            Err(wrong) => Err(self.wrong(wrong, "the name of an attribute, `/>` or `>`")),
        }
    }

    /// Reads attributes of the element `owner` from `at`, the end of the element's name. Returns
    /// the end of the tag, and true for an empty element's.
    pub(super) fn attributes(&mut self, mut at: usize, owner: PathId) -> Walk<(usize, bool)> {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut last = PathId::NONE;
        loop {
            let space = at;
            at = skip_space(bytes, at);
            match self.peek(at) {
                b'>' => return Ok((at + 1, false)),
                b'/' if self.peek(at + 1) == b'>' => return Ok((at + 2, true)),
                b'/' => return Err(self.wrong(at + 1, "`>` after `/`")),
                _ if at == space => return Err(self.wrong(at, "white space, `/>` or `>`")),
                _ => {}
            }
            let (name, path) = self.attribute_name(at, owner, last)?;
            last = path;
            let mut open = name.end;
            if self.peek(open) != b'=' {
                open = skip_space(bytes, open);
                if self.peek(open) != b'=' {
                    return Err(self.wrong(open, "`=` after the name of an attribute"));
                }
            }
            open += 1;
            let mut quote = self.peek(open);
            if is_space(quote) {
                open = skip_space(bytes, open);
                quote = self.peek(open);
            }
            if quote != b'"' && quote != b'\'' {
                return Err(self.wrong(open, "the value of an attribute, in quotes"));
            }
            let start = open + 1;
            let mut end = start;
            let mut plain = true;
            loop {
                while end < bytes.len() && !chars::stops_value(bytes[end]) {
                    end += 1;
                }
                match self.peek(end) {
                    byte if byte == quote => break,
                    b'&' | b'\t' | b'\n' | b'\r' => plain = false,
                    b'<' => return Err(self.wrong(end, "no `<` in the value of an attribute; write `&lt;`")),
                    0 => return Err(self.wrong(end, "the closing quote of an attribute's value")),
                    _ => {}
                }
                end += 1;
            }
            self.work.has_names |= name.colon || bytes[at] == b'x';
            self.work.attributes.push(Attribute {
                name: (at, name.end),
                value: (start, end),
                prefixed: name.colon,
                plain,
                preset: None,
                path,
            });
            at = end + 1;
        }
    }

    /// Adds the attributes that the document type gives to an element and that are not written.
    pub(super) fn presets(&mut self, tag: Tag) -> Walk<()> {
        let element = &self.text[tag.name.0..tag.name.1];
        self.tokens = self.dtd.and_then(|dtd| dtd.tokens(element));
        self.presets = self.dtd.map_or(&[][..], |dtd| dtd.defaults(element));
        if self.presets.is_empty() {
            return Ok(());
        }
        let (text, presets) = (self.text, self.presets);
        let written: HashSet<&str, RandomState> =
            self.work.attributes.iter().map(|attribute| &text[attribute.name.0..attribute.name.1]).collect();
        for (preset, place) in presets.iter().zip(0..) {
            if written.contains(preset.name.as_str()) {
                continue;
            }
            self.spend(1 + preset.name.len() + preset.value.len(), tag.start)?;
            self.work.has_names = true;
            self.work.attributes.push(Attribute {
                name: (tag.start, tag.start),
                value: (tag.start, tag.start),
                prefixed: preset.name.contains(':'),
                plain: false,
                preset: Some(place),
                path: PathId::NONE,
            });
        }
        Ok(())
    }

    /// Returns the name of an attribute of the current tag.
    pub(super) fn name_of_attribute(&self, attribute: Attribute) -> &str {
        name_in(self.text, self.presets, attribute)
    }

    /// Checks the attributes of a tag against each other, and declares and checks their namespaces.
    pub(super) fn check_attributes(&mut self) -> Walk<()> {
        let (text, presets) = (self.text, self.presets);
        let count = self.work.attributes.len();
        if count > 1 {
            self.check_doubles()?;
        }
        if !self.work.has_names || !self.profile {
            return Ok(());
        }
        let mut prefixed = 0;
        for n in 0..count {
            let attribute = self.work.attributes[n];
            let name = name_in(text, presets, attribute);
            if !name.starts_with("xmlns") {
                prefixed += usize::from(attribute.prefixed);
                continue;
            }
            if name == "xmlns" {
                let uri = self.attribute_text(attribute)?;
                if matches!(&*uri, XML_SPACE | XMLNS_SPACE) {
                    return Err(self.namespace(attribute.name.0, "a default namespace that is reserved"));
                }
            } else if let Some(prefix) = name.strip_prefix("xmlns:") {
                let uri = self.attribute_text(attribute)?;
                let local = chars::split(name).is_some();
                if !local || prefix == "xmlns" || uri.is_empty() || *uri == *XMLNS_SPACE || (prefix == "xml") != (*uri == *XML_SPACE) {
                    return Err(self.namespace(attribute.name.0, "a namespace declaration that isn't allowed"));
                }
                let prefix = match attribute.preset {
                    None => Cow::Borrowed(&text[attribute.name.0 + "xmlns:".len()..attribute.name.1]),
                    Some(_) => Cow::Owned(prefix.to_string()),
                };
                self.scope.declare(prefix, uri);
            } else {
                prefixed += usize::from(attribute.prefixed);
            }
        }
        if prefixed > 0 {
            for n in 0..count {
                let attribute = self.work.attributes[n];
                let name = name_in(text, presets, attribute);
                if attribute.prefixed && !name.starts_with("xmlns:") {
                    self.check_prefix(name, attribute.name.0)?;
                }
            }
            if prefixed > 1 {
                self.check_expanded_doubles()?;
            }
        }
        Ok(())
    }

    /// Returns an attribute's value, to keep.
    pub(super) fn attribute_text(&mut self, attribute: Attribute) -> Walk<Cow<'t, str>> {
        Ok(match self.value(attribute)? {
            RunText::Plain(start, end) => Cow::Borrowed(&self.text[start..end]),
            RunText::Made => Cow::Owned(self.work.made.clone()),
        })
    }

    /// Checks that no two attributes have one name (section 3.1).
    pub(super) fn check_doubles(&mut self) -> Walk<()> {
        let attributes = &self.work.attributes;
        let name = |n: usize| self.name_of_attribute(attributes[n]).as_bytes();
        let count = attributes.len();
        let double = if count <= FEW {
            (1..count).find(|&n| (0..n).any(|other| name(n) == name(other)))
        } else {
            let order = &mut self.work.order;
            order.clear();
            order.extend(0..count as u32);
            let (text, presets, attributes) = (self.text, self.presets, &self.work.attributes);
            let name = |n: u32| name_in(text, presets, attributes[n as usize]);
            order.sort_unstable_by(|&a, &b| name(a).cmp(name(b)).then(a.cmp(&b)));
            order.windows(2).find(|pair| name(pair[0]) == name(pair[1])).map(|pair| pair[1] as usize)
        };
        match double {
            None => Ok(()),
            Some(n) => {
                let attribute = self.work.attributes[n];
                Err(Error::data(ErrorKind::DoubledKey, self.offset(attribute.name.0))
                    .seen(format!("a second attribute `{}`", self.name_of_attribute(attribute)))
                    .expected("each attribute once in a tag")
                    .into())
            }
        }
    }

    /// Checks that no two attributes have one local name in one namespace (Namespaces in XML 1.0,
    /// section 6.3).
    pub(super) fn check_expanded_doubles(&self) -> Walk<()> {
        let mut expanded: Vec<(&str, &str, usize)> = Vec::new();
        for attribute in &self.work.attributes {
            let name = self.name_of_attribute(*attribute);
            if let Some((prefix, local)) = chars::split(name).filter(|(prefix, _)| attribute.prefixed && *prefix != "xmlns") {
                expanded.push((local, self.scope.uri(prefix).unwrap_or(""), attribute.name.0));
            }
        }
        expanded.sort_unstable();
        match expanded.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            None => Ok(()),
            Some(pair) => Err(Error::data(ErrorKind::DoubledKey, self.offset(pair[1].2))
                .seen(format!("a second attribute `{}` of the namespace `{}`", pair[1].0, pair[1].1))
                .expected("each attribute once in a tag")
                .into()),
        }
    }

    /// Checks that a name, which stands at `at`, is a QName and its prefix is declared.
    pub(super) fn check_prefix(&self, name: &str, at: usize) -> Walk<()> {
        match chars::split(name) {
            None => Err(self.namespace(at, "a name with a misplaced colon")),
            Some((prefix, _)) if self.scope.uri(prefix).is_some() => Ok(()),
            Some((prefix, _)) => {
                let seen = format!("the prefix `{prefix}`, which is not declared");
                Err(Error::data(ErrorKind::Syntax, self.offset(at))
                    .seen(seen)
                    .expected(format!("`xmlns:{prefix}` in this tag or around it"))
                    .into())
            }
        }
    }

    #[cold]
    pub(super) fn namespace(&self, at: usize, seen: &'static str) -> Halt {
        Error::data(ErrorKind::Syntax, self.offset(at)).seen(seen).expected("names by Namespaces in XML 1.0").into()
    }

    /// Returns an attribute's value, normalised (section 3.3.3).
    pub(super) fn value(&mut self, attribute: Attribute) -> Walk<RunText> {
        let (start, end) = attribute.value;
        let (text, presets) = (self.text, self.presets);
        let tokens = self.tokens.is_some_and(|tokens| tokens.contains(name_in(text, presets, attribute)));
        if attribute.plain && !tokens {
            return Ok(RunText::Plain(start, end));
        }
        let (literal, written) = match attribute.preset {
            None => (&text[start..end], true),
            Some(place) => (presets[place as usize].value.as_str(), false),
        };
        // Everything in a value that is not written stands at the tag.
        let place = |at: usize| if written { start + at } else { start };
        self.work.made.clear();
        let mut at = 0;
        while at < literal.len() {
            let rest = &literal.as_bytes()[at..];
            let next = rest.iter().position(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r'));
            let stop = next.map_or(literal.len(), |n| at + n);
            self.work.made.push_str(&literal[at..stop]);
            at = stop;
            match next.map(|n| rest[n]) {
                None => {}
                Some(b'&') => {
                    let wrong = |error: Error| {
                        let at = place(error.offset().unwrap_or(0) as usize);
                        self.place(error.at(at as u64))
                    };
                    let (reference, after) = markup::reference(literal, at).map_err(wrong)?;
                    match reference {
                        Reference::Char(c) => self.work.made.push(c),
                        Reference::Entity(name) => self.expand(name, place(at), true)?,
                    }
                    at = after;
                }
                Some(byte) => {
                    self.work.made.push(' ');
                    at += if byte == b'\r' && literal.as_bytes().get(at + 1) == Some(&b'\n') { 2 } else { 1 };
                }
            }
        }
        if tokens {
            let made = &mut self.work.made;
            let tokens = made.split(' ').filter(|token| !token.is_empty()).collect::<Vec<_>>().join(" ");
            *made = tokens;
        }
        Ok(RunText::Made)
    }
}

/// Returns the name of an attribute: a range of the text, or that of a preset.
#[inline]
fn name_in<'a>(text: &'a str, presets: &'a [Preset], attribute: Attribute) -> &'a str {
    match attribute.preset {
        None => &text[attribute.name.0..attribute.name.1],
        Some(place) => &presets[place as usize].name,
    }
}
