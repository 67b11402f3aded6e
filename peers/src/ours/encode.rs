//! Polywire writing trees, as `polywire compare` times it.

use std::hint::black_box;

use polywire_compare::harness::Subject;
use polywire_core::format::Format;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::Tree;
use polywire_core::{Error, Limits, Result, Writer};
use polywire_formats::registry;

use super::walk::count_stream;
use crate::input::Input;
use crate::peer::{Peer, Prepared};

/// Writes each tree into the same buffer.
struct Encode<'a> {
    format: &'static Format,
    writer: Box<dyn Writer>,
    trees: Vec<Tree<'a>>,
    out: Vec<u8>,
}

pub fn encode<'a>(format: &str, input: &'a Input) -> Prepared<'a> {
    let format = registry::find(format)?;
    let writer = format.writer.ok_or_else(|| Error::usage(format!("{} cannot be written", format.name)))?();
    Ok(Some(Box::new(Encode { format, writer, trees: trees(input)?, out: Vec::new() })))
}

/// The messages of an input as trees.
pub fn trees(input: &Input) -> Result<Vec<Tree<'_>>> {
    let mut walker = Walker::new(input.format()?, &Limits::DEFAULT);
    let tree = |message| {
        let mut tree = Tree::new();
        walker.walk(message, 0, &mut tree)?;
        Ok(tree)
    };
    input.each().map(tree).collect()
}

impl Subject for Encode<'_> {
    fn pass(&mut self) -> Result<()> {
        for tree in &self.trees {
            self.out.clear();
            self.writer.tree(black_box(tree))?;
            self.writer.finish(&mut self.out)?;
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Encode<'a> {
    fn check(&mut self) -> Result<u64> {
        let mut answer = 0;
        for tree in &self.trees {
            self.out.clear();
            self.writer.tree(tree)?;
            self.writer.finish(&mut self.out)?;
            answer += count_stream(self.format, &self.out)?;
        }
        Ok(answer)
    }
}
