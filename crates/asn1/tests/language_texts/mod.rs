//! Any text as modules of ASN.1: what the parser, the resolver, the layout, the schema language and
//! the comparison of versions make of it. The body of a fuzz target.

use polywire_asn1::Modules;
use polywire_asn1::language::Asn1;
use polywire_core::Limits;
use polywire_core::schema::language::{SchemaLanguage, SchemaText, Version};
use polywire_core::text::sources::NoFiles;

fn text(bytes: &[u8]) -> SchemaText<'_> {
    SchemaText { name: "fuzz.asn", bytes, identity: "" }
}

/// Reads a text in each way that the schema language has.
///
/// # Panics
/// A promise is broken: places lie in the text, each error has a reason, a version is compatible
/// with itself, what is written is read, and the layout changes nothing but white space.
pub fn language(bytes: &[u8]) {
    let mut modules = Modules::new();
    modules.add("fuzz.asn", bytes);
    let reader = Asn1.reader().expect("ASN.1 is read");
    let formatted = reader.format(&text(bytes));
    match modules.resolve(&Limits::DEFAULT) {
        Ok(model) => {
            let count = model.types.len();
            let (mut old, mut new) = (NoFiles, NoFiles);
            let versions = [&mut old, &mut new].map(|files| Version { text: text(bytes), files });
            let [old, new] = versions;
            let found = Asn1.compatibility().expect("ASN.1 is compared").compare(old, new, None);
            let found = found.unwrap_or_else(|found| panic!("{found}"));
            assert!(found.findings.is_empty(), "{:?}", found.findings);
            let schema = reader.read(&text(bytes), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
            schema.schema.check().unwrap_or_else(|error| panic!("{error}"));
            // Types may nest deeper than a text allows.
            if let Ok((written, _)) = Asn1.write(&schema.schema) {
                let again = reader.read(&text(written.as_bytes()), &mut NoFiles);
                assert!(again.is_ok(), "{written}\n{}", again.err().map_or_else(String::new, |found| found.to_string()));
            }
            if let Ok(formatted) = &formatted {
                let mut again = Modules::new();
                again.add("fuzz.asn", formatted.as_bytes());
                let again = again.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{formatted}\n{found}"));
                assert_eq!(again.types.len(), count, "{formatted}");
            }
        }
        Err(found) => {
            assert!(found.is_error() && !found.to_string().is_empty());
            for finding in &found.findings {
                let text = &found.sources[finding.at.source as usize].text;
                assert!(text.get(finding.at.range()).is_some(), "a place outside of the text: {finding:?}");
            }
        }
    }
    if let Ok(formatted) = formatted {
        let again = reader.format(&text(formatted.as_bytes())).unwrap_or_else(|found| panic!("{formatted}\n{found}"));
        assert_eq!(again, formatted);
    }
}
