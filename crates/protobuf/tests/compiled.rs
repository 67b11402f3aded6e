//! `protoc` is the judge of whole texts: descriptors, options, places and comments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use polywire_core::Limits;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, NoFiles, identity};
use polywire_protobuf::descriptor::{Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor, FileDescriptorSet};
use polywire_protobuf::source::{Protos, read};

fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos")
}

/// Runs a `protoc` on a file of a folder, and returns its descriptor set or its errors.
fn run(mut protoc: Command, folder: &Path, file: &str) -> Result<FileDescriptorSet, String> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compiled-{}-{}.set", std::process::id(), file.replace('/', "-")));
    let output = protoc
        .arg(format!("-I{}", folder.display()))
        .args(["--include_imports", "--include_source_info"])
        .arg(format!("--descriptor_set_out={}", out.display()))
        .arg(file)
        .output()
        .expect("protoc is installed by tools/setup.sh judges");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let bytes = std::fs::read(&out).unwrap();
    std::fs::remove_file(out).unwrap();
    Ok(FileDescriptorSet::read(&bytes, &Limits::DEFAULT).unwrap())
}

/// The compiler of the system, which knows no editions.
fn of_the_system() -> Command {
    Command::new("protoc")
}

/// A compiler that knows editions, from the package `grpcio-tools`, which brings Google's files.
fn of_the_package() -> Command {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/judges/bin/python");
    assert!(python.exists(), "the package `grpcio-tools` is missing: run `tools/setup.sh judges`");
    let mut command = Command::new(&python);
    let place = Command::new(&python).args(["-c", "import grpc_tools; print(grpc_tools.__path__[0])"]).output().unwrap();
    let place = String::from_utf8(place.stdout).unwrap();
    command.args(["-m", "grpc_tools.protoc", "--retain_options", &format!("-I{}/_proto", place.trim())]);
    command
}

fn ours(file: &str) -> Protos {
    let path = protos().join(file);
    let bytes = std::fs::read(&path).unwrap();
    let text = SchemaText { name: path.to_str().unwrap(), bytes: &bytes, identity: &identity(&path) };
    read(&text, &mut Files::new().including(vec![protos().to_str().unwrap().into()])).unwrap_or_else(|found| panic!("{found}"))
}

/// Returns the files of the set but Google's, by name. Fields of unknown numbers, which are options
/// that schemas declare, are in the order of their numbers.
fn own(set: &FileDescriptorSet) -> BTreeMap<String, FileDescriptor> {
    let mut bytes = Vec::new();
    set.write(&mut bytes);
    let set = FileDescriptorSet::read(&bytes, &Limits::DEFAULT).unwrap();
    let named = set.file.into_iter().map(|file| (file.name.clone().unwrap(), file));
    named.filter(|(name, _)| !name.starts_with("google/")).collect()
}

/// Asks for the same files, file by file, and place by place.
fn compare(ours: &FileDescriptorSet, theirs: &FileDescriptorSet) {
    let (ours, theirs) = (own(ours), own(theirs));
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    for ((name, ours), theirs) in ours.iter().zip(theirs.values()) {
        let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
        let places = [ours.source_code_info.take().unwrap(), theirs.source_code_info.take().unwrap()];
        assert_eq!(ours, theirs, "{name}");
        for (ours, theirs) in places[0].location.iter().zip(&places[1].location) {
            assert_eq!(ours, theirs, "{name}");
        }
        assert_eq!(places[0].location.len(), places[1].location.len(), "{name}");
    }
}

#[test]
fn texts_of_the_old_syntaxes_become_the_judges_descriptors() {
    for file in ["compiled/everything2.proto", "compiled/everything3.proto", "old.proto", "new.proto", "ruled.proto"] {
        let ours = ours(file);
        compare(&ours.set, &run(of_the_system(), &protos(), file).unwrap());
        compare(&ours.set, &run(of_the_package(), &protos(), file).unwrap());
    }
}

#[test]
fn texts_in_editions_become_the_judges_descriptors() {
    for file in ["compiled/edition2023.proto", "compiled/edition2024.proto", "edition.proto"] {
        compare(&ours(file).set, &run(of_the_package(), &protos(), file).unwrap());
    }
}

/// Names, numbers and types of Google's files are theirs. Options but those of the wire are not
/// compared: what they say to people is not ours to repeat.
#[test]
fn googles_files_are_the_same() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("google");
    std::fs::create_dir_all(&folder).unwrap();
    let files = [
        "any",
        "api",
        "compiler/plugin",
        "cpp_features",
        "descriptor",
        "duration",
        "empty",
        "field_mask",
        "go_features",
        "java_features",
        "source_context",
        "struct",
        "timestamp",
        "type",
        "wrappers",
    ];
    let import = |name: &&str| format!("import \"google/protobuf/{name}.proto\";\n");
    let text = format!("syntax = \"proto3\";\n{}", files.iter().map(import).collect::<String>());
    std::fs::write(folder.join("all.proto"), &text).unwrap();
    let ours = read(&SchemaText { name: "all.proto", bytes: text.as_bytes(), identity: "" }, &mut NoFiles).unwrap().set;
    let theirs = run(of_the_package(), &folder, "all.proto").unwrap();
    for name in files {
        let name = format!("google/protobuf/{name}.proto");
        let find = |set: &FileDescriptorSet| plain(set.file.iter().find(|file| file.name.as_deref() == Some(&name)).unwrap());
        assert_eq!(find(&ours), find(&theirs), "{name}");
    }
}

/// Returns a file without its places, and without options that this crate does not interpret.
fn plain(file: &FileDescriptor) -> FileDescriptor {
    let mut file = file.clone();
    file.source_code_info = None;
    file.options = None;
    file.message_type.iter_mut().for_each(message);
    file.enum_type.iter_mut().for_each(enumeration);
    file.extension.iter_mut().for_each(field);
    file
}

fn message(message: &mut Descriptor) {
    message.field.iter_mut().for_each(field);
    message.extension.iter_mut().for_each(field);
    message.enum_type.iter_mut().for_each(enumeration);
    message.extension_range.iter_mut().for_each(|range| range.options = None);
    message.nested_type.iter_mut().for_each(self::message);
}

fn field(field: &mut FieldDescriptor) {
    if let Some(options) = &mut field.options {
        options.others.clear();
    }
}

fn enumeration(declared: &mut EnumDescriptor) {
    declared.value.iter_mut().for_each(|value| value.options = None);
}
