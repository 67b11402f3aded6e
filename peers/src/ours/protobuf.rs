//! Our Protobuf by a schema that is read at run time: walked, printed as JSON, and made of JSON.

use std::hint::black_box;
use std::sync::Arc;

use polywire_compare::harness::Subject;
use polywire_core::tools::Count;
use polywire_core::value::Tree;
use polywire_core::{Budget, Error, Limits, Result, Writer};
use polywire_protobuf::json::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use polywire_protobuf::plan::Plan;
use polywire_protobuf::walk::{ProtobufReader, ProtobufWriter};
use polywire_protobuf::wire::framing::Framing;

use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};

/// Every value is told to a sink that counts.
struct Walk<'a> {
    plan: Arc<Plan>,
    reader: ProtobufReader,
    budget: Budget,
    input: &'a Input,
}

/// The messages walked.
pub fn walk(_: Work, input: &Input) -> Prepared<'_> {
    let plan = input.message_type()?.plan()?;
    let reader = ProtobufReader::new(plan.clone(), Framing::Whole);
    Ok(Some(Box::new(Walk { plan, reader, budget: Budget::new(&Limits::DEFAULT), input })))
}

impl Subject for Walk<'_> {
    fn pass(&mut self) -> Result<()> {
        for message in self.input.each() {
            self.budget.reset();
            let mut count = Count::default();
            self.reader.walk_into(black_box(message), 0, &mut count, &mut self.budget)?;
            black_box(count);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Walk<'a> {
    fn check(&mut self) -> Result<u64> {
        for message in self.input.each() {
            self.budget.reset();
            let mut tree = Tree::new();
            self.reader.walk_into(message, 0, &mut tree, &mut self.budget)?;
            let mut writer = ProtobufWriter::new(self.plan.clone(), Framing::Whole);
            tree.emit(&mut writer)?;
            let mut written = Vec::new();
            writer.finish(&mut written)?;
            if written != message {
                return Err(Error::internal("polywire: the walk told another message"));
            }
        }
        Ok(self.input.messages.len() as u64)
    }
}

/// The texts of all messages go to one buffer, one behind the other.
struct Print<'a> {
    printer: JsonPrinter,
    budget: Budget,
    input: &'a Input,
    out: Vec<u8>,
}

/// The messages printed as JSON.
pub fn print(_: Work, input: &Input) -> Prepared<'_> {
    let printer = JsonPrinter::new(input.message_type()?.plan()?, PrintOptions::default());
    Ok(Some(Box::new(Print { printer, budget: Budget::new(&Limits::DEFAULT), input, out: Vec::new() })))
}

impl Subject for Print<'_> {
    fn pass(&mut self) -> Result<()> {
        self.out.clear();
        for message in self.input.each() {
            self.budget.reset();
            self.printer.print(black_box(message), 0, &mut self.out, &mut self.budget)?;
            self.out.push(b'\n');
        }
        black_box(&self.out);
        Ok(())
    }
}

impl<'a> Peer<'a> for Print<'a> {
    fn check(&mut self) -> Result<u64> {
        self.pass()?;
        self.input.answer()?.agrees(self.input.answer_of(&self.out)?)?;
        Ok(self.input.messages.len() as u64)
    }
}

/// Each message goes to the same buffer.
struct Parse<'a> {
    parser: JsonParser,
    budget: Budget,
    input: &'a Input,
    out: Vec<u8>,
}

/// The messages made of JSON.
pub fn parse(_: Work, input: &Input) -> Prepared<'_> {
    let parser = JsonParser::new(input.message_type()?.plan()?, ParseOptions::default());
    Ok(Some(Box::new(Parse { parser, budget: Budget::new(&Limits::DEFAULT), input, out: Vec::new() })))
}

impl Parse<'_> {
    fn message(&mut self, text: &[u8]) -> Result<()> {
        self.budget.reset();
        self.out.clear();
        self.parser.parse(text, 0, &mut self.out, &mut self.budget)
    }
}

impl Subject for Parse<'_> {
    fn pass(&mut self) -> Result<()> {
        for text in self.input.each() {
            self.message(black_box(text))?;
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Parse<'a> {
    fn check(&mut self) -> Result<u64> {
        let protobuf = self.input.protobuf()?;
        for (text, expected) in self.input.each().zip(protobuf.each()) {
            self.message(text)?;
            if self.out != expected {
                return Err(Error::internal("polywire: another message was made of its JSON"));
            }
        }
        Ok(protobuf.messages.len() as u64)
    }
}
