//! Any text in Thrift's IDL: what the parser, the resolver, the layout, the schema language and the
//! comparison of versions make of it. The body of a fuzz target.

use polywire_core::schema::language::{SchemaLanguage, SchemaText, Version};
use polywire_core::text::sources::NoFiles;
use polywire_thrift::idl::{Idl, read_model};

fn text(bytes: &[u8]) -> SchemaText<'_> {
    SchemaText { name: "fuzz.thrift", bytes, identity: "" }
}

/// Reads a text in each way that the schema language has.
///
/// # Panics
/// A promise is broken: places lie in the text, each error has a reason, a version is compatible
/// with itself, what is written is read, and the layout changes nothing but white space.
pub fn language(bytes: &[u8]) {
    let reader = Idl.reader().expect("the IDL is read");
    let formatted = reader.format(&text(bytes));
    match read_model(&text(bytes), &mut NoFiles) {
        Ok(model) => {
            let (mut old, mut new) = (NoFiles, NoFiles);
            let [old, new] = [&mut old, &mut new].map(|files| Version { text: text(bytes), files });
            let found = Idl.compatibility().expect("the IDL is compared").compare(old, new, None);
            let found = found.unwrap_or_else(|found| panic!("{found}"));
            assert!(found.findings.is_empty(), "{:?}", found.findings);
            let schema = reader.read(&text(bytes), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
            // Types may nest deeper than a text allows, and two names may become one.
            if schema.schema.check().is_ok()
                && let Ok((written, _)) = Idl.write(&schema.schema)
            {
                let again = reader.read(&text(written.as_bytes()), &mut NoFiles);
                assert!(again.is_ok(), "{written}\n{}", again.err().map_or_else(String::new, |found| found.to_string()));
            }
            if let Ok(formatted) = &formatted {
                let again = read_model(&text(formatted.as_bytes()), &mut NoFiles).unwrap_or_else(|found| panic!("{formatted}\n{found}"));
                assert_eq!((again.structs.len(), again.enums.len()), (model.structs.len(), model.enums.len()), "{formatted}");
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
