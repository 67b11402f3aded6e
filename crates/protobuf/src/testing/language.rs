//! Body of the fuzz target of schemas.

use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::text::sources::NoFiles;

use crate::compat::compare;
use crate::language::{Proto, print};
use crate::source::layout::lay_out;
use crate::source::{Protos, bare, is_descriptor_set, read};

fn text(bytes: &[u8]) -> SchemaText<'_> {
    SchemaText { name: "fuzz.proto", bytes, identity: "" }
}

/// Returns the files of a schema as bytes, without places and comments.
fn said(protos: &Protos) -> Vec<u8> {
    let mut bytes = Vec::new();
    bare(&protos.set).write(&mut bytes);
    bytes
}

/// Checks a schema, as text or as a descriptor set. Nothing panics or hangs, layout keeps the
/// meaning of a text, printed schemas can be read, and a version is compatible with itself.
///
/// # Panics
/// A promise is broken.
pub fn language(bytes: &[u8]) {
    let protos = match read(&text(bytes), &mut NoFiles) {
        Ok(protos) => protos,
        Err(diagnostics) => {
            assert!(diagnostics.is_error() && !diagnostics.to_string().is_empty());
            for finding in &diagnostics.findings {
                let text = &diagnostics.sources[finding.at.source as usize].text;
                assert!(text.get(finding.at.range()).is_some(), "a place outside of the text: {finding:?}");
            }
            if let Ok(text) = std::str::from_utf8(bytes) {
                let _ = lay_out(text);
            }
            return;
        }
    };
    let comparison = compare(&protos, &protos, None);
    assert!(comparison.findings.is_empty(), "{:?}", comparison.findings);
    if let Ok(schema) =
        Proto.reader().map_or_else(|| unreachable!("the language is read"), |reader| reader.read(&text(bytes), &mut NoFiles))
    {
        schema.schema.check().unwrap_or_else(|error| panic!("{error}"));
        // Types may nest deeper than text allows.
        if let Ok((written, _)) = Proto.write(&schema.schema) {
            let again = read(&text(written.as_bytes()), &mut NoFiles);
            assert!(again.is_ok(), "{written}\n{}", again.err().map_or_else(String::new, |error| error.to_string()));
        }
    }
    if is_descriptor_set(bytes) {
        return;
    }
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let formatted = lay_out(source).unwrap_or_else(|finding| panic!("{source}\n{finding:?}"));
    let again = read(&text(formatted.as_bytes()), &mut NoFiles).unwrap_or_else(|error| panic!("{formatted}\n{error}"));
    assert!(said(&again) == said(&protos), "{source}\n---\n{formatted}");
    assert_eq!(lay_out(&formatted).as_ref(), Ok(&formatted), "{source}");
    // Options that no file of the set declares have no text.
    if let Ok((printed, losses)) = print(&protos.set, protos.set.file.len() - 1)
        && losses.is_empty()
    {
        read(&text(printed.as_bytes()), &mut NoFiles).unwrap_or_else(|error| panic!("{source}\n---\n{printed}\n{error}"));
    }
}
