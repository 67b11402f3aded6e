//! Choices about columns.

use polywire_core::{Error, Result};

/// Form of sum types in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Sums {
    /// A struct: the name of the case, and one nullable field per case that has values. Parquet has
    /// no other form.
    #[default]
    Structs,
    /// Arrow's dense union, one child per case.
    Union,
}

/// Form of numbers that no fixed type of their own holds: [`Type::Decimal`], and
/// [`Type::Integer`] beyond 64 bits.
///
/// [`Type::Decimal`]: polywire_core::schema::Type::Decimal
/// [`Type::Integer`]: polywire_core::schema::Type::Integer
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Decimals {
    /// Text in JSON's number syntax, exact for every number.
    #[default]
    Text,
    /// Arrow's decimal128, or decimal256 beyond 38 digits. A number that does not fit makes its
    /// message a bad one.
    Fixed {
        /// Number of digits, 1 to 76.
        precision: u8,
        /// Number of digits after the point, at most `precision`.
        scale: u8,
    },
}

/// Treatment of fields that the schema does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Rest {
    /// They go to the column `_rest`: JSON text of one object, whose keys are paths.
    #[default]
    Column,
    /// They make their message a bad one.
    Refuse,
    /// They are left out, and each is a loss.
    Drop,
}

/// Treatment of messages that cannot be read, or do not fit the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Bad {
    /// The first one ends the run.
    #[default]
    Fail,
    /// They are left out, and counted.
    Skip,
    /// Each is a row of nulls, with the reason in the column `_error`.
    Column,
}

/// Choices about columns.
///
/// ```
/// use polywire_arrow::{Bad, Options, Sums};
///
/// let options = Options::default().with_sums(Sums::Union).with_bad(Bad::Column);
/// assert_eq!(options.bad, Bad::Column);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// Form of sum types.
    pub sums: Sums,
    /// Form of decimal numbers, and of whole numbers beyond 64 bits.
    pub decimals: Decimals,
    /// Treatment of fields that the schema does not have.
    pub rest: Rest,
    /// Treatment of bad messages.
    pub bad: Bad,
    /// Most rows of a batch.
    pub rows: usize,
    /// Bytes at which a batch ends, about as many as its arrays take.
    pub bytes: usize,
    /// True for files of Parquet, which has no unions and no moments in whole seconds.
    pub parquet: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sums: Sums::default(),
            decimals: Decimals::default(),
            rest: Rest::default(),
            bad: Bad::default(),
            rows: 65_536,
            bytes: 64 << 20,
            parquet: false,
        }
    }
}

impl Options {
    /// Sets the form of sum types.
    #[must_use]
    pub const fn with_sums(self, sums: Sums) -> Options {
        Options { sums, ..self }
    }

    /// Sets the form of decimal numbers.
    #[must_use]
    pub const fn with_decimals(self, decimals: Decimals) -> Options {
        Options { decimals, ..self }
    }

    /// Sets the treatment of fields that the schema does not have.
    #[must_use]
    pub const fn with_rest(self, rest: Rest) -> Options {
        Options { rest, ..self }
    }

    /// Sets the treatment of bad messages.
    #[must_use]
    pub const fn with_bad(self, bad: Bad) -> Options {
        Options { bad, ..self }
    }

    /// Sets the most rows of a batch.
    #[must_use]
    pub const fn with_rows(self, rows: usize) -> Options {
        Options { rows, ..self }
    }

    /// Sets the bytes at which a batch ends.
    #[must_use]
    pub const fn with_bytes(self, bytes: usize) -> Options {
        Options { bytes, ..self }
    }

    /// Sets whether the columns are for files of Parquet.
    #[must_use]
    pub const fn for_parquet(self, parquet: bool) -> Options {
        Options { parquet, ..self }
    }

    /// Returns the choices that decide about types, as text.
    pub(crate) fn notation(&self) -> String {
        let sums = if self.is_union() { "union" } else { "structs" };
        let decimals = match self.decimals {
            Decimals::Text => "text".to_string(),
            Decimals::Fixed { precision, scale } => format!("{precision}.{scale}"),
        };
        format!("sums={sums} decimals={decimals} parquet={}", self.parquet)
    }

    /// Returns the choices that [`Options::notation`] wrote.
    pub(crate) fn from_notation(text: &str) -> Option<Options> {
        let mut options = Options::default().with_rest(Rest::Drop);
        for part in text.split(' ') {
            let (name, value) = part.split_once('=')?;
            match (name, value) {
                ("sums", "union") => options.sums = Sums::Union,
                ("sums", "structs") => options.sums = Sums::Structs,
                ("parquet", _) => options.parquet = value == "true",
                ("decimals", "text") => options.decimals = Decimals::Text,
                ("decimals", fixed) => {
                    let (precision, scale) = fixed.split_once('.')?;
                    options.decimals = Decimals::Fixed { precision: precision.parse().ok()?, scale: scale.parse().ok()? };
                }
                _ => return None,
            }
        }
        options.check().ok()?;
        Some(options)
    }

    pub(crate) fn is_union(&self) -> bool {
        self.sums == Sums::Union && !self.parquet
    }

    /// Checks that the choices have a meaning.
    ///
    /// # Errors
    /// A number of digits is out of its range, or a batch may have no row.
    pub fn check(&self) -> Result<()> {
        if let Decimals::Fixed { precision, scale } = self.decimals
            && (!(1..=76).contains(&precision) || scale > precision)
        {
            return Err(Error::usage("digits of decimals").expected("1 to 76 digits, of which at most as many are after the point"));
        }
        if self.rows == 0 || self.bytes == 0 {
            return Err(Error::usage("a batch without rows").expected("at least one row and one byte"));
        }
        Ok(())
    }
}
