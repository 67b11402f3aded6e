//! Passes over messages that a clock is around: nothing but a reader or writer, and the loop.
//!
//! They stand beside the walk, so that they are optimised as the formats are, whatever the crate
//! that holds the clock is compiled for.

use std::hint::black_box;

use super::count::Count;
use crate::error::Result;
use crate::limits::Budget;
use crate::value::Tree;
use crate::walk::read::Reader;
use crate::walk::write::Writer;

/// Optimisation level of these loops and of the walk, as Cargo's profile has it, such as `2`.
pub const OPT_LEVEL: &str = env!("OPT_LEVEL");

/// Writes each of `trees` to `out`, in place of what it has, and that `passes` times.
///
/// # Errors
/// The writer's error.
pub fn write(writer: &mut dyn Writer, trees: &[Tree<'_>], out: &mut Vec<u8>, passes: u64) -> Result<()> {
    for _ in 0..passes {
        for tree in trees {
            out.clear();
            writer.tree(black_box(tree))?;
            writer.finish(out)?;
            black_box(&*out);
        }
    }
    Ok(())
}

/// Reads each of `messages` to `kept`, whose memory is used again, and that `passes` times. Each
/// message has the budget to itself.
///
/// # Errors
/// The reader's error.
pub fn read<'m>(reader: &mut dyn Reader, messages: &[&'m [u8]], kept: &mut Tree<'m>, budget: &mut Budget, passes: u64) -> Result<()> {
    for _ in 0..passes {
        for message in messages {
            budget.reset();
            let mut tree = std::mem::take(kept).recycle();
            reader.walk(black_box(message), 0, &mut tree, budget)?;
            *kept = black_box(tree);
        }
    }
    Ok(())
}

/// Counts what each of `messages` holds, and that `passes` times. Each message has the budget to
/// itself.
///
/// # Errors
/// The reader's error.
pub fn scan(reader: &mut dyn Reader, messages: &[&[u8]], budget: &mut Budget, passes: u64) -> Result<()> {
    for _ in 0..passes {
        for message in messages {
            budget.reset();
            let mut count = Count::default();
            reader.walk(black_box(message), 0, &mut count, budget)?;
            black_box(count);
        }
    }
    Ok(())
}
