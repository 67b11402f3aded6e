//! Compatibility of two versions of a dictionary.
//!
//! A body has neither names nor types nor lengths, so each side reads it by its own dictionary.
//! Changes are found by comparing the dictionaries, names first, and are judged by trial: sample
//! documents of one version, with a value at the changed place, are decoded by the reader of the
//! other version.
//!
//! - `side` is one version: the places of its types in the text, and the paths by which documents
//!   reach them.
//! - `pairing` matches the parts of the two versions.
//! - `changes` finds the changes, and `align` compares the fields of two structures as they are on
//!   the wire.
//! - `sample` makes documents, and `trial` has them read.

mod align;
mod changes;
mod notation;
mod pairing;
mod rule;
mod sample;
mod side;
mod trial;

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::language::{Comparison, Compatibility, Version};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

pub use rule::RULES;

use crate::language::Usds;
use changes::Changes;
pub(crate) use pairing::Tags;
pub(crate) use side::Side;
#[cfg(feature = "testing")]
pub(crate) use trial::{Trial, roles};

/// Compares two versions of a dictionary. Messages are documents, or, with the name of a root,
/// bodies of that root only.
///
/// # Errors
/// The errors of either text, or a root that neither text has.
pub fn compare(old: SchemaText<'_>, new: SchemaText<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
    let [old, new] = [Side::new(old.name, old.bytes, root)?, Side::new(new.name, new.bytes, root)?];
    if let Some(name) = root
        && !old.ids().any(|id| old.is_root(id))
        && !new.ids().any(|id| new.is_root(id))
    {
        let roots: Vec<&str> = new.dictionary.tags().iter().filter(|tag| tag.root).map(|tag| tag.name.as_str()).collect();
        let message = format!("no root is named `{name}`; there are {}", roots.join(", "));
        return Err(Diagnostics { sources: vec![new.source], findings: vec![Diagnostic::error("unknown_tag", Place::default(), message)] });
    }
    let tags = Tags::of(&old, &new);
    let findings = Changes::new([&old, &new], &tags, root.is_none()).find();
    Ok(Comparison { old: vec![old.source], new: vec![new.source], findings })
}

impl Compatibility for Usds {
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
        compare(old.text, new.text, root)
    }
}
