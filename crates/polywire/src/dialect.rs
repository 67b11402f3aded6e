//! The ways to name a format: by its name, by its declaration, or as a dialect.

use crate::{Dialect, Format, Result};

/// A format as a caller names it: `"json"`, a [`Format`], or a [`Dialect`] with settings or a
/// schema.
///
/// ```
/// use polywire::{Dialect, IntoDialect};
///
/// let format = polywire::format("cbor")?;
/// assert_eq!("cbor".into_dialect()?.format().name, "cbor");
/// assert_eq!(Dialect::from(format).into_dialect()?.format().name, "cbor");
/// # Ok::<(), polywire::Error>(())
/// ```
pub trait IntoDialect {
    /// Returns the dialect.
    ///
    /// # Errors
    /// No format has the name, or its feature was not compiled in.
    fn into_dialect(self) -> Result<Dialect>;
}

impl IntoDialect for &str {
    fn into_dialect(self) -> Result<Dialect> {
        crate::format(self).map(Dialect::from)
    }
}

impl IntoDialect for &String {
    fn into_dialect(self) -> Result<Dialect> {
        self.as_str().into_dialect()
    }
}

impl IntoDialect for &'static Format {
    fn into_dialect(self) -> Result<Dialect> {
        Ok(self.into())
    }
}

impl IntoDialect for Dialect {
    fn into_dialect(self) -> Result<Dialect> {
        Ok(self)
    }
}

impl IntoDialect for &Dialect {
    fn into_dialect(self) -> Result<Dialect> {
        Ok(self.clone())
    }
}
