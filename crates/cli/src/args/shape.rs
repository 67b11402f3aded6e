//! Arguments that give messages another shape.

use clap::Args;
use polywire_core::Error;
use polywire_core::tools::adapt::Shape;

#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct ShapeArgs {
    /// Write all messages as one list
    #[arg(long, conflicts_with = "skip_bad")]
    pub slurp: bool,

    /// Take lists apart: each element is a message
    #[arg(long, conflicts_with = "each")]
    pub join: bool,

    /// Make the fields of inner records and lists columns such as address.city and tags.0
    #[arg(long, value_name = "SEPARATOR", num_args = 0..=1, require_equals = true, default_missing_value = ".", value_parser = separator, conflicts_with = "unflatten")]
    pub flatten: Option<String>,

    /// Make columns such as address.city and tags.0 fields of records and elements of lists
    #[arg(long, value_name = "SEPARATOR", num_args = 0..=1, require_equals = true, default_missing_value = ".", value_parser = separator)]
    pub unflatten: Option<String>,
}

impl ShapeArgs {
    /// Returns the shape of records as walkers take it.
    pub fn shape(&self) -> Option<Shape> {
        let flat = self.flatten.clone().map(Shape::Flat);
        flat.or_else(|| self.unflatten.clone().map(Shape::Nested))
    }
}

fn separator(text: &str) -> Result<String, Error> {
    if text.is_empty() {
        Err(Error::usage("no separator").expected("text between the parts of names, such as . or /"))
    } else {
        Ok(text.to_string())
    }
}
