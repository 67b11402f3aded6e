//! The ways to name a format: by its name, by its declaration, or as a dialect.

use polywire_core::{Dialect, Format, Result};

use crate::registry;

/// A format as a caller names it: `"json"`, a [`Format`], or a [`Dialect`] with settings or a
/// schema.
///
/// ```
/// use polywire_core::Dialect;
/// use polywire_formats::{IntoDialect, registry};
///
/// let format = registry::find("cbor")?;
/// assert_eq!("cbor".into_dialect()?.format().name, "cbor");
/// assert_eq!(Dialect::from(format).into_dialect()?.format().name, "cbor");
/// # Ok::<(), polywire_core::Error>(())
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
        registry::find(self).map(Dialect::from)
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
