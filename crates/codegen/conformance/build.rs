//! Generates code from the protocols of all vectors, and a table of doors: for each protocol and
//! message, the functions that decode and encode it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use polywire_codegen::{Config, rust::names::type_name};
use polywire_extprot::testing;
use polywire_protobuf::testing as protobuf_testing;
use polywire_usds::error::Revision;
use polywire_usds::testing as usds_testing;
use serde_json::Value;

/// Number of random protocols to generate code from.
const RANDOM: u64 = 12;

/// Number of random dictionaries to generate code from.
const RANDOM_DICTIONARIES: u64 = 24;

/// One protocol in this number also gets Protobuf.
const FEWER: usize = 5;

/// Number of random schemas of Protocol Buffers to generate code from.
const RANDOM_PROTOS: u64 = 6;

/// Names that mean something in Rust or in generated code, or that do after a change of case.
const NAMES: &str = r#"
type option 'a = None | Some 'a
type vec = Ok int | Err string | Self | None_ | None | NONE
type fooBar = A | B
type foo_bar = { self' : int; value0 : string; row : bool; r : byte; _ : long }
type x_ref = Ref string
message result = { fn : int; match : string; self : bool; crate : option<int>; s : vec; out : [ foo_bar ]; item : fooBar; a : int; a' : int; aB : int; a_b : x_ref }
message type_ = Self { r : int; prefix : string } | Option { value : option<result>; before : bool; reader : float } | Vec { row : (result * bool) }
message s = { async : option<option<[ string ]>>; await [@lazy] : [ result ]; dyn [@lazy] : type_; x [@lazy] : (string * [ int ]) }
"#;

fn main() {
    println!("cargo::rerun-if-env-changed=POLYWIRE_VECTORS");
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/extprot")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(|folder| Path::new(&folder).join("extprot")));
    // Protocols and their messages to generate code for, each once.
    let mut protocols: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in folders {
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a file of vectors is readable");
            let vectors: Value = serde_json::from_str(&text).expect("vectors are JSON");
            for case in vectors["cases"].as_array().expect("cases") {
                if !["roundtrip", "decode", "decode_error"].contains(&case["kind"].as_str().unwrap_or_default()) {
                    continue;
                }
                for (protocol, message) in [("protocol", "message"), ("writer_protocol", "writer_message")] {
                    if let (Some(protocol), Some(message)) = (case[protocol].as_str(), case[message].as_str()) {
                        let messages = protocols.entry(protocol.to_string()).or_default();
                        if !messages.iter().any(|known| known == message) {
                            messages.push(message.to_string());
                        }
                    }
                }
            }
        }
    }
    for seed in 0..RANDOM {
        let (protocol, messages) = testing::protocol(&mut testing::Rng::with_seed(seed), testing::Layout::Plain);
        protocols.insert(protocol, messages);
    }
    protocols.insert(NAMES.into(), vec!["result".into(), "type_".into(), "s".into()]);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets it"));
    let mut all = String::new();
    let mut table = String::new();
    for (number, (protocol, messages)) in protocols.iter().enumerate() {
        // Protocols with lazy fields or with messages of other modules have no other encoding.
        let config = Config::new().serde(true);
        let with = |encodings: &[&str]| {
            let config = config.clone().encodings(encodings.iter().copied());
            config.generate(Path::new("vectors.extprot"), protocol.as_bytes())
        };
        // Compiling the code takes long, so only some have Protobuf.
        let several = if number % FEWER == 0 { with(&["extprot", "usds", "protobuf"]) } else { with(&["extprot", "usds"]) };
        let compiled = several.or_else(|_| with(&["extprot", "protobuf"])).or_else(|_| with(&["extprot"]));
        let text = compiled.unwrap_or_else(|failure| panic!("{failure}\nin\n{protocol}")).text;
        let _ = writeln!(all, "mod protocol{number} {{\n{text}}}");
        for message in messages {
            let name = owned_name(&text, message);
            if !text.contains(&format!("impl DecodeOwned<rt::Extprot> for {name} ")) {
                continue;
            }
            let lends = text.contains(&format!("impl<'a> Decode<'a, rt::Extprot> for {name}Ref<'a> "));
            let (ending, lifetime) = if lends { ("Ref", "<'_>") } else { ("", "") };
            let encodes = text.contains(&format!("impl Encode<rt::Extprot> for {name} "));
            let (borrowed, owned) = (format!("protocol{number}::{name}{ending}"), format!("protocol{number}::{name}"));
            let _ = writeln!(table, "Door {{ protocol: {protocol:?}, message: {message:?},");
            let decoded = format!(
                "let arena = Arena::new(); let (value, end) = <{borrowed}{lifetime} as Decode<Extprot>>::decode_limited(bytes, &arena, limits)?;"
            );
            let _ = writeln!(table, "borrow: |bytes, limits| {{ {decoded} Ok((json(&value), end)) }},");
            let decoded = format!("let (value, end) = <{owned} as DecodeOwned<Extprot>>::decode_owned_limited(bytes, limits)?;");
            let _ = writeln!(table, "own: |bytes, limits| {{ {decoded} Ok((json(&value), end)) }},");
            let _ = writeln!(table, "validate: |bytes, limits| <{owned} as Validate<Extprot>>::validate_limited(bytes, limits),");
            if text.contains(&format!("impl rt::Root for {name} ")) || text.contains(&format!("impl rt::Root for {name}Ref<")) {
                let _ = writeln!(
                    table,
                    "usds: Some(|bytes| {{ let body = usds::body(&own::<{owned}>(bytes)?); let arena = Arena::new(); \
                     let borrowed: {borrowed}{lifetime} = usds::borrowed(&body, &arena); assert_eq!(usds::body(&borrowed), body); \
                     let owned: {owned} = usds::owned(&body); Ok((bytes_of(&owned), usds::document(&owned))) }}),"
                );
            } else {
                table.push_str("usds: None,\n");
            }
            if encodes && text.contains("use polywire_protobuf_runtime as rt;") {
                let _ = writeln!(
                    table,
                    "protobuf: Some(|bytes| {{ let message = protobuf::bytes(&own::<{owned}>(bytes)?); let arena = Arena::new(); \
                     let borrowed: {borrowed}{lifetime} = protobuf::borrowed(&message, &arena); assert_eq!(protobuf::bytes(&borrowed), message); \
                     let owned: {owned} = protobuf::owned(&message); Ok((bytes_of(&owned), message)) }}),"
                );
            } else {
                table.push_str("protobuf: None,\n");
            }
            if encodes {
                let _ = writeln!(
                    table,
                    "encode: Some((|bytes| {{ let arena = Arena::new(); Ok(bytes_of(&borrow::<{borrowed}{lifetime}>(bytes, &arena)?)) }}, \
                     |bytes| Ok(bytes_of(&own::<{owned}>(bytes)?)))) }},"
                );
            } else {
                table.push_str("encode: None },\n");
            }
        }
    }
    guide(&out, "guide-extprot.md", "extprot", "fleet.extprot", "guide.rs");
    guide(&out, "protobuf.md", "proto", "tracks.proto", "guide_protobuf.rs");
    golden_of_two(&out);
    modules(&out);
    usds(&out);
    protobuf(&out);
    let _ = writeln!(all, "/// All doors.\npub static DOORS: &[Door] = &[\n{table}];");
    std::fs::write(out.join("vectors.rs"), all).expect("Cargo's folder can be written to");
}

/// Returns the name of the type that owns a message. It differs from the message's name where two
/// names of the protocol become the same in Rust.
fn owned_name(text: &str, message: &str) -> String {
    let doc = format!("\n/// `{message}`.\n");
    let behind = text.split_once(&doc).map_or("", |(_, behind)| behind);
    let declared =
        behind.lines().find_map(|line| ["pub struct ", "pub enum ", "pub type "].iter().find_map(|start| line.strip_prefix(start)));
    let name: String = declared.unwrap_or_default().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
    if name.is_empty() { type_name(message) } else { name }
}

/// Writes `usds.rs`: the code of the dictionaries of all vectors, of random ones, and of the two
/// golden ones.
fn usds(out: &Path) {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/usds")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(|folder| Path::new(&folder).join("usds")));
    let mut dictionaries = BTreeSet::new();
    for folder in folders {
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).expect("a file of vectors is readable");
            let vectors: Value = serde_json::from_str(&text).expect("vectors are JSON");
            let cases = vectors["cases"].as_array().expect("cases").iter().filter_map(|case| case["dictionary"].as_str());
            dictionaries.extend(cases.map(str::to_string));
        }
    }
    for seed in 0..RANDOM_DICTIONARIES {
        let revision = [Revision::A, Revision::B, Revision::Profile][seed as usize % 3];
        let dictionary = usds_testing::dictionary(&mut usds_testing::Rng::with_seed(seed), revision);
        if let Ok((text, _)) = dictionary.to_text() {
            dictionaries.insert(text);
        }
    }
    for name in ["tickets", "pets"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name).with_extension("udic");
        println!("cargo::rerun-if-changed={}", path.display());
        dictionaries.insert(std::fs::read_to_string(path).expect("the dictionary is there"));
    }
    let (mut modules, mut table) = (String::new(), String::new());
    for (number, dictionary) in dictionaries.iter().enumerate() {
        // Some vectors hold invalid dictionaries, or types that contain themselves.
        let Ok(compiled) = Config::new().serde(true).generate(Path::new("vectors.udic"), dictionary.as_bytes()) else { continue };
        let roots: Vec<(&str, &str)> = compiled
            .text
            .split("impl rt::Root for ")
            .skip(1)
            .filter_map(|rest| {
                let (name, rest) = rest.split_once(" {")?;
                let (tag, _) = rest.split_once("const TAG: u32 = ")?.1.split_once(';')?;
                Some((name, tag))
            })
            .collect();
        let Some((first, _)) = roots.first() else { continue };
        let _ = writeln!(modules, "mod dictionary{number} {{\n{}}}", compiled.text);
        let dictionary_of = format!("<dictionary{number}::{} as Root>::DICTIONARY", first);
        let mut arms = [String::new(), String::new()];
        for (name, tag) in &roots {
            // A borrowing type has the name of the owning one with a suffix.
            let is_borrowed = name.ends_with("<'_>");
            let twins = roots.iter().filter(|(_, other)| other == tag).count();
            if is_borrowed || twins == 1 {
                let _ = writeln!(arms[0], "{tag} => roots.next::<dictionary{number}::{name}>(&arena)?.encode_root(&mut out),");
            }
            if !is_borrowed {
                let _ = writeln!(arms[1], "{tag} => roots.next_owned::<dictionary{number}::{name}>()?.encode_root(&mut out),");
            }
        }
        let recode = |arms: &str| {
            format!(
                "|bytes| {{ let arena = Arena::new(); let mut roots = Roots::open(bytes, {dictionary_of})?; let mut out = Vec::new(); {dictionary_of}.open(&mut out); \
                 while let Some(tag) = roots.tag()? {{ match tag {{ {arms} _ => unreachable!(\"a root without a type\") }} }} drop(arena); Ok(out) }}"
            )
        };
        let _ = writeln!(
            table,
            "Door {{ dictionary: {dictionary:?}, document: |form, body| {{ let mut out = Vec::new(); {dictionary_of}.document(form, body, &mut out)?; Ok(out) }}, \
             validate: |bytes| {dictionary_of}.validate(bytes), borrow: {}, own: {} }},",
            recode(&arms[0]),
            recode(&arms[1])
        );
    }
    let _ = writeln!(modules, "/// All doors.\npub static DOORS: &[Door] = &[\n{table}];");
    std::fs::write(out.join("usds.rs"), modules).expect("Cargo's folder can be written to");
}

/// Writes `protobuf.rs`: the code of the schemas in `protos` and of random ones, with and without
/// unknown fields.
fn protobuf(out: &Path) {
    let mut schemas = Vec::new();
    for name in ["two", "three"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protos").join(name).with_extension("proto");
        println!("cargo::rerun-if-changed={}", path.display());
        schemas.push(std::fs::read_to_string(path).expect("the schema is there"));
    }
    schemas.extend((0..RANDOM_PROTOS).map(|seed| protobuf_testing::schema(&mut protobuf_testing::Rng::with_seed(seed))));
    let (mut modules, mut table) = (String::new(), String::new());
    for (number, schema) in schemas.iter().enumerate() {
        let keeps = number % 2 == 1;
        let config = Config::new().serde(true).unknown_fields(keeps);
        // The generator does not read schemas of editions, and a random message may require itself.
        let compiled = match config.generate(Path::new("vectors.proto"), schema.as_bytes()) {
            Ok(compiled) => compiled,
            Err(failure) if number < 2 => panic!("{failure}"),
            Err(_) => continue,
        };
        let text = compiled.text;
        let _ = writeln!(modules, "mod schema{number} {{\n{text}}}");
        let name_of = |table: &str| {
            let rest = text.split_once(&format!("static {table}: rt::shape::Message = rt::shape::Message {{"))?.1;
            Some(rest.split('"').nth(1)?.to_string())
        };
        for rest in text.split("impl rt::Validate<rt::Protobuf> for ").skip(1) {
            let Some((name, rest)) = rest.split_once(" {") else { continue };
            let Some(message) = rest.split_once("= &").and_then(|(_, rest)| rest.split_once(';')).and_then(|(table, _)| name_of(table))
            else {
                continue;
            };
            if name.contains("Ref<") || message.is_empty() {
                continue;
            }
            let lends = text.contains(&format!("impl<'a> rt::Decode<'a, rt::Protobuf> for {name}Ref<'a> "));
            let borrowed = format!("schema{number}::{name}{}", if lends { "Ref" } else { "" });
            let owned = format!("schema{number}::{name}");
            let _ = writeln!(
                table,
                "Door {{ schema: {schema:?}, message: {message:?}, keeps: {keeps}, validate: |bytes| {owned}::validate(bytes), \
                 borrow: |bytes| {{ let arena = Arena::new(); let value = {borrowed}::decode(bytes, &arena)?; let own = value.into_owned(); \
                 let again = own.to_bytes(); assert_eq!({borrowed}::decode(bytes, &arena)?.to_bytes(), again); Ok(again) }}, \
                 own: |bytes| Ok({owned}::decode_owned(bytes)?.to_bytes()) }},"
            );
        }
    }
    let _ = writeln!(modules, "/// All doors.\npub static DOORS: &[Door] = &[\n{table}];");
    std::fs::write(out.join("protobuf.rs"), modules).expect("Cargo's folder can be written to");
}

/// Writes `geo.rs` and `trip.rs`: the code of two protocols, one of which uses messages of the
/// other.
fn modules(out: &Path) {
    for name in ["geo", "trip"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("modules").join(name).with_extension("extprot");
        println!("cargo::rerun-if-changed={}", path.display());
        Config::new().out_dir(out).compile(&path).unwrap_or_else(|failure| panic!("{failure}"));
    }
}

/// Writes the code of a guide page's schema under the schema's own name, and the page's program.
fn guide(out: &Path, page: &str, language: &str, schema: &str, program: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs").join(page);
    println!("cargo::rerun-if-changed={}", path.display());
    let text = std::fs::read_to_string(path).expect("the guide is readable");
    let block = |language: &str| {
        let start = text.split_once(&format!("```{language}\n")).unwrap_or_else(|| panic!("{page} has no block of {language}")).1;
        start.split_once("```").expect("the block ends").0
    };
    let schema = out.join(schema);
    std::fs::write(&schema, block(language)).expect("Cargo's folder can be written to");
    Config::new().compile(&schema).unwrap_or_else(|failure| panic!("{failure}"));
    std::fs::write(out.join(program), block("rust,program")).expect("Cargo's folder can be written to");
}

/// Writes `tickets.rs` and `pets.rs`: the golden dictionaries with Protobuf as a second encoding.
fn golden_of_two(out: &Path) {
    for name in ["tickets", "pets"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name).with_extension("udic");
        Config::new().encodings(["usds", "protobuf"]).out_dir(out).compile(&path).unwrap_or_else(|failure| panic!("{failure}"));
    }
}
