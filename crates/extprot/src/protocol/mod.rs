//! The protocol language (docs/spec/extprot.md 2): from text to a [`Protocol`].

pub mod check;
pub mod comment;
pub mod default;
pub mod format;
pub mod include;
pub mod lex;
pub mod parse;
mod reduce;
pub mod syntax;
mod wrapped;

use polywire_core::text::diagnostic::{Diagnostics, Severity};

use crate::model::Protocol;
pub use polywire_core::text::sources::{Files, Loaded, Loader, NoFiles};

/// Most findings of one run.
pub const MAX_FINDINGS: usize = 100;

/// Parses, checks and expands a protocol. `name` is its name in messages; included files come from
/// `loader`.
///
/// # Errors
/// All syntax errors and errors of the first group of docs/spec/extprot.md 3; if there are none,
/// all errors of the second group. At most [`MAX_FINDINGS`] are returned per group. Warnings of a
/// valid protocol are in [`Protocol::warnings`].
pub fn compile(name: &str, bytes: &[u8], loader: &mut dyn Loader) -> Result<Protocol, Diagnostics> {
    compile_as(name, bytes, "", loader)
}

/// Works like [`compile`], for a file: its `identity`, as returned by
/// [`identity`](polywire_core::text::sources::identity), is compared with those of the included
/// files.
///
/// # Errors
/// As [`compile`].
pub fn compile_as(name: &str, bytes: &[u8], identity: &str, loader: &mut dyn Loader) -> Result<Protocol, Diagnostics> {
    let mut unit = include::read(name, bytes, identity, loader);
    let mut findings = std::mem::take(&mut unit.findings);
    findings.extend(check::check(&unit));
    if !findings.is_empty() {
        findings.truncate(MAX_FINDINGS);
        return Err(Diagnostics { sources: unit.sources, findings });
    }
    let (mut protocol, mut findings) = reduce::reduce(&unit);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        findings.truncate(MAX_FINDINGS);
        return Err(Diagnostics { sources: unit.sources, findings });
    }
    protocol.warnings = findings;
    Ok(protocol)
}
