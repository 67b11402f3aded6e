//! BSON bytes to events.

use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Timestamp,
};

use super::cursor::Cursor;
use super::decimal128::{self, Number};
use super::message;
use super::wire::{self, ARRAY, BINARY, BINARY_OLD, BOOL, CODE, CODE_WITH_SCOPE, DATETIME, DB_POINTER, DECIMAL128, DOCUMENT, DOUBLE, NAME};
use super::wire::{GENERIC, INT32, INT64, MAX_KEY, MIN_DOCUMENT, MIN_KEY, NULL, OBJECT_ID, OBJECT_ID_LEN, REGEX, SYMBOL, TEXT};
use super::wire::{TIMESTAMP, UNDEFINED, sorted_options};

/// Reads BSON.
#[derive(Debug, Default)]
pub struct BsonReader {
    levels: Vec<Level>,
}

/// A document that is being read.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    /// Position of the byte that ends it; for code with scope, the position after it.
    end: usize,
    /// Index of the next element of an array.
    next: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Document,
    Array,
    /// The document around a message that is none.
    Message,
    /// The tuple of code and its scope, whose document was read.
    Scoped,
}

impl BsonReader {
    /// Walks like [`Reader::walk`], for one type of sink: calls to it are direct, and small ones
    /// are inlined.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        self.events(msg, base, sink, budget).map_err(|error| error.format_is(NAME))
    }

    fn events<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let mut cursor = Cursor::new(msg, base);
        self.levels.clear();
        let total = cursor.length(MIN_DOCUMENT, "the length of a document")?;
        let mut level = Level { kind: Kind::Document, end: total - 1, next: 0 };
        if message::is_wrapped(msg) {
            level.kind = Kind::Message;
        } else {
            budget.item(base)?;
            budget.enter(base)?;
            match sink.open(RECORD, Span::at(base, 0, 4))? {
                Next::Enter => {}
                Next::Skip => {
                    budget.leave();
                    cursor.seek(total)?;
                    return at_end(msg, base, total);
                }
                Next::Stop => return Ok(()),
            }
        }
        loop {
            if level.kind == Kind::Scoped {
                let end = cursor.pos();
                for _ in 0..2 {
                    sink.close(Span::at(base, end, end))?;
                    budget.leave();
                }
                let Some(around) = self.levels.pop() else { return Err(Error::internal("code with scope outside of all documents")) };
                level = around;
            }
            cursor.end = level.end;
            let mut at = cursor.pos();
            let kind = cursor.input.u8("an element, or the end of a document")?;
            if kind == 0 || at == level.end {
                if at != level.end {
                    return Err(cursor.wrong(at, format!("the end of a document, {} bytes before its length says so", level.end - at)));
                }
                if kind != 0 {
                    return Err(cursor.wrong(at, format!("byte 0x{kind:02x}")).expected("00, the end of the document"));
                }
                if level.kind != Kind::Message {
                    sink.close(Span::at(base, at, at + 1))?;
                    budget.leave();
                }
                match self.levels.pop() {
                    Some(around) => level = around,
                    None => return at_end(msg, base, total),
                }
                continue;
            }
            if !wire::is_type(kind) {
                return Err(cursor.unknown(kind, at));
            }
            let name = cursor.cstring("the name of an element")?;
            match level.kind {
                Kind::Document => {
                    budget.item(base + at as u64)?;
                    let name = cursor.utf8(name)?;
                    match sink.field(Field::named(Str::Input(name)), Span::at(base, at, cursor.pos()))? {
                        Next::Enter => {}
                        Next::Skip => {
                            cursor.skip(kind)?;
                            continue;
                        }
                        Next::Stop => return Ok(()),
                    }
                    at = cursor.pos();
                }
                Kind::Array => {
                    if name != itoa::Buffer::new().format(level.next).as_bytes() {
                        sink.note(Note::Coerced("an array's element whose name is not its index"), Span::at(base, at, cursor.pos()))?;
                    }
                    level.next += 1;
                }
                Kind::Message | Kind::Scoped => {}
            }
            budget.item(base + at as u64)?;

            let next = match kind {
                DOCUMENT | ARRAY => {
                    let end = cursor.document()?;
                    budget.enter(base + at as u64)?;
                    let open = if kind == DOCUMENT { RECORD } else { Open::List(Len::Unknown) };
                    let next = sink.open(open, Span::at(base, at, cursor.pos()))?;
                    match next {
                        Next::Enter => {
                            self.levels.push(level);
                            level = Level { kind: if kind == DOCUMENT { Kind::Document } else { Kind::Array }, end: end - 1, next: 0 };
                        }
                        Next::Skip => {
                            budget.leave();
                            cursor.seek(end)?;
                        }
                        Next::Stop => {}
                    }
                    next
                }
                CODE_WITH_SCOPE => {
                    let end = cursor.scoped()?;
                    let (next, inner) = scoped(&mut cursor, base, at, end, sink, budget)?;
                    if let Some(inner) = inner {
                        self.levels.push(level);
                        level = Level { kind: Kind::Scoped, end, next: 0 };
                        match inner {
                            Next::Enter => {
                                self.levels.push(level);
                                level = Level { kind: Kind::Document, end: end - 1, next: 0 };
                            }
                            Next::Skip => cursor.seek(end)?,
                            Next::Stop => {}
                        }
                    }
                    next
                }
                _ => scalar(&mut cursor, kind, base, at, sink, budget)?,
            };
            if next == Next::Stop {
                return Ok(());
            }
        }
    }
}

const RECORD: Open<'static> = Open::Record { name: "", len: Len::Unknown };

/// The spelling of a 64-bit integer that 32 bits hold.
pub(crate) static WIDE: Spelling<'static> = Spelling::width(64);

/// Checks that nothing follows a message that ends at `end`.
fn at_end(msg: &[u8], base: u64, end: usize) -> Result<()> {
    match msg.len() - end {
        0 => Ok(()),
        more => {
            Err(Error::data(ErrorKind::Trailing, base + end as u64).seen(format!("{more} bytes after the message")).expected("its end"))
        }
    }
}

/// Reads a value without values of other types in it. Its bytes start at the cursor; its span
/// starts at `at`.
fn scalar<'m, S: Sink<'m> + ?Sized>(
    cursor: &mut Cursor<'m>,
    kind: u8,
    base: u64,
    at: usize,
    sink: &mut S,
    budget: &mut Budget,
) -> Result<Next> {
    let start = cursor.pos();
    let value = match kind {
        DOUBLE => Scalar::f64(f64::from_le_bytes(cursor.array("a double")?)),
        INT32 => Scalar::int(i64::from(i32::from_le_bytes(cursor.array("a 32-bit integer")?))),
        INT64 => {
            let value = i64::from_le_bytes(cursor.array("a 64-bit integer")?);
            let hint = if i32::try_from(value).is_ok() { Hint::new(&WIDE) } else { Hint::NONE };
            if value < 0 { Scalar::Int(value, hint) } else { Scalar::UInt(value as u64, hint) }
        }
        TEXT => {
            let text = cursor.text("a text")?;
            Scalar::Text(Str::Input(cursor.utf8(text)?))
        }
        BOOL => match cursor.array("a truth value")? {
            [0] => Scalar::Bool(false),
            [1] => Scalar::Bool(true),
            [other] => return Err(cursor.wrong(start, format!("byte 0x{other:02x}")).expected("00 or 01, a truth value")),
        },
        NULL => Scalar::Null,
        DATETIME => Scalar::Time(moment(i64::from_le_bytes(cursor.array("a moment")?))?),
        BINARY => {
            let len = cursor.length(0, "the length of binary data")?;
            let [subtype] = cursor.array("the subtype of binary data")?;
            let mut inside = cursor.pos();
            let mut bytes = cursor.take(len, "binary data")?;
            if subtype == BINARY_OLD {
                // Its bytes are an inner length, and the bytes that it counts.
                let told = bytes.split_first_chunk().map(|(told, rest)| (i32::from_le_bytes(*told), rest));
                bytes = match told {
                    Some((told, rest)) if usize::try_from(told) == Ok(rest.len()) => rest,
                    Some((told, _)) => {
                        return Err(cursor.wrong(inside, format!("an inner length of {told}")).expected(format!("{}", len - 4)));
                    }
                    None => return Err(cursor.wrong(inside, format!("{len} bytes")).expected("an inner length of 4 bytes")),
                };
                inside += 4;
            }
            if subtype != GENERIC {
                let places = Places { base, at, start: inside, end: cursor.pos() };
                return tagged(wire::binary_code(subtype), Scalar::Bytes(Str::Input(bytes)), places, sink, budget);
            }
            Scalar::Bytes(Str::Input(bytes))
        }
        DECIMAL128 => {
            let bytes = cursor.array("a decimal128")?;
            let places = Places { base, at, start, end: cursor.pos() };
            return decimal(bytes, places, sink, budget);
        }
        REGEX => {
            let pattern = cursor.cstring("a pattern")?;
            let between = cursor.pos();
            let options = cursor.cstring("the options of a pattern")?;
            let pair = [pattern, options].map(|text| cursor.utf8(text));
            let [pattern, options] = pair;
            let options = options?;
            let sorted = sorted_options(options);
            let options = sorted.as_deref().map_or(Str::Input(options), Str::Scratch);
            let pair = [Scalar::Text(Str::Input(pattern?)), Scalar::Text(options)];
            return tuple(kind, pair, between, Places { base, at, start, end: cursor.pos() }, sink, budget);
        }
        DB_POINTER => {
            let name = cursor.text("the name of a collection")?;
            let between = cursor.pos();
            let id = cursor.take(OBJECT_ID_LEN, "an ObjectId")?;
            let pair = [Scalar::Text(Str::Input(cursor.utf8(name)?)), Scalar::Bytes(Str::Input(id))];
            return tuple(kind, pair, between, Places { base, at, start, end: cursor.pos() }, sink, budget);
        }
        _ => {
            let value = match kind {
                OBJECT_ID => Scalar::Bytes(Str::Input(cursor.take(OBJECT_ID_LEN, "an ObjectId")?)),
                CODE | SYMBOL => {
                    let text = cursor.text("a text")?;
                    Scalar::Text(Str::Input(cursor.utf8(text)?))
                }
                TIMESTAMP => Scalar::uint(u64::from_le_bytes(cursor.array("a timestamp")?)),
                UNDEFINED | MIN_KEY | MAX_KEY => Scalar::Null,
                _ => return Err(cursor.unknown(kind, at)),
            };
            return tagged(u64::from(kind), value, Places { base, at, start, end: cursor.pos() }, sink, budget);
        }
    };
    sink.scalar(value, Span::at(base, at, cursor.pos()))?;
    Ok(Next::Enter)
}

/// Emits a decimal128. One of several encodings of a number comes with its bytes.
fn decimal<'m, S: Sink<'m> + ?Sized>(bytes: [u8; 16], at: Places, sink: &mut S, budget: &mut Budget) -> Result<Next> {
    let number = decimal128::decode(bytes);
    let odd = decimal128::encoded(&number) != Some(bytes);
    let wire = odd.then_some((NAME, &bytes[..]));
    match number {
        Number::Finite(number) => {
            let span = Span::at(at.base, at.at, at.end);
            sink.note(Note::Coerced("a decimal128"), span)?;
            let mut spelling = number.spelling();
            spelling.wire = wire;
            sink.scalar(number.scalar(Hint::new(&spelling)), span)?;
            Ok(Next::Enter)
        }
        Number::Special(value) => {
            let mut spelling = Spelling::default();
            spelling.wire = wire;
            tagged(u64::from(DECIMAL128), Scalar::F64(value, Hint::new(&spelling)), at, sink, budget)
        }
    }
}

/// Place of a tagged value: its tag from `at` to `start`, its contents from there to `end`.
#[derive(Clone, Copy)]
struct Places {
    base: u64,
    at: usize,
    start: usize,
    end: usize,
}

fn tagged<'m, S: Sink<'m> + ?Sized>(code: u64, value: Scalar<'m, '_>, at: Places, sink: &mut S, budget: &mut Budget) -> Result<Next> {
    let Places { base, start, end, .. } = at;
    budget.enter(base + at.at as u64)?;
    let next = sink.open(Open::Tagged { space: NAME, code }, Span::at(base, at.at, start))?;
    if next == Next::Enter {
        budget.item(base + start as u64)?;
        sink.scalar(value, Span::at(base, start, end))?;
        sink.close(Span::at(base, end, end))?;
    }
    budget.leave();
    Ok(next)
}

/// Reads a tagged pair; its second value starts at `between`.
fn tuple<'m, S: Sink<'m> + ?Sized>(
    kind: u8,
    pair: [Scalar<'m, '_>; 2],
    between: usize,
    at: Places,
    sink: &mut S,
    budget: &mut Budget,
) -> Result<Next> {
    let Places { base, start, end, .. } = at;
    budget.enter(base + at.at as u64)?;
    let mut next = sink.open(Open::Tagged { space: NAME, code: u64::from(kind) }, Span::at(base, at.at, start))?;
    if next == Next::Enter {
        budget.enter(base + start as u64)?;
        budget.item(base + start as u64)?;
        next = sink.open(Open::Tuple(Len::Claimed(2)), Span::at(base, start, start))?;
        if next == Next::Enter {
            budget.item(base + start as u64)?;
            sink.scalar(pair[0], Span::at(base, start, between))?;
            budget.item(base + between as u64)?;
            sink.scalar(pair[1], Span::at(base, between, end))?;
            sink.close(Span::at(base, end, end))?;
        }
        budget.leave();
        if next != Next::Stop {
            sink.close(Span::at(base, end, end))?;
        }
    }
    budget.leave();
    Ok(next)
}

/// Reads code with scope up to the start of the scope's elements, after its length. Returns the
/// sink's answer for all of it and, if the tuple is open and has to be closed, its answer for the
/// scope.
fn scoped<'m, S: Sink<'m> + ?Sized>(
    cursor: &mut Cursor<'m>,
    base: u64,
    at: usize,
    end: usize,
    sink: &mut S,
    budget: &mut Budget,
) -> Result<(Next, Option<Next>)> {
    let start = cursor.pos();
    budget.enter(base + at as u64)?;
    let next = sink.open(Open::Tagged { space: NAME, code: u64::from(CODE_WITH_SCOPE) }, Span::at(base, at, start))?;
    if next != Next::Enter {
        budget.leave();
        if next == Next::Skip {
            cursor.seek(end)?;
        }
        return Ok((next, None));
    }
    budget.enter(base + start as u64)?;
    budget.item(base + start as u64)?;
    let next = sink.open(Open::Tuple(Len::Claimed(2)), Span::at(base, start, start))?;
    if next != Next::Enter {
        budget.leave();
        budget.leave();
        if next == Next::Skip {
            cursor.seek(end)?;
            sink.close(Span::at(base, end, end))?;
        }
        return Ok((next, None));
    }
    cursor.end = end;
    let code = cursor.text("code")?;
    let code = cursor.utf8(code)?;
    let between = cursor.pos();
    budget.item(base + start as u64)?;
    sink.scalar(Scalar::Text(Str::Input(code)), Span::at(base, start, between))?;
    if cursor.document()? != end {
        return Err(cursor
            .wrong(between, "a scope of another length than its code leaves for it".into())
            .expected(format!("{} bytes", end - between)));
    }
    budget.enter(base + between as u64)?;
    budget.item(base + between as u64)?;
    let next = sink.open(RECORD, Span::at(base, between, cursor.pos()))?;
    if next != Next::Enter {
        budget.leave();
    }
    Ok((next, Some(next)))
}

/// Returns the moment `milliseconds` after the epoch.
/// Returns the moment of a datetime.
pub(crate) fn moment(milliseconds: i64) -> Result<Timestamp> {
    let nanos = milliseconds.rem_euclid(1000) as u32 * 1_000_000;
    Timestamp::new(milliseconds.div_euclid(1000), nanos).ok_or_else(|| Error::internal("a remainder of more than a second"))
}

impl Reader for BsonReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        Ok(super::frame::frame(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }
}
