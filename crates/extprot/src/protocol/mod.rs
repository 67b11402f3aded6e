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

/// Most findings that one run reports.
pub const MAX_FINDINGS: usize = 100;

/// Reads, checks and expands a protocol. `name` is what people know the text by; included files come from `loader`.
///
/// # Errors
/// All mistakes of syntax and of the first group of docs/spec/extprot.md 3, or, if there are none, all of the second group; of each at most
/// [`MAX_FINDINGS`]. Warnings of a protocol without mistakes are in [`Protocol::warnings`].
pub fn compile(name: &str, bytes: &[u8], loader: &mut dyn Loader) -> Result<Protocol, Diagnostics> {
    compile_as(name, bytes, "", loader)
}

/// As [`compile`], of a file: its `identity`, as [`identity`](polywire_core::text::sources::identity) tells it, is held against those of the files that it includes.
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
