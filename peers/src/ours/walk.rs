//! Polywire as a peer: through the registry and `dyn Sink`, as its own command line uses it.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::format::Format;
use polywire_core::tools::Count;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::convert::convert as convert_stream;
use polywire_core::{Budget, Field, Limits, Next, Open, Part, Reader, Result, Scalar, Sink, Span};
use polywire_formats::json::JsonReader;
use polywire_formats::registry;

use crate::input::Input;
use crate::peer::{Peer, Prepared};

/// Walks every message into a counting sink.
struct Walk {
    reader: Box<dyn Reader>,
    messages: Vec<Vec<u8>>,
    budget: Budget,
    /// Counts XML elements instead of all values.
    elements: bool,
}

pub fn walk<'a>(format: &str, input: &'a Input) -> Prepared<'a> {
    let reader = (registry::find(format)?.reader)();
    Ok(Some(Box::new(Walk { reader, messages: input.converted(format)?, budget: Budget::new(&Limits::DEFAULT), elements: false })))
}

/// Walks every message of JSON into a counting sink that the reader knows.
struct KnownSink {
    reader: JsonReader,
    messages: Vec<Vec<u8>>,
    budget: Budget,
}

pub fn walk_known(input: &Input) -> Prepared<'_> {
    Ok(Some(Box::new(KnownSink {
        reader: JsonReader::default(),
        messages: input.converted("json")?,
        budget: Budget::new(&Limits::DEFAULT),
    })))
}

impl KnownSink {
    fn each(&mut self, mut done: impl FnMut(Count)) -> Result<()> {
        for message in &self.messages {
            self.budget.reset();
            let mut count = Count::default();
            self.reader.walk_into(black_box(message), 0, &mut count, &mut self.budget)?;
            done(count);
        }
        Ok(())
    }
}

impl Subject for KnownSink {
    fn pass(&mut self) -> Result<()> {
        self.each(|count| {
            black_box(count);
        })
    }
}

impl<'a> Peer<'a> for KnownSink {
    fn check(&mut self) -> Result<u64> {
        let mut answer = 0;
        self.each(|count| answer += count.containers + count.scalars)?;
        Ok(answer)
    }
}

pub fn walk_elements<'a>(format: &str, input: &'a Input) -> Prepared<'a> {
    let reader = (registry::find(format)?.reader)();
    Ok(Some(Box::new(Walk { reader, messages: input.converted(format)?, budget: Budget::new(&Limits::DEFAULT), elements: true })))
}

impl Subject for Walk {
    fn pass(&mut self) -> Result<()> {
        for message in &self.messages {
            self.budget.reset();
            let mut count = Count::default();
            self.reader.walk(black_box(message), 0, &mut count, &mut self.budget)?;
            black_box(count);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Walk {
    fn check(&mut self) -> Result<u64> {
        let mut answer = 0;
        for message in &self.messages {
            self.budget.reset();
            if self.elements {
                let mut elements = Elements(0);
                self.reader.walk(message, 0, &mut elements, &mut self.budget)?;
                answer += elements.0;
            } else {
                let mut count = Count::default();
                self.reader.walk(message, 0, &mut count, &mut self.budget)?;
                answer += count.containers + count.scalars;
            }
        }
        Ok(answer)
    }
}

/// Counts the fields that are XML elements.
struct Elements(u64);

impl<'m> Sink<'m> for Elements {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.0 += u64::from(!field.name.get().starts_with(['@', '#']));
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}

/// Converts the stream as `polywire convert` does, framing and the check for doubled keys included.
struct Convert<'a> {
    from: &'static Format,
    to: &'static Format,
    input: &'a Input,
    out: Vec<u8>,
}

pub fn convert<'a>(from: &str, to: &str, input: &'a Input) -> Prepared<'a> {
    Ok(Some(Box::new(Convert { from: registry::find(from)?, to: registry::find(to)?, input, out: Vec::new() })))
}

impl Subject for Convert<'_> {
    fn pass(&mut self) -> Result<()> {
        self.out.clear();
        let mut stream = Stream::new(black_box(self.input.bytes()));
        let mut walker = Walker::new(self.from, &Limits::DEFAULT);
        convert_stream(&mut stream, &mut self.out, &mut walker, self.to)?;
        black_box(&self.out);
        Ok(())
    }
}

impl<'a> Peer<'a> for Convert<'a> {
    fn check(&mut self) -> Result<u64> {
        self.pass()?;
        count_stream(self.to, &self.out)
    }
}

/// How many values the messages of a stream hold.
pub fn count_stream(format: &'static Format, bytes: &[u8]) -> Result<u64> {
    let mut walker = Walker::new(format, &Limits::DEFAULT);
    let mut stream = Stream::new(bytes);
    let mut answer = 0;
    while let Some(message) = stream.next(&mut walker)? {
        let mut count = Count::default();
        // A second walker, since the first one's buffer holds the message.
        Walker::new(format, &Limits::DEFAULT).walk(message.bytes, message.base, &mut count)?;
        answer += count.containers + count.scalars;
    }
    Ok(answer)
}
