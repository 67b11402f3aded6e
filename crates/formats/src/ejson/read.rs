//! Extended JSON text to the events of BSON's reader.

use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Len, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span, Str, Surrogates, Tree,
};

use super::NAME;
use super::types::{self, Meaning};
use crate::bson::wire::{CODE_WITH_SCOPE, NAME as SPACE};
use crate::json::JsonReader;

/// Reads Extended JSON, relaxed and canonical.
#[derive(Debug)]
pub struct EjsonReader {
    json: JsonReader,
}

impl Default for EjsonReader {
    fn default() -> EjsonReader {
        EjsonReader { json: JsonReader::named(NAME) }
    }
}

impl Reader for EjsonReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.json.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let depth = budget.limits().depth as usize;
        self.json.walk_into(msg, base, &mut Types::new(sink, depth), budget).map_err(|error| error.format_is(NAME))
    }

    fn surrogates(&mut self, surrogates: Surrogates) {
        self.json.surrogates(surrogates);
    }
}

/// Most `$scope` before its `$code` within each other.
const TURNED: u32 = 8;

/// Turns the objects of types into the values that they mean.
struct Types<'s, 'm> {
    to: &'s mut dyn Sink<'m>,
    /// Most open containers.
    most: usize,
    levels: Vec<Level>,
    /// An object whose first name comes next, and that may be that of a type.
    object: Option<(Len, Span)>,
    /// The object of a type, as far as it came.
    held: Option<Held<'m>>,
    /// Containers that `to` did not want and that are still open.
    skipped: usize,
    /// `to` wants no more.
    stopped: bool,
    /// Number of code with scope around this that came in the other order.
    turned: u32,
}

/// The object of a type that is not yet whole.
struct Held<'m> {
    tree: Tree<'m>,
    /// Span of its opening.
    at: Span,
    /// Open containers, itself among them.
    depth: usize,
    fields: usize,
    /// The text of `$code`, if that is the first field.
    code: Option<(String, Span)>,
    /// True if the value of `$code` comes next.
    code_is_due: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Plain,
    /// Code with its scope, whose value is due or was emitted.
    Scope {
        done: bool,
    },
}

impl<'s, 'm> Types<'s, 'm> {
    fn new(to: &'s mut dyn Sink<'m>, most: usize) -> Types<'s, 'm> {
        Types { to, most, levels: Vec::new(), object: None, held: None, skipped: 0, stopped: false, turned: 0 }
    }

    fn enter(&mut self, level: Level, at: Span) -> Result<()> {
        // Code with its scope is one level deeper than its text.
        let scopes = self.levels.iter().filter(|level| matches!(level, Level::Scope { .. })).count();
        if self.levels.len() + scopes >= self.most {
            return Err(Error::data(ErrorKind::Limit, at.start)
                .seen(format!("more than {} containers within each other", self.most))
                .expected("at most as many as the limit says"));
        }
        self.levels.push(level);
        Ok(())
    }

    /// Emits the object that waits for its first name.
    fn flush(&mut self) -> Result<Next> {
        let Some((len, at)) = self.object.take() else { return Ok(Next::Enter) };
        let next = self.to.open(Open::Record { name: "", len }, at)?;
        match next {
            Next::Enter => self.enter(Level::Plain, at)?,
            Next::Skip => self.skipped = 1,
            Next::Stop => self.stopped = true,
        }
        Ok(next)
    }

    /// Checks that a value may come, which is no field's.
    fn value(&mut self, at: Span, is_object: bool) -> Result<()> {
        if let Some(Level::Scope { done }) = self.levels.last_mut() {
            if *done || !is_object {
                return Err(types::wrong(at, "another value", "a document, the scope of the code"));
            }
            *done = true;
        }
        Ok(())
    }

    /// Emits the value of an object of a type.
    fn typed(&mut self, tree: &Tree<'m>) -> Result<()> {
        let Some(item) = tree.root() else { return Ok(()) };
        match types::emit(item, self.to)? {
            Meaning::Value(next) => self.stopped |= next == Next::Stop,
            Meaning::Scoped { code, code_at, scope } => {
                let at = item.span();
                if self.turned >= TURNED {
                    return Err(types::wrong(at, "`$scope` before `$code`, several times within each other", "`$code` first"));
                }
                let levels = std::mem::take(&mut self.levels);
                let mut inner = Types { levels, turned: self.turned + 1, ..Types::new(&mut *self.to, self.most) };
                if inner.begin_scope(at, code, code_at)? == Next::Enter {
                    scope.emit(&mut inner)?;
                    Sink::close(&mut inner, Span::new(at.end, at.end))?;
                }
                (self.stopped, self.levels) = (inner.stopped, inner.levels);
            }
        }
        Ok(())
    }

    /// Emits the start of code with its scope, up to the scope. It ends with the close of its
    /// object.
    fn begin_scope(&mut self, at: Span, code: &str, code_at: Span) -> Result<Next> {
        let start = Span::new(at.start, at.start);
        let mut next = self.to.open(Open::Tagged { space: SPACE, code: u64::from(CODE_WITH_SCOPE) }, start)?;
        if next == Next::Enter {
            next = self.to.open(Open::Tuple(Len::Claimed(2)), start)?;
            if next == Next::Skip {
                self.to.close(start)?;
            }
        }
        match next {
            Next::Enter => {
                self.enter(Level::Scope { done: false }, at)?;
                self.to.scalar(Scalar::Text(Str::Scratch(code)), code_at)?;
            }
            Next::Skip => self.skipped = 1,
            Next::Stop => self.stopped = true,
        }
        Ok(next)
    }
}

impl<'m> Sink<'m> for Types<'_, 'm> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.stopped {
            return Ok(Next::Stop);
        }
        if self.skipped > 0 {
            self.skipped += 1;
            return Ok(Next::Enter);
        }
        if let Some(held) = &mut self.held {
            held.depth += 1;
            held.code_is_due = false;
            return held.tree.open(open, at);
        }
        if let Open::Record { len, .. } | Open::Map(len) = open {
            self.value(at, true)?;
            self.object = Some((len, at));
            return Ok(Next::Enter);
        }
        self.value(at, false)?;
        let next = self.to.open(open, at)?;
        if next == Next::Enter {
            self.enter(Level::Plain, at)?;
        }
        Ok(next)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.stopped {
            return Ok(Next::Stop);
        }
        if self.skipped > 0 {
            return Ok(Next::Skip);
        }
        let name = field.name.get();
        if name.contains('\0') {
            return Err(types::wrong(at, "a zero byte in a key", "a key as BSON has them, which end at a zero byte"));
        }
        if let Some(held) = &mut self.held {
            if held.depth == 1 {
                // The scope of code that came before it need not be held.
                if let (1, "$scope", Some((code, code_at))) = (held.fields, name, &held.code) {
                    let (at, code, code_at) = (held.at, code.clone(), *code_at);
                    self.held = None;
                    return self.begin_scope(at, &code, code_at);
                }
                held.fields += 1;
            }
            return held.tree.field(field, at);
        }
        if let Some((len, object)) = self.object
            && types::is_type(name)
        {
            if matches!(self.levels.last(), Some(Level::Scope { .. })) {
                return Err(types::wrong(object, format!("an object with the key {name:?}"), "a document, the scope of the code"));
            }
            self.object = None;
            let mut tree = Tree::new();
            tree.open(Open::Record { name: "", len }, object)?;
            tree.field(field, at)?;
            self.held = Some(Held { tree, at: object, depth: 1, fields: 1, code: None, code_is_due: name == "$code" });
            return Ok(Next::Enter);
        }
        if self.flush()? != Next::Enter {
            return Ok(if self.stopped { Next::Stop } else { Next::Skip });
        }
        if matches!(self.levels.last(), Some(Level::Scope { .. })) {
            return Err(types::wrong(at, format!("the key {name:?}"), "the end of the code with its scope"));
        }
        self.to.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.stopped || self.skipped > 0 {
            return Ok(());
        }
        if let Some(held) = &mut self.held {
            if let (true, Scalar::Text(code)) = (std::mem::take(&mut held.code_is_due), value) {
                held.code = Some((code.get().to_string(), at));
            }
            return held.tree.scalar(value, at);
        }
        self.value(at, false)?;
        self.to.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if self.stopped || self.skipped > 0 {
            return Ok(());
        }
        if let Some(held) = &mut self.held {
            return held.tree.part(part, at);
        }
        self.to.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.stopped {
            return Ok(());
        }
        if self.skipped == 0 && self.object.is_some() {
            self.flush()?;
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ok(());
        }
        if self.stopped {
            return Ok(());
        }
        if let Some(mut held) = self.held.take() {
            held.tree.close(at)?;
            held.depth -= 1;
            if held.depth == 0 {
                return self.typed(&held.tree);
            }
            self.held = Some(held);
            return Ok(());
        }
        if let Some(Level::Scope { done }) = self.levels.pop() {
            if !done {
                return Err(types::wrong(at, "the end of an object", "the scope of the code"));
            }
            let end = Span::new(at.start, at.start);
            self.to.close(end)?;
        }
        self.to.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if self.stopped || self.skipped > 0 || self.held.is_some() { Ok(()) } else { self.to.note(note, at) }
    }
}
