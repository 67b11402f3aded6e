//! Inference: a schema from samples.
//!
//! Samples come one by one and are not kept. The numbers in [`thresholds`] bound the memory,
//! whatever the number and size of the samples. The schema accepts each sample
//! ([`accept`](crate::accept)).
//!
//! The state merges: samples may be split in any way, each part summed up on its own, and the parts
//! merged in any order ([`Inference::merge`]). The schema depends on the samples only, not on their
//! order or on the split. The exception: samples with more than
//! [`MAX_PLACES`](thresholds::MAX_PLACES) places at a time. The deepest levels are then given up,
//! and how many may depend on what came first.
//!
//! The rules:
//!
//! - **Whole numbers**: 32 bits if all have a bit to spare in them, else 64; unsigned unless one is
//!   negative; `Integer` if 64 bits do not suffice.
//! - **Decimals**: `Decimal` if their type in the format is decimal; else `F64`, a rounded number.
//! - **Floats**: `F32` if all are binary32, else `F64`.
//! - **Whole numbers and floats**: `Number` if a binary64 is exact for all (whole numbers up to
//!   2⁵³) and no float is whole; a sum type of both if one is; else `Decimal`, which holds any
//!   finite number.
//! - **Text**: an enumeration if the texts look like names, are few, many values came, and each
//!   text came several times ([`ENUMERATION_SAMPLES`](thresholds::ENUMERATION_SAMPLES) says why);
//!   else text. Text that looks like a number or a timestamp stays text, and the field's
//!   documentation says so: `Timestamp` is for values that the format marks as such.
//! - **Lists**: a tuple if all have the same length and the kinds of values differ by position;
//!   else a list.
//! - **Order of fields**: each behind those that came right before it in some record; where that
//!   leaves a choice, by the mean number of fields before them in the records that have them, then
//!   by name.
//! - **Records**: a map if the names are data: too many, or looking like data, or hardly ever the
//!   same. A field that some records lack is optional; one that some have more than once is
//!   repeated.
//! - **Sum types**: the format's own variants; or several kinds of records of exactly one field,
//!   with texts as constant cases.
//! - **Values of several kinds**: an untagged sum type with cases named by kind; null makes a type
//!   nullable.
//! - **Records of the same fields in several places**: one type. Recursive types are found this
//!   way.

mod names;
mod place;
mod shape;
mod sink;
mod state;
mod stream;
mod text;
pub mod thresholds;
mod types;

use polywire_core::schema::Schema;
use polywire_core::{Error, Result, Sink};

use place::Places;
pub(crate) use place::case_name;
use sink::{Feed, Position};

/// The state of an inference: the samples so far, summed up.
#[derive(Debug)]
pub struct Inference {
    places: Places,
    position: Position,
    samples: u64,
}

impl Default for Inference {
    fn default() -> Self {
        Inference::new()
    }
}

impl Inference {
    /// Name of the message type if neither the caller nor the samples have one.
    pub const NAME: &'static str = types::NAME;

    /// Creates an inference without samples.
    pub fn new() -> Inference {
        Inference { places: Places::new(), position: Position::default(), samples: 0 }
    }

    /// Adds one sample. `tell` sends its events to the sink that it gets: `|sink|
    /// walker.walk(bytes, base, sink)`.
    ///
    /// # Errors
    /// Those of `tell`; events before the error stay counted. A sample that ends early is the
    /// caller's fault.
    pub fn add<'m>(&mut self, tell: impl FnOnce(&mut dyn Sink<'m>) -> Result<()>) -> Result<()> {
        self.position.start();
        tell(&mut Feed { places: &mut self.places, position: &mut self.position })?;
        if !self.position.is_whole() {
            return Err(Error::usage("a sample without a value"));
        }
        self.samples += 1;
        Ok(())
    }

    /// Returns the state of both inferences' samples. Merging is commutative and associative:
    /// whatever the order, [`finish`](Inference::finish) returns the same schema as if one
    /// inference had got all samples.
    #[must_use]
    pub fn merge(mut self, other: Inference) -> Inference {
        self.position.merge(&other.position);
        self.places.absorb(other.places);
        self.samples += other.samples;
        self
    }

    /// Returns the number of samples so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the schema of all samples. The message type is called `name` (`shift_report` becomes
    /// `ShiftReport`), else as the samples call it, else [`Inference::NAME`].
    pub fn finish(mut self, name: Option<&str>) -> Schema {
        self.places.freeze();
        shape::settle(&mut self.places);
        types::schema(&self.places, name, self.samples)
    }
}

#[cfg(test)]
mod tests {
    use polywire_core::value::Value;

    use super::*;

    #[test]
    fn many_small_states_take_no_more_memory_than_one() {
        // A merge frees the places of the absorbed state, and the next one's take their slots.
        let value = Value::List(vec![Value::UInt(1), Value::text("a")]);
        let mut all = Inference::new();
        for _ in 0..2000 {
            let mut one = Inference::new();
            one.add(|sink| value.emit(sink)).unwrap();
            all = all.merge(one);
        }
        assert!(all.places.slots() <= 6, "{}", all.places.slots());
    }
}
