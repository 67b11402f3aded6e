//! The fuzz target of `polywire.h` on stable Rust: real, mutated and random input.

mod face;

use face::body::face;

/// Real messages and schemas: small files of the repository.
fn real() -> Vec<Vec<u8>> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut found = Vec::new();
    for folder in ["testdata/corpus", "testdata/schemas", "examples"] {
        let mut folders = vec![root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if entry.metadata().is_ok_and(|file| file.len() < 2000) {
                    found.push((entry.path(), std::fs::read(entry.path()).expect("a file")));
                }
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "{} files", found.len());
    found.into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn real_messages() {
    let mut rng = fastrand::Rng::with_seed(40);
    for bytes in real() {
        for what in 0..8 {
            face(&[&[what | rng.u8(..) & 0xf0, rng.u8(..), rng.u8(..), rng.u8(..)], &bytes[..]].concat());
        }
    }
}

#[test]
fn mutated_messages() {
    let mut rng = fastrand::Rng::with_seed(41);
    let real = real();
    for _ in 0..500 {
        let mut bytes = rng.choice(&real).expect("messages").clone();
        bytes.truncate(rng.usize(..=bytes.len()));
        for _ in 0..rng.usize(..4) {
            if let Some(byte) = (!bytes.is_empty()).then(|| rng.usize(..bytes.len())) {
                bytes[byte] = rng.u8(..);
            }
        }
        face(&[&[rng.u8(..), rng.u8(..), rng.u8(..), rng.u8(..)], &bytes[..]].concat());
    }
}

#[test]
fn random_bytes() {
    let mut rng = fastrand::Rng::with_seed(42);
    for _ in 0..2000 {
        let data: Vec<u8> = (0..rng.usize(..60)).map(|_| rng.u8(..)).collect();
        face(&data);
    }
}
