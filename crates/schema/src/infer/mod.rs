//! A schema from samples.
//!
//! Samples come one by one and are not kept: what is remembered is bounded by the numbers in [`thresholds`], however many and however large the
//! samples are. The schema accepts each of them ([`accept`](crate::accept)), and does not depend on their order, but for the order of
//! fields and what follows from it: the order of types, and the numbers behind names that clash.
//!
//! What becomes what:
//!
//! - **Whole numbers**: the narrowest width that holds all; unsigned unless one is negative; `Integer` where 64 bits do not suffice.
//! - **Numbers of several kinds**: `F32` if all are binary32; else `F64` if that is exact for all (whole numbers up to 2⁵³); else
//!   `Decimal`, which holds any finite number.
//! - **Text**: an enumeration if the texts look like names, and are few and come often; else text. Text that looks like a number or a
//!   timestamp stays text, and the field's documentation says what it looks like: `Timestamp` is for values that the format marks as such.
//! - **Lists**: a tuple where all have the same length, and the kinds of values differ by position; else a list.
//! - **Records**: a map where names are data: too many, or looking like data, or hardly ever the same. A field that some records lack
//!   is optional; one that some have more than once is repeated.
//! - **Sum types**: cases as the format tells them; or records of exactly one field, of which there are several, and texts as constant cases.
//! - **Values of several kinds**: an untagged sum type with cases named by kind; null makes a type nullable.
//! - **Records of the same fields in several places**: one type. So are recursive types found.

mod names;
mod place;
mod shape;
mod sink;
mod text;
pub mod thresholds;
mod types;

use polywire_core::schema::Schema;
use polywire_core::{Error, Result, Sink};

use place::Places;
pub(crate) use place::case_name;
use sink::{Feed, Position};

/// Samples on their way to a schema.
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
    /// Name of the type of a message, where neither the caller nor the samples have one.
    pub const NAME: &'static str = "Message";

    /// One without samples.
    pub fn new() -> Inference {
        Inference { places: Places::new(), position: Position::default(), samples: 0 }
    }

    /// Takes one more sample, which `tell` tells to the sink that it gets: `|sink| walker.walk(bytes, base, sink)`.
    ///
    /// # Errors
    /// Those of `tell`; what came of that sample stays counted. A sample that ends early is the caller's fault.
    pub fn add<'m>(&mut self, tell: impl FnOnce(&mut dyn Sink<'m>) -> Result<()>) -> Result<()> {
        self.position.start();
        tell(&mut Feed { places: &mut self.places, position: &mut self.position })?;
        if !self.position.is_whole() {
            return Err(Error::usage("a sample without a value"));
        }
        self.samples += 1;
        Ok(())
    }

    /// How many samples came.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The schema of all samples. The type of a message is called `name` (`shift_report` becomes `ShiftReport`), else as the samples call it,
    /// else [`Inference::NAME`].
    pub fn finish(mut self, name: Option<&str>) -> Schema {
        self.places.freeze();
        shape::settle(&mut self.places);
        types::schema(&self.places, name, self.samples)
    }
}
