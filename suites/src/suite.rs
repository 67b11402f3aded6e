//! The description of a suite.

use crate::cases::Cases;

/// One public suite, and how it is run.
pub struct Suite {
    /// Name, which is that of its exceptions' file too.
    pub name: &'static str,
    /// Heading in the page that it stands under.
    pub format: &'static str,
    /// Name as its authors have it, for people.
    pub title: &'static str,
    /// Folder below the folder of suites: `OWNER+NAME` of its repository.
    pub folder: &'static str,
    /// A file or folder in it without which there is nothing to run.
    pub needs: &'static str,
    /// Licence, as an SPDX name where there is one.
    pub licence: &'static str,
    /// Rules by which a case is right.
    pub rule: &'static str,
    /// Figures that others have published, if any are known.
    pub others: &'static str,
    /// Runs all cases. An error means that the suite could not be run.
    pub run: fn(&mut Cases<'_>) -> Result<(), String>,
}
