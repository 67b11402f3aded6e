//! `protoc` is the judge: same descriptors for the same text.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use polywire_core::Limits;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, identity};
use polywire_protobuf::descriptor::FileDescriptorSet;
use polywire_protobuf::language::print;
use polywire_protobuf::source::{Protos, bare, read};

fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos")
}

/// Returns the output of `protoc` for a file and its imports, which are looked up in `folder`
/// first.
fn protoc(folder: &Path, file: &str) -> Vec<u8> {
    // Tests run side by side: each call has an output file of its own.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{call}-{}.set", file.replace('/', "-")));
    let output = Command::new("protoc")
        .arg(format!("-I{}", folder.display()))
        .arg(format!("-I{}", protos().display()))
        .args(["--include_imports", "--experimental_allow_proto3_optional"])
        .arg(format!("--descriptor_set_out={}", out.display()))
        .arg(file)
        .output()
        .expect("protoc is installed by tools/setup.sh judges");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(out).unwrap()
}

/// Returns our reading of the file.
fn ours(file: &str) -> Protos {
    let path = protos().join(file);
    let bytes = std::fs::read(&path).unwrap();
    let text = SchemaText { name: path.to_str().unwrap(), bytes: &bytes, identity: &identity(&path) };
    read(&text, &mut Files::new().including(vec![protos().to_str().unwrap().into()])).unwrap()
}

#[test]
fn options_that_schemas_declare_are_printed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("printed-options");
    std::fs::create_dir_all(&folder).unwrap();
    let set = FileDescriptorSet::read(&protoc(&protos(), "ruled.proto"), &Limits::DEFAULT).unwrap();
    let last = |set: &FileDescriptorSet| bare(set).file.last().cloned().unwrap();
    for set in [&set, &ours("ruled.proto").set] {
        let (printed, losses) = print(set, set.file.len() - 1).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        assert!(
            printed.contains("option (rules.rule) = { min: -3 words: \"a\" words: \"b\" inner { min: 5 [rules.more]: \"z\" } };"),
            "{printed}"
        );
        std::fs::write(folder.join("ruled.proto"), &printed).unwrap();
        let again = FileDescriptorSet::read(&protoc(&folder, "ruled.proto"), &Limits::DEFAULT).unwrap();
        assert_eq!(last(&again), last(set), "{printed}");
    }
    // The set lacks their declarations.
    let mut alone = set;
    let mut file = alone.file.pop().unwrap();
    file.dependency.clear();
    let (_, losses) = print(&FileDescriptorSet { file: vec![file], ..FileDescriptorSet::default() }, 0).unwrap();
    assert!(losses.iter().any(|loss| loss.what.contains("the option 50001 of FieldOptions")), "{losses:?}");
}

#[test]
fn the_same_descriptors_for_the_same_text() {
    for file in ["old.proto", "new.proto", "sub/shared.proto", "ruled.proto"] {
        let ours = bare(&ours(file).set);
        let judged = protoc(&protos(), file);
        let theirs = FileDescriptorSet::read(&judged, &Limits::DEFAULT).unwrap();
        let mut written = Vec::new();
        theirs.write(&mut written);
        assert_eq!(written, judged, "{file}: what is read is written as it was");
        // Either side has its own version of the well-known types.
        let own = |set: &FileDescriptorSet| {
            let own = set.file.iter().filter(|file| !file.name.as_deref().unwrap().starts_with("google/"));
            own.cloned().collect::<Vec<_>>()
        };
        let (ours, theirs) = (own(&ours), own(&theirs));
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{file}");
        }
    }
}
