//! The other libraries, writing: each its own tree, or what the walk of our tree sends.

use std::convert::Infallible;
use std::fmt::Display;
use std::hint::black_box;

use minicbor::Encoder;
use minicbor::encode::Error as Failed;
use polywire_compare::harness::Subject;
use polywire_compare::rival::Contender;
use polywire_core::format::Format;
use polywire_core::value::Tree;
use polywire_core::{Error, Field, Len, Next, Open, Part, Result, Scalar, Sink, Span};
use polywire_formats::registry;

use crate::input::Input;
use crate::ours::encode::trees;
use crate::ours::walk::count_stream;
use crate::peer::{Peer, Prepared};

/// A library that writes trees which it made before, each into the same buffer.
struct Library<'a> {
    format: &'static Format,
    contender: Box<dyn Contender<'a> + 'a>,
    trees: usize,
    out: Vec<u8>,
}

pub fn library<'a>(format: &str, name: &str, input: &'a Input) -> Prepared<'a> {
    let rival = polywire_rivals::find(format, name).ok_or_else(|| Error::internal(format!("no {name} among the rivals of {format}")))?;
    let format = registry::find(format)?;
    let mut contender = rival.enter(&format.into())?;
    let messages = input.converted(format.name)?;
    let trees = messages.len();
    for message in messages {
        // What was converted lives as long as the benchmark.
        contender.keep(message.leak())?;
    }
    Ok(Some(Box::new(Library { format, contender, trees, out: Vec::new() })))
}

impl Subject for Library<'_> {
    fn pass(&mut self) -> Result<()> {
        for index in 0..self.trees {
            self.out.clear();
            self.contender.encode(black_box(index), &mut self.out)?;
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Library<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut answer = 0;
        for index in 0..self.trees {
            self.out.clear();
            self.contender.encode(index, &mut self.out)?;
            answer += count_stream(self.format, &self.out)?;
        }
        Ok(answer)
    }
}

/// minicbor's `Encoder`, which the walk of our trees calls without an indirect call.
struct Minicbor<'a> {
    trees: Vec<Tree<'a>>,
    out: Vec<u8>,
}

pub fn minicbor_by_walk(input: &Input) -> Prepared<'_> {
    Ok(Some(Box::new(Minicbor { trees: trees(input)?, out: Vec::new() })))
}

impl Minicbor<'_> {
    fn each(&mut self, mut done: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for tree in &self.trees {
            self.out.clear();
            black_box(tree).emit_into(&mut Calls(Encoder::new(&mut self.out)))?;
            done(&self.out)?;
        }
        Ok(())
    }
}

impl Subject for Minicbor<'_> {
    fn pass(&mut self) -> Result<()> {
        self.each(|out| {
            black_box(out);
            Ok(())
        })
    }
}

impl<'a> Peer<'a> for Minicbor<'a> {
    fn check(&mut self) -> Result<u64> {
        let format = registry::find("cbor")?;
        let mut answer = 0;
        self.each(|out| {
            answer += count_stream(format, out)?;
            Ok(())
        })?;
        Ok(answer)
    }
}

/// Events as calls of the encoder: what JSON's messages have.
struct Calls<'o>(Encoder<&'o mut Vec<u8>>);

fn failed(error: impl Display) -> Error {
    Error::internal(format!("minicbor failed: {error}"))
}

fn other(event: &str) -> Error {
    Error::internal(format!("{event}, which these messages do not have"))
}

impl<'m> Sink<'m> for Calls<'_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        match open {
            Open::List(Len::Claimed(count)) => self.0.array(count).map_err(failed)?,
            Open::Map(Len::Claimed(count)) | Open::Record { len: Len::Claimed(count), .. } => self.0.map(count).map_err(failed)?,
            _ => return Err(other("a container of another kind or of unknown length")),
        };
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.0.str(field.name.get()).map_err(failed)?;
        Ok(Next::Enter)
    }

    fn scalar(&mut self, scalar: Scalar<'m, '_>, _: Span) -> Result<()> {
        let done: std::result::Result<_, Failed<Infallible>> = match scalar {
            Scalar::Null => self.0.null(),
            Scalar::Bool(value) => self.0.bool(value),
            Scalar::Int(value, _) => self.0.i64(value),
            Scalar::UInt(value, _) => self.0.u64(value),
            Scalar::F64(value, _) => self.0.f64(value),
            Scalar::Text(text) => self.0.str(text.get()),
            _ => return Err(other("a scalar of another kind")),
        };
        done.map(|_| ()).map_err(failed)
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(other("a value in parts"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}
