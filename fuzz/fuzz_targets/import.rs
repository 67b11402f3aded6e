//! No description makes an import panic or hang, and every table that it makes loads, under a name that is a file's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_import::proto::Protocol;
use polywire_import::{Settings, names, openapi, proto, wsdl};

fuzz_target!(|bytes: &[u8]| {
    let [kind, bytes @ ..] = bytes else { return };
    let settings = Settings::default();
    let imported = match kind % 4 {
        0 => openapi::import(bytes, "a.json", &settings),
        1 => openapi::import(bytes, "a.yaml", &settings),
        2 => wsdl::import(bytes, "a.wsdl", &mut |_, location| Ok((location.to_owned(), bytes.to_vec())), &settings),
        _ => proto::import(&SchemaText { name: "a.proto", bytes, identity: "" }, &mut NoFiles, Protocol::Grpc, &settings),
    };
    let Ok(imported) = imported else { return };
    for table in &imported.tables {
        let file = names::file(&table.name);
        assert!(file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte)) && !file.starts_with('.'), "{file}");
    }
});
