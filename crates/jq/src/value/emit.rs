//! Values to events again.

use std::sync::Arc;

use polywire_core::{Error, ErrorKind, Fault, Field, Len, Limits, Next, Open, Result, Scalar, Sink, Span, Str};

use super::{List, Object, Tagged, Val, Variant};

/// Values of one result. Values are shared, so that a small filter makes results that no memory
/// holds.
const MOST: u64 = 1 << 28;

/// A container whose entries are being emitted.
enum Level<'v> {
    Values(std::slice::Iter<'v, Val>),
    /// Entries, and the value of a key that was emitted.
    Entries(std::slice::Iter<'v, (Val, Val)>, Option<&'v Val>),
}

/// Emits `value` to `sink`. The span of each event is its number, so that what a writer notes about
/// an event can be found again.
///
/// # Errors
/// The value is nested too deep, or has too many values; errors of the sink.
pub(crate) fn emit<'v, S: Sink<'v> + ?Sized>(value: &'v Val, sink: &mut S) -> Result<()> {
    let mut emitter = Emitter { levels: Vec::new(), count: 0 };
    if emitter.value(value, sink)? == Next::Stop {
        return Ok(());
    }
    while let Some(level) = emitter.levels.last_mut() {
        let next = match level {
            Level::Values(values) => match values.next() {
                Some(value) => emitter.value(value, sink)?,
                None => emitter.close(sink)?,
            },
            Level::Entries(entries, due) => match due.take() {
                Some(value) => emitter.value(value, sink)?,
                None => match entries.next() {
                    Some((Val::Text(key), value)) => {
                        let span = emitter.span();
                        match sink.field(Field::named(Str::Input(key.as_str())), span)? {
                            Next::Enter => emitter.value(value, sink)?,
                            next => next,
                        }
                    }
                    Some((key, value)) => {
                        *due = Some(value);
                        emitter.value(key, sink)?
                    }
                    None => emitter.close(sink)?,
                },
            },
        };
        if next == Next::Stop {
            return Ok(());
        }
    }
    Ok(())
}

struct Emitter<'v> {
    levels: Vec<Level<'v>>,
    count: u64,
}

fn len<T>(values: &[T]) -> Len {
    Len::Claimed(values.len() as u64)
}

impl<'v> Emitter<'v> {
    /// Returns the span of the next event.
    #[inline]
    fn span(&mut self) -> Span {
        self.count += 1;
        Span::new(self.count - 1, self.count)
    }

    #[inline]
    fn value<S: Sink<'v> + ?Sized>(&mut self, value: &'v Val, sink: &mut S) -> Result<Next> {
        let at = self.span();
        match value {
            Val::Text(text) => sink.scalar(Scalar::Text(Str::Input(text.as_str())), at)?,
            Val::Int(value) => sink.scalar(Scalar::int(*value), at)?,
            Val::F64(value) => sink.scalar(Scalar::f64(*value), at)?,
            Val::Null => sink.scalar(Scalar::Null, at)?,
            Val::Bool(value) => sink.scalar(Scalar::Bool(*value), at)?,
            Val::UInt(value) => sink.scalar(Scalar::uint(*value), at)?,
            Val::Exact(exact) => exact.scalar(|scalar| sink.scalar(scalar, at))?,
            Val::Bytes(bytes) => sink.scalar(Scalar::Bytes(Str::Input(bytes)), at)?,
            Val::Octets(bytes) => sink.scalar(Scalar::Octets(Str::Input(bytes)), at)?,
            Val::Time(moment) => sink.scalar(Scalar::Time(moment.time), at)?,
            Val::List(list) => return self.list(list, at, sink),
            Val::Object(object) => return self.object(object, at, sink),
            Val::Variant(variant) => return self.variant(variant, at, sink),
            Val::Tagged(tagged) => return self.tagged(tagged, at, sink),
        }
        Ok(Next::Enter)
    }

    fn list<S: Sink<'v> + ?Sized>(&mut self, list: &'v Arc<List>, at: Span, sink: &mut S) -> Result<Next> {
        let len = len(&list.values);
        let open = if list.tuple { Open::Tuple(len) } else { Open::List(len) };
        self.open(open, Level::Values(list.values.iter()), at, sink)
    }

    fn object<S: Sink<'v> + ?Sized>(&mut self, object: &'v Arc<Object>, at: Span, sink: &mut S) -> Result<Next> {
        let len = len(object.entries());
        // A record has names only; a filter may have given it other keys.
        let named = || object.entries().iter().all(|(key, _)| matches!(key, Val::Text(_)));
        let open = match &object.record {
            Some(name) if named() => Open::Record { name, len },
            _ => Open::Map(len),
        };
        self.open(open, Level::Entries(object.entries().iter(), None), at, sink)
    }

    #[cold]
    fn variant<S: Sink<'v> + ?Sized>(&mut self, variant: &'v Arc<Variant>, at: Span, sink: &mut S) -> Result<Next> {
        let open = Open::Variant { name: variant.name.as_str().unwrap_or_default(), index: variant.index };
        self.open(open, Level::Values(variant.values.iter()), at, sink)
    }

    #[cold]
    fn tagged<S: Sink<'v> + ?Sized>(&mut self, tagged: &'v Arc<Tagged>, at: Span, sink: &mut S) -> Result<Next> {
        let open = Open::Tagged { space: &tagged.space, code: tagged.code };
        self.open(open, Level::Values(std::slice::from_ref(&tagged.value).iter()), at, sink)
    }

    fn open<S: Sink<'v> + ?Sized>(&mut self, open: Open<'_>, level: Level<'v>, at: Span, sink: &mut S) -> Result<Next> {
        if self.levels.len() >= Limits::MAX_DEPTH as usize {
            return Err(Error::new(ErrorKind::Limit, Fault::Caller)
                .seen(format!("a result of more than {} containers within each other", Limits::MAX_DEPTH)));
        }
        if self.count > MOST {
            return Err(Error::new(ErrorKind::Limit, Fault::Caller).seen(format!("a result of more than {MOST} values")));
        }
        let next = sink.open(open, at)?;
        if next == Next::Enter {
            self.levels.push(level);
        }
        Ok(next)
    }

    #[inline]
    fn close<S: Sink<'v> + ?Sized>(&mut self, sink: &mut S) -> Result<Next> {
        self.levels.pop();
        let at = self.span();
        sink.close(at)?;
        Ok(Next::Enter)
    }
}
