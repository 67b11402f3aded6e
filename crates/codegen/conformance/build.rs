//! Makes code of the protocols of all vectors, and a table of its doors: from protocol and message to what decodes and encodes it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use polywire_codegen::{Config, rust::names::type_name};
use polywire_extprot::testing;
use serde_json::Value;

/// Random protocols that code is made of.
const RANDOM: u64 = 12;

/// Names that mean something in Rust or in generated code, or become one when their case is changed.
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
    // Protocols with the messages that are asked for, each once.
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
        let compiled = Config::new().serde(true).generate(Path::new("vectors.extprot"), protocol.as_bytes());
        let text = compiled.unwrap_or_else(|failure| panic!("{failure}\nin\n{protocol}")).text;
        let _ = writeln!(all, "mod protocol{number} {{\n{text}}}");
        for message in messages {
            let name = type_name(message);
            if !text.contains(&format!("impl DecodeOwned for {name} ")) {
                // Two names of the protocol are one in Rust: this is the one that got a number.
                continue;
            }
            let lends = text.contains(&format!("impl<'a> Decode<'a> for {name}Ref<'a> "));
            let ending = if lends { "Ref" } else { "" };
            let encodes = text.contains(&format!("impl Encode for {name} "));
            let (borrowed, owned) = (format!("protocol{number}::{name}{ending}"), format!("protocol{number}::{name}"));
            let _ = writeln!(table, "Door {{ protocol: {protocol:?}, message: {message:?},");
            let decoded = format!("let arena = Arena::new(); let (value, end) = {borrowed}::decode_limited(bytes, &arena, limits)?;");
            let _ = writeln!(table, "borrow: |bytes, limits| {{ {decoded} Ok((json(&value), end)) }},");
            let decoded = format!("let (value, end) = {owned}::decode_owned_limited(bytes, limits)?;");
            let _ = writeln!(table, "own: |bytes, limits| {{ {decoded} Ok((json(&value), end)) }},");
            let _ = writeln!(table, "validate: |bytes, limits| {owned}::validate(bytes, limits),");
            if encodes {
                let _ = writeln!(
                    table,
                    "encode: Some((|bytes| {{ let arena = Arena::new(); Ok({borrowed}::decode(bytes, &arena)?.to_bytes()) }}, \
                     |bytes| Ok({owned}::decode_owned(bytes)?.to_bytes()))) }},"
                );
            } else {
                table.push_str("encode: None },\n");
            }
        }
    }
    guide(&out);
    let _ = writeln!(all, "/// All doors.\npub static DOORS: &[Door] = &[\n{table}];");
    std::fs::write(out.join("vectors.rs"), all).expect("Cargo's folder can be written to");
}

/// The protocol and the program of the user's guide: `fleet.rs` and `guide.rs`.
fn guide(out: &Path) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/guide-extprot.md");
    println!("cargo::rerun-if-changed={}", path.display());
    let text = std::fs::read_to_string(path).expect("the guide is readable");
    let block = |language: &str| {
        let start = text.split_once(&format!("```{language}\n")).unwrap_or_else(|| panic!("the guide has no block of {language}")).1;
        start.split_once("```").expect("the block ends").0
    };
    let protocol = out.join("fleet.extprot");
    std::fs::write(&protocol, block("extprot")).expect("Cargo's folder can be written to");
    Config::new().compile(&protocol).unwrap_or_else(|failure| panic!("{failure}"));
    std::fs::write(out.join("guide.rs"), block("rust,program")).expect("Cargo's folder can be written to");
}
