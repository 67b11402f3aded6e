//! Code generated from `.proto` files: random messages, tampered bytes, and what the specification says of merging, presence and unknown fields.

use std::collections::HashMap;

use polywire_codegen_conformance::protobuf::{DOORS, fuzz, twins};
use polywire_codegen_conformance::twin::tamper;
use polywire_protobuf::testing;

#[test]
fn random_and_tampered_messages_agree_with_the_codec() {
    let mut random = testing::Rng::with_seed(5);
    let mut seen = [0, 0];
    for twin in twins() {
        for round in 0..60 {
            let mut bytes = testing::message(&mut random, &twin.plan, round % 2 == 1);
            for _ in 0..4 {
                seen[usize::from(twin.agree(&bytes))] += 1;
                tamper(&mut bytes, &mut random);
            }
            // What is put together from two messages is merged.
            let mut both = testing::message(&mut random, &twin.plan, true);
            both.extend(testing::message(&mut random, &twin.plan, true));
            seen[usize::from(twin.agree(&both))] += 1;
        }
    }
    let schemas: HashMap<&str, usize> = DOORS.iter().map(|door| (door.schema, 0)).collect();
    assert!(schemas.len() > 4 && seen[0] > 1000 && seen[1] > 5000, "{} schemas, {seen:?}", schemas.len());
}

#[test]
fn the_fuzz_target_holds() {
    let mut random = testing::Rng::with_seed(6);
    for _ in 0..4000 {
        let mut bytes: Vec<u8> = (0..random.usize(..40)).map(|_| random.u8(..)).collect();
        tamper(&mut bytes, &mut random);
        fuzz(&bytes);
    }
}
