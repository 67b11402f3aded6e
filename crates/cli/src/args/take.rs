//! Arguments that choose messages by their number.

use clap::Args;
use polywire_core::Error;
use polywire_core::tools::{Sample, Take};

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct TakeArgs {
    /// Take the first N messages, and read no further
    #[arg(long, value_name = "N")]
    pub head: Option<u64>,

    /// Leave out the first N messages
    #[arg(long, value_name = "N")]
    pub skip: Option<u64>,

    /// Take message K alone; the first is 1
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["head", "skip"])]
    pub message: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub struct SampleArgs {
    /// Take N messages at random, in their order; the same input gives the same ones
    #[arg(long, value_name = "N", conflicts_with_all = ["message", "skip_bad", "follow"])]
    pub sample: Option<usize>,

    /// Take another sample for each number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
}

impl TakeArgs {
    /// Reports whether the input may be read no further than needed.
    pub fn is_short(&self) -> bool {
        self.head.is_some() || self.message.is_some()
    }

    /// Returns the choice as converters take it.
    pub fn take(&self) -> Take {
        match self.message {
            Some(number) => Take::default().skip(number - 1).head(1),
            None => Take::default().skip(self.skip.unwrap_or(0)).head(self.head.unwrap_or(u64::MAX)),
        }
    }

    /// Fails if `--message` asks for one beyond those that were `read`.
    pub fn found(&self, read: u64, name: Option<&str>) -> Result<(), Failure> {
        match self.message {
            Some(number) if number > read => {
                let error = Error::usage(format!("message {number}")).expected(match read {
                    1 => "1, since there is only one".to_string(),
                    read => format!("a number up to {read}, which is how many there are"),
                });
                Err(Failure::about(error, name))
            }
            _ => Ok(()),
        }
    }
}

impl SampleArgs {
    /// Returns an empty sample, if one is wanted.
    pub fn sample(&self) -> Option<Sample> {
        self.sample.map(|size| Sample::new(size, self.seed))
    }
}
