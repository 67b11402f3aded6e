//! The rules of the house that a compiler does not check.

mod common;

use std::path::{Path, PathBuf};

use polywire_formats::registry::FORMATS;

use common::root;

/// All Rust sources below a folder, with their text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source is readable");
                found.push((path, text));
            }
        }
    }
    found
}

/// The sources of a crate, without those that only tests have.
fn product(krate: &str) -> Vec<(PathBuf, String)> {
    let mut found = sources(&root().join("crates").join(krate).join("src"));
    found.retain(|(path, _)| !path.iter().any(|folder| folder == "testing"));
    found
}

/// The floors of DESIGN.md, lowest first. A crate may use those below its own.
const FLOORS: &[&[&str]] = &[
    &["heap", "lanes"],
    &["core", "runtime"],
    &["extprot-runtime", "protobuf-runtime", "thrift-runtime", "usds-runtime"],
    &["json", "report"],
    &["doc"],
    &["testing"],
    &["amf", "arrow", "asn1", "etch", "exi", "psyc", "usds", "extprot", "protobuf", "thrift"],
    &["ql", "hooks", "codegen", "formats", "schema"],
    &["gateway", "compare", "import", "jq"],
    &["rivals"],
    &["polywire"],
    &["cli", "capi", "capi-general"],
    &["python"],
];

/// The manifests of all crates, by the names that `FLOORS` has: those of `crates`, the runtimes of
/// generated code, the C library of all formats, and the Python package.
fn manifests() -> Vec<(String, String)> {
    let mut found = vec![("python".to_string(), std::fs::read_to_string(root().join("python/Cargo.toml")).unwrap())];
    for (folder, start, ending) in [("crates", "", ""), ("crates/runtime", "", "-runtime"), ("crates/capi", "capi-", "")] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap().flatten() {
            let Ok(manifest) = std::fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
            found.push((start.to_string() + &entry.file_name().into_string().unwrap() + ending, manifest));
        }
    }
    found
}

/// Returns the folder of a crate by the name that `manifests` gives it.
fn folder(name: &str) -> PathBuf {
    let crates = root().join("crates");
    match (name.strip_suffix("-runtime"), name.strip_prefix("capi-")) {
        (Some(language), _) => crates.join("runtime").join(language),
        (_, Some(library)) => crates.join("capi").join(library),
        _ if name == "python" => root().join(name),
        _ => crates.join(name),
    }
}

fn floor(name: &str) -> usize {
    FLOORS.iter().position(|floor| floor.contains(&name)).unwrap_or_else(|| panic!("crates/{name} is on no floor of DESIGN.md"))
}

#[test]
fn floors_import_downwards_only() {
    let (mut crates, mut runtimes) = (0, 0);
    for (name, manifest) in manifests() {
        // Development dependencies come after the others and may point anywhere.
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        for line in dependencies.lines() {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            // The library that users add has the house's own name.
            let used = if used == "polywire" { Some(used) } else { used.strip_prefix("polywire-") };
            if let Some(used) = used {
                assert!(floor(used) < floor(&name), "crates/{name} imports polywire-{used}, which is not below it");
                if name.ends_with("runtime") {
                    assert_eq!(used, "runtime", "generated code needs polywire-{name}, and so polywire-{used}");
                }
            }
        }
        crates += 1;
        runtimes += usize::from(name.ends_with("runtime"));
    }
    assert!(crates >= 4 && runtimes == 5, "the crates were not found");
}

/// Crates that are published: the library, what it stands on, and what generated code needs.
const PUBLISHED: &[&str] = &[
    "amf",
    "arrow",
    "asn1",
    "core",
    "doc",
    "etch",
    "exi",
    "extprot",
    "extprot-runtime",
    "formats",
    "json",
    "lanes",
    "polywire",
    "protobuf",
    "protobuf-runtime",
    "psyc",
    "runtime",
    "schema",
    "thrift",
    "thrift-runtime",
    "usds",
    "usds-runtime",
];

/// A crate that is published says what crates.io shows, uploads its sources alone, and needs no
/// crate of the house that is not published. Its development dependencies within the house have no
/// version: cargo leaves those out, and so they make no circle.
#[test]
fn published_crates_can_be_published() {
    let mut published = Vec::new();
    for (name, manifest) in manifests() {
        if manifest.contains("\npublish.workspace = true\n") {
            continue;
        }
        let wanted = [
            "description = ",
            "license.workspace",
            "repository.workspace",
            "documentation = ",
            "readme = ",
            "keywords = ",
            "categories = ",
        ];
        for wanted in wanted.iter().chain(&["include = [\"/src\", \"/LICENSE-*\"", "[package.metadata.docs.rs]"]) {
            assert!(manifest.contains(&format!("\n{wanted}")), "crates/{name} is published, and has no {wanted:?}");
        }
        let (used, tests) = manifest.split_once("[dev-dependencies]").unwrap_or((&manifest, ""));
        for line in used.lines().filter(|line| line.starts_with("polywire-") && line.contains("workspace = true")) {
            let used = line.split(['.', ' ']).next().unwrap_or_default();
            assert!(PUBLISHED.contains(&&used["polywire-".len()..]), "crates/{name} is published, and needs {used}, which is not");
        }
        for line in tests.lines().take_while(|line| !line.starts_with('[')).filter(|line| line.starts_with("polywire")) {
            assert!(line.contains("path = ") && !line.contains("workspace"), "crates/{name}: {line}: by its path, without a version");
        }
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = |folder: PathBuf| std::fs::read_to_string(folder.join(licence));
            let own = text(folder(&name)).unwrap_or_else(|error| panic!("crates/{name}/{licence}: {error}"));
            assert_eq!(own, text(root()).unwrap(), "crates/{name}: a link to the file of the project");
        }
        published.push(name);
    }
    published.sort();
    assert_eq!(published, PUBLISHED);
}

/// serde_json is a rival of `compare --rivals`: a feature that any crate turns on would change its
/// numbers or its maps for all.
#[test]
fn serde_json_is_as_its_users_have_it() {
    let mut read = 0;
    for entry in std::fs::read_dir(root().join("crates")).unwrap().flatten() {
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        for line in dependencies.lines().filter(|line| line.starts_with("serde_json")) {
            assert!(!line.contains("features"), "{}: {line}", entry.path().display());
            read += 1;
        }
    }
    assert!(read >= 3, "the crates were not found");
}

/// A crate's page has a program to start with. Runtimes serve generated code, which
/// docs/guide-extprot.md shows; tests use `testing`, and C uses `capi`.
#[test]
fn every_library_starts_with_an_example() {
    let mut read = 0;
    for (name, _) in manifests() {
        let file = root().join("crates").join(&name).join("src/lib.rs");
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        if ["testing", "capi", "capi-general"].contains(&&*name) {
            continue;
        }
        let page: Vec<&str> = text.lines().skip_while(|line| line.starts_with("#!")).take_while(|line| line.starts_with("//!")).collect();
        assert!(page.iter().any(|line| line.starts_with("//! ```")), "crates/{name}: the page has no example");
        read += 1;
    }
    assert!(read >= 15, "the crates were not found");
}

/// Each format has a fuzz target of its own.
#[test]
fn every_format_is_fuzzed() {
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for format in FORMATS {
        let target = format!("format_{}", format.name.replace('-', "_"));
        let listed = format!("name = \"{target}\"\npath = \"fuzz_targets/{target}.rs\"\n");
        assert!(manifest.contains(&listed), "fuzz/Cargo.toml has no {target}");
        let program = std::fs::read_to_string(root().join(format!("fuzz/fuzz_targets/{target}.rs"))).unwrap();
        assert!(program.contains(&format!("polywire_fuzz::format(\"{}\", bytes)", format.name)), "{target}");
    }
}

/// Packages that read arguments and schemas, generate code, make reports or talk to a terminal. No
/// figure depends on them, so they are optimised for size.
const SMALL: [&str; 15] = [
    "annotate-snippets",
    "clap_builder",
    "clap_complete",
    "clap_mangen",
    "comfy-table",
    "console",
    "glob",
    "indicatif",
    "polywire-cli",
    "polywire-codegen",
    "polywire-compare",
    "prettyplease",
    "roff",
    "strsim",
    "syn",
];

/// The profile `release` optimises some packages less, to be built soon. The builds that are
/// shipped and measured optimise all of them.
#[test]
fn what_is_shipped_is_optimised_throughout() {
    for manifest in ["Cargo.toml", "peers/Cargo.toml"] {
        let text = std::fs::read_to_string(root().join(manifest)).unwrap();
        let packages = |profile: &str| -> Vec<(String, String)> {
            let Some((_, section)) = text.split_once(&format!("[profile.{profile}.package]\n")) else { return Vec::new() };
            let lines = section.lines().take_while(|line| !line.is_empty());
            lines.filter_map(|line| line.split_once(" = ")).map(|(name, value)| (name.to_string(), value.to_string())).collect()
        };
        assert!(text.contains("[profile.dist]\ninherits = \"release\"\nopt-level = 3\nlto = \"thin\"\ncodegen-units = 4\n"), "{manifest}");
        let shipped = packages("dist");
        let is_optimised = |(name, value): &(String, String)| {
            value.starts_with("{ opt-level = 3") || SMALL.contains(&name.as_str()) && value.starts_with("{ opt-level = \"s\"")
        };
        assert!(shipped.iter().all(is_optimised), "{manifest}");
        let names = |packages: &[(String, String)]| packages.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&packages("release")), names(&shipped), "{manifest}");
    }
}

/// The faces work with whatever the registry holds: none of them knows a format by name or by media
/// type.
#[test]
fn no_face_names_a_format() {
    let mut read = 0;
    for face in ["core", "doc", "compare", "schema", "gateway", "cli", "../python"] {
        for (path, text) in product(face) {
            read += 1;
            let product = text.split("#[cfg(test)]").next().unwrap_or_default();
            let mut lacks = false;
            for (number, line) in product.lines().enumerate() {
                // A list of what was not compiled in has the names and their features.
                let is_named = lacks && line.trim_start().starts_with("(\"");
                lacks = line.trim_start().starts_with("#[cfg(not(feature = \"");
                if lacks || is_named {
                    continue;
                }
                // A feature decides what is compiled, and nothing else.
                let code = line.split("//").next().unwrap_or_default();
                let featured = code.trim_start().strip_prefix("#[cfg(feature = \"").and_then(|rest| rest.split_once("\")]"));
                let code = featured.map_or(code, |(_, code)| code);
                for format in FORMATS {
                    let name = format.name;
                    for naming in [format!("\"{name}\""), format!("polywire_formats::{name}"), format!("formats::{name}")] {
                        assert!(!code.contains(&naming), "{}:{}: {naming} names a format", path.display(), number + 1);
                    }
                    for media_type in format.media_types {
                        assert!(!names(code, media_type), "{}:{}: {media_type} names a format", path.display(), number + 1);
                    }
                }
            }
        }
    }
    assert!(read > 20, "the sources were not found");
}

/// Reports whether a line holds a media type, by itself or within a longer text.
fn names(code: &str, media_type: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '/' | '-' | '+' | '.' | '_');
    code.match_indices(media_type).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + media_type.len()..]);
        !before.ends_with(is_part) && !after.starts_with(|char| char != '.' && is_part(char))
    })
}

#[test]
fn only_the_command_line_prints() {
    for krate in [
        "core",
        "json",
        "doc",
        "formats",
        "schema",
        "compare",
        "gateway",
        "rivals",
        "codegen",
        "psyc",
        "extprot",
        "usds",
        "ql",
        "hooks",
        "jq",
        "capi",
        "capi/general",
        "polywire",
        "report",
        "../python",
    ] {
        for (path, text) in product(krate) {
            let prints = text
                .lines()
                .any(|line| ["println!", "eprintln!", "print!(", "stdout()", "stderr()"].iter().any(|call| line.contains(call)));
            assert!(!prints, "{} prints", path.display());
        }
    }
}

/// The modules that SECURITY.md names: each has a plain twin or a single safe interface.
fn modules_with_unsafe_code() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md is there");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.filter(|(path, _)| path.ends_with(".rs")).map(|(path, _)| path.to_string()).collect()
}

#[test]
fn unsafe_code_is_where_it_is_known_to_be() {
    let known = modules_with_unsafe_code();
    assert!(known.len() >= 5, "SECURITY.md has no list");
    let mut found = 0;
    for (path, text) in sources(&root().join("crates")).into_iter().chain(product("../python")) {
        let shown = path.to_string_lossy().replace('\\', "/").replace("crates/../", "");
        if !shown.contains("/src/") {
            continue;
        }
        if text.lines().any(|line| line.trim_start().starts_with("unsafe ") || line.contains("unsafe {")) {
            assert!(known.iter().any(|known| shown.ends_with(known)), "{shown} has unsafe code");
            found += 1;
        }
    }
    assert_eq!(found, known.len(), "SECURITY.md names modules without unsafe code");
}

/// A crate forbids unsafe code, or denies it outside of its modules in SECURITY.md's list. The
/// exported functions of the C libraries have unsafe attributes, which `deny` refuses.
#[test]
fn every_other_crate_forbids_unsafe_code() {
    let known = modules_with_unsafe_code();
    let mut read = 0;
    for (path, text) in sources(&root().join("crates")).into_iter().chain(product("../python")) {
        let shown = path.to_string_lossy().replace('\\', "/").replace("crates/../", "");
        let Some(folder) = shown.strip_suffix("src/lib.rs").or_else(|| shown.strip_suffix("src/main.rs")) else { continue };
        let module = |known: &String| known.split_once("src/").is_some_and(|(krate, _)| folder.ends_with(krate));
        let level = match known.iter().any(module) {
            true if folder.ends_with("capi/") || folder.ends_with("capi/general/") => continue,
            true => "#![deny(unsafe_code)]",
            false => "#![forbid(unsafe_code)]",
        };
        assert!(text.contains(level), "{shown} lacks {level}");
        read += 1;
    }
    assert!(read > 15, "the crates were not found");
}
