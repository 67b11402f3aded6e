//! Schemas of other languages as `.proto` compile with `protoc`, and schemas of `.proto` in other
//! languages pass their own readers.

use std::path::{Path, PathBuf};
use std::process::Command;

use polywire_core::schema::language::{SchemaLanguage, SchemaText};
use polywire_core::schema::{Schema, Type};
use polywire_core::text::sources::{Files, identity};
use polywire_extprot::language::Extprot;
use polywire_protobuf::language::Proto;
use polywire_usds::language::Usds;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(language: &dyn SchemaLanguage, name: &str, text: &[u8], identity: &str) -> Schema {
    let reader = language.reader().expect("the language is read");
    let read = reader.read(&SchemaText { name, bytes: text, identity }, &mut Files::new());
    read.unwrap_or_else(|error| panic!("{}\n{error}", String::from_utf8_lossy(text))).schema
}

fn file(language: &dyn SchemaLanguage, path: &Path) -> Schema {
    read(language, path.to_str().unwrap(), &std::fs::read(path).unwrap(), &identity(path))
}

/// Asserts that `protoc` accepts a text.
fn protoc(text: &str, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
    let output = Command::new("protoc")
        .arg(format!("-I{}", folder.display()))
        .args(["--experimental_allow_proto3_optional", "-o", "/dev/null", name])
        .output()
        .expect("protoc is installed by tools/setup.sh judges");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn schemas_of_other_languages_are_protos() {
    let mut seen = 0;
    for (folder, ending, language) in
        [("examples", "extprot", &Extprot as &dyn SchemaLanguage), ("examples", "udic", &Usds), ("testdata/schemas", "udic", &Usds)]
    {
        for entry in std::fs::read_dir(root().join(folder)).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|own| own != ending) {
                continue;
            }
            let schema = file(language, &path);
            let (text, _) = Proto.write(&schema).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let name = format!("{}.proto", path.file_stem().unwrap().to_str().unwrap());
            protoc(&text, &name);
            let again = read(&Proto, &name, text.as_bytes(), "");
            assert!(again.types.len() >= schema.types.iter().filter(|named| matches!(named.ty, Type::Record(_))).count(), "{text}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "the schemas were not found");
}

#[test]
fn protos_are_schemas_of_other_languages() {
    for path in [root().join("testdata/schemas/shop.proto"), root().join("crates/protobuf/tests/protos/old.proto")] {
        let schema = file(&Proto, &path);
        for language in [&Extprot as &dyn SchemaLanguage, &Usds] {
            let (text, losses) = match language.write(&schema) {
                Ok(written) => written,
                // Only for types that contain themselves, which extprot lacks.
                Err(error) => {
                    assert!(language.name() == "extprot" && path.ends_with("old.proto"), "{error}");
                    continue;
                }
            };
            assert!(losses.iter().all(|loss| !loss.what.is_empty()));
            let back = read(language, "back", text.as_bytes(), "");
            let (proto, _) = Proto.write(&back).unwrap();
            protoc(&proto, "back.proto");
            let fields = |schema: &Schema| -> usize {
                let records = schema
                    .types
                    .iter()
                    .filter_map(|named| if let Type::Record(record) = &named.ty { Some(record.fields.len()) } else { None });
                records.sum()
            };
            assert!(fields(&back) >= fields(&schema), "{}:\n{text}", language.name());
        }
    }
}
