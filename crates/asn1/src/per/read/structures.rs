//! SEQUENCE and SET: preambles, components, extension additions (X.691 19, X.696 16).

use polywire_core::{ErrorKind, Len, Note, Open, Result, Sink};

use super::super::layout::{Code, Extra, Part};
use super::{Frame, Inside, Place, ROOT, Raw, Walk};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    pub(super) fn structure(&mut self, index: u32, start: u64) -> Result<()> {
        let (preamble, extended) = self.begin(index, start)?;
        self.frames.push(Frame::Part { structure: index, extra: ROOT, next: 0, preamble, extended });
        Ok(())
    }

    /// Reads a structure that nothing is around of, up to a component that leaves a frame.
    pub(super) fn whole_structure(&mut self, index: u32) -> Result<()> {
        let start = self.bits.at();
        self.budget.item(self.base + (start >> 3))?;
        let (preamble, extended) = self.begin(index, start)?;
        if self.stopped { Ok(()) } else { self.part(index, ROOT, 0, preamble, extended) }
    }

    /// Reads the preamble of a structure, and opens it. Returns where its bits are, and whether
    /// extension additions follow.
    #[inline]
    fn begin(&mut self, index: u32, start: u64) -> Result<(u64, bool)> {
        let known = &self.layout.structures[index as usize];
        self.budget.enter(self.base + (start >> 3))?;
        let extended = known.extensible && self.bits.flag()?;
        let preamble = self.bits.at();
        self.bits.skip(u64::from(known.root.optionals))?;
        self.pad()?;
        self.open(Open::Record { name: "", len: Len::Unknown }, start)?;
        if self.keyed {
            self.keys.enter();
        }
        Ok((preamble, extended))
    }

    pub(super) fn part(&mut self, structure: u32, extra: u32, mut next: u32, preamble: u64, extended: bool) -> Result<()> {
        let layout = self.layout;
        let known = &layout.structures[structure as usize];
        let part: &Part = match known.additions.get(extra as usize) {
            Some(Extra::Group(part)) => part,
            _ => &known.root,
        };
        let components = &layout.plan.structure(structure).components;
        let quick = self.is_quick();
        while let Some(step) = part.steps.get(next as usize) {
            next += 1;
            if step.bit.is_some_and(|bit| !self.bits.is_set(preamble + u64::from(bit))) {
                continue;
            }
            self.named(structure, step.component)?;
            if self.stopped {
                return Ok(());
            }
            if step.is_leaf {
                if !quick || self.muted > 0 || self.skipped || !self.quick(step.quick)? {
                    self.value(step.ty)?;
                }
                if self.stopped {
                    return Ok(());
                }
                continue;
            }
            let before = self.frames.len();
            if step.is_rows
                && let Code::List(element, size) = layout.code(step.ty)
            {
                let start = self.bits.at();
                self.budget.item(self.offset(start))?;
                self.list(step.ty, element, size, start)?;
                if self.stopped {
                    return Ok(());
                }
                if self.frames.len() > before {
                    // A row has a part that is read later, which is rare.
                    self.frames.insert(before, Frame::Part { structure, extra, next, preamble, extended });
                    return Ok(());
                }
                continue;
            }
            self.frames.push(Frame::Part { structure, extra, next, preamble, extended });
            if layout.canonical && step.default.is_some() {
                self.frames.push(Frame::Checked { structure, extra, step: next - 1, start: self.bits.at() });
                if components[step.component as usize].is_key {
                    self.frames.push(Frame::Key);
                    self.keys.begin(step.component);
                }
                return self.value(step.ty);
            }
            if components[step.component as usize].is_key {
                self.frames.push(Frame::Key);
                self.keys.begin(step.component);
                return self.value(step.ty);
            }
            self.value(step.ty)?;
            // A scalar leaves no frame: on with the next component.
            if self.frames.len() > before + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
        if extra != ROOT {
            return Ok(());
        }
        if extended {
            return self.extensions(structure);
        }
        self.leave()
    }

    pub(super) fn leave(&mut self) -> Result<()> {
        if self.keyed {
            self.keys.leave();
        }
        self.budget.leave();
        self.close()
    }

    /// Reads which extension additions there are (X.691 19.7 and 19.8).
    pub(super) fn extensions(&mut self, structure: u32) -> Result<()> {
        let start = self.bits.at();
        if self.layout.octets {
            return self.octet_extensions(structure, start);
        }
        let count = if !self.bits.flag()? {
            self.bits.take(6)? + 1
        } else {
            let (count, more) = self.length()?;
            if more || count == 0 {
                let error = self.bits.error(ErrorKind::Syntax, start).seen(format!("{count} extension additions"));
                return Err(error.expected("1 to 16383"));
            }
            count
        };
        let bitmap = self.bits.at();
        self.bits.skip(count)?;
        self.shown(bitmap, count, start)?;
        self.frames.push(Frame::Additions { structure, next: 0, count: count as u32, bitmap });
        Ok(())
    }

    /// Reads which extension additions there are in OER (X.696 16.4).
    pub(super) fn octet_extensions(&mut self, structure: u32, start: u64) -> Result<()> {
        let octets = self.octet_length()?;
        let unused = self.bits.take(8)?;
        if !(2..=8192).contains(&octets) || unused > 7 {
            let seen = format!("a bitmap of {octets} octets with {unused} unused bits");
            return Err(self.bits.error(ErrorKind::Syntax, start).seen(seen).expected("a bit for each extension addition (X.696 16.4)"));
        }
        let count = (octets - 1) * 8 - unused;
        let bitmap = self.bits.at();
        self.bits.skip(count)?;
        self.pad()?;
        self.shown(bitmap, count, start)?;
        self.frames.push(Frame::Additions { structure, next: 0, count: count as u32, bitmap });
        Ok(())
    }

    /// Emits which additions there are: a relay writes as many bits.
    pub(super) fn shown(&mut self, bitmap: u64, count: u64, start: u64) -> Result<()> {
        if self.muted > 0 || self.skipped || self.stopped {
            return Ok(());
        }
        self.text.clear();
        self.text.push_str(super::super::EXTENSIONS);
        for at in bitmap..bitmap + count {
            self.text.push(if self.bits.is_set(at) { '1' } else { '0' });
        }
        let span = self.span(start, self.bits.at());
        self.sink.note(Note::Frame(self.text), span)
    }

    pub(super) fn additions(&mut self, structure: u32, next: u32, count: u32, bitmap: u64) -> Result<()> {
        let layout = self.layout;
        let known = &layout.structures[structure as usize];
        for addition in next..count {
            if !self.bits.is_set(bitmap + u64::from(addition)) {
                continue;
            }
            match known.additions.get(addition as usize) {
                Some(extra) => {
                    self.frames.push(Frame::Additions { structure, next: addition + 1, count, bitmap });
                    return match extra {
                        Extra::One(step) => {
                            self.named(structure, step.component)?;
                            if self.stopped {
                                return Ok(());
                            }
                            if layout.canonical && step.default.is_some() {
                                self.frames.push(Frame::Checked { structure, extra: addition, step: 0, start: self.bits.at() });
                            }
                            if layout.plan.structure(structure).components[step.component as usize].is_key {
                                self.frames.push(Frame::Key);
                                self.keys.begin(step.component);
                            }
                            self.within_open(step.ty)
                        }
                        Extra::Group(part) => self.group(structure, addition, part),
                    };
                }
                None => {
                    let start = self.bits.at();
                    let raw = self.contents()?;
                    if self.muted > 0 || self.stopped {
                        continue;
                    }
                    let span = self.span(start, self.bits.at());
                    let octets = match raw {
                        Raw::There(start, end) => &self.bits.bytes()[start..end],
                        Raw::Copied => &self.bytes[..],
                    };
                    self.sink.note(Note::Unknown(octets), span)?;
                }
            }
        }
        self.leave()
    }

    /// Reads the components of `[[ ]]`, which are one open type (X.691 19.9).
    pub(super) fn group(&mut self, structure: u32, extra: u32, part: &Part) -> Result<()> {
        let start = self.bits.at();
        let (length, more) = self.length()?;
        if more {
            self.bits.set(start, self.bits.end());
            let raw = self.contents()?;
            let copied = self.copied(raw);
            return self.apart(&copied, Inside::Group { structure, extra, optionals: part.optionals }, start);
        }
        if length * 8 > self.bits.left() {
            return Err(self.bits.ends());
        }
        if matches!(self.place, Place::Bits) {
            self.remark("length of the group", start)?;
        }
        let (at, end) = (self.bits.at(), self.bits.end());
        if self.muted > 0 && !self.keys.is_inside() {
            self.bits.set(at + length * 8, end);
            return Ok(());
        }
        self.budget.enter(self.offset(at))?;
        self.bits.set(at, at + length * 8);
        self.frames.push(Frame::Window { start: at, end });
        self.bits.skip(u64::from(part.optionals))?;
        self.pad()?;
        self.frames.push(Frame::Part { structure, extra, next: 0, preamble: at, extended: false });
        Ok(())
    }

    /// Checks that a component is not its default (X.696 16.3).
    pub(super) fn checked(&self, structure: u32, extra: u32, step: u32, start: u64) -> Result<()> {
        let known = &self.layout.structures[structure as usize];
        let [mut from, to] = [start, self.bits.at()].map(|at| (at >> 3) as usize);
        let step = match known.additions.get(extra as usize) {
            Some(Extra::Group(part)) => &part.steps[step as usize],
            Some(Extra::One(step)) => {
                // An addition by itself is behind its length.
                let first = self.bits.bytes()[from];
                from += 1 + usize::from(if first < 0x80 { 0 } else { first & 0x7f });
                step
            }
            None => &known.root.steps[step as usize],
        };
        match &step.default {
            Some(default) if default.bits.bytes() == &self.bits.bytes()[from..to] => {
                self.not_canonical(start, "a component that has its default", "no such component (X.696 16.3)")
            }
            _ => Ok(()),
        }
    }
}
