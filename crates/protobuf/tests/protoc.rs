//! `protoc` is the judge: the same descriptors for the same text.

use std::path::{Path, PathBuf};
use std::process::Command;

use polywire_core::language::SchemaText;
use polywire_core::limits::Limits;
use polywire_core::sources::{Files, identity};
use polywire_protobuf::descriptor::FileDescriptorSet;
use polywire_protobuf::source::{bare, read};

fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protos")
}

/// What `protoc` makes of a file, with its imports.
fn protoc(file: &str) -> Vec<u8> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.set", file.replace('/', "-")));
    let output = Command::new("protoc")
        .arg(format!("-I{}", protos().display()))
        .args(["--include_imports", "--experimental_allow_proto3_optional"])
        .arg(format!("--descriptor_set_out={}", out.display()))
        .arg(file)
        .output()
        .expect("protoc is installed by tools/setup.sh judges");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(out).unwrap()
}

#[test]
fn the_same_descriptors_for_the_same_text() {
    for file in ["old.proto", "new.proto", "sub/shared.proto"] {
        let path = protos().join(file);
        let bytes = std::fs::read(&path).unwrap();
        let text = SchemaText { name: path.to_str().unwrap(), bytes: &bytes, identity: &identity(&path) };
        let mut files = Files::new().including(vec![protos().to_str().unwrap().into()]);
        let ours = bare(&read(&text, &mut files).unwrap().set);
        let judged = protoc(file);
        let theirs = FileDescriptorSet::read(&judged, &Limits::DEFAULT).unwrap();
        let mut written = Vec::new();
        theirs.write(&mut written);
        assert_eq!(written, judged, "{file}: what is read is written as it was");
        // The well-known types are of the version that each has.
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
