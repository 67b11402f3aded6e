//! The bodies of the differential fuzz targets, seeded: random values in each format, their bytes
//! changed, and random bytes.

mod judges;

use std::path::Path;

use polywire_core::format::Format;
use polywire_formats::{bson, cbor, json, msgpack, xml, yaml};
use polywire_testing::{self as testing, Rng, Shape};

type Body = fn(&[u8]);

const JUDGED: &[(&Format, Body)] = &[
    (&json::FORMAT, judges::json::body),
    (&xml::FORMAT, judges::xml::body),
    (&msgpack::FORMAT, judges::msgpack::body),
    (&cbor::FORMAT, judges::cbor::body),
    (&bson::FORMAT, judges::bson::body),
    (&yaml::FORMAT, judges::yaml::body),
];

#[test]
fn judges_agree_on_random_and_mutated_messages() {
    let mut rng = Rng::with_seed(31);
    for (format, body) in JUDGED {
        for n in 0..1500 {
            let value = testing::value(&mut rng, if n % 2 == 0 { Shape::PLAIN } else { Shape::ANY });
            let Ok(mut bytes) = testing::write(format, &value) else { continue };
            body(&bytes);
            for _ in 0..3 {
                bytes = testing::mutate(&mut rng, &bytes);
                body(&bytes);
            }
        }
    }
}

#[test]
fn judges_agree_on_files_and_their_parts() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut rng = Rng::with_seed(32);
    let mut read = 0;
    for (format, body) in JUDGED {
        for folder in [testdata.join("corpus").join(format.name), testdata.join("packets")] {
            let files = std::fs::read_dir(folder).map(|files| files.flatten().collect::<Vec<_>>()).unwrap_or_default();
            for path in files.into_iter().map(|file| file.path()) {
                let known = path.extension().is_some_and(|extension| format.extensions.iter().any(|own| extension == *own));
                if !known {
                    continue;
                }
                let bytes = std::fs::read(&path).expect("a file of testdata is readable");
                body(&bytes);
                read += 1;
                for _ in 0..40 {
                    body(&testing::mutate(&mut rng, &bytes));
                }
            }
        }
    }
    assert!(read > 15, "{read} files read");
}

#[test]
fn judges_agree_on_random_bytes() {
    let mut rng = Rng::with_seed(33);
    for (_, body) in JUDGED {
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..rng.usize(..12)).map(|_| rng.u8(..)).collect();
            body(&bytes);
        }
    }
}
