//! Hostile bytes before the judge: inputs that the fuzzer kept, cut at each byte and tampered with.
//! The Python package `protobuf` accepts every input that is accepted here, with the same meaning.

mod judge;

use polywire_protobuf::testing::{Rng, bodies, message};
use polywire_testing::mutate;

use judge::compare::{Tally, compare};
use judge::{Judge, setting};

/// Messages per question to the judge.
const BATCH: usize = 500;

/// Returns the messages of `testdata/protobuf/replay.txt` by schema. Each line has the index of the
/// schema and the bytes in hexadecimal.
fn corpus() -> Vec<Vec<Vec<u8>>> {
    let mut messages = vec![Vec::new(); bodies::schemas().len()];
    for line in include_str!("../../../testdata/protobuf/replay.txt").lines() {
        let (schema, hex) = line.split_once(' ').unwrap_or_else(|| panic!("{line}: no schema and bytes"));
        let byte = |n: usize| u8::from_str_radix(&hex[n * 2..n * 2 + 2], 16).unwrap_or_else(|error| panic!("{line}: {error}"));
        messages[schema.parse::<usize>().unwrap_or_else(|error| panic!("{line}: {error}"))].push((0..hex.len() / 2).map(byte).collect());
    }
    messages
}

#[test]
fn the_judge_accepts_what_we_accept() {
    let mut judge = Judge::start();
    let rounds = setting("POLYWIRE_ROUNDS", 1);
    let mut rng = Rng::with_seed(setting("POLYWIRE_SEED", 70));
    let mut tally = Tally::default();
    for ((schema, plan), corpus) in bodies::schemas().iter().zip(bodies::plans()).zip(corpus()) {
        judge.compile(schema).unwrap_or_else(|error| panic!("{error}\n{schema}"));
        let mut messages: Vec<Vec<u8>> = Vec::new();
        for bytes in corpus {
            messages.extend((0..bytes.len()).map(|end| bytes[..end].to_vec()));
            messages.extend((0..8 * rounds).map(|_| mutate(&mut rng, &bytes)));
            messages.push(bytes);
        }
        for n in 0..600 * rounds {
            let bytes = message(&mut rng, plan, n % 2 == 0);
            messages.extend((0..3).map(|_| mutate(&mut rng, &bytes)));
            messages.push(bytes[..rng.usize(..=bytes.len())].to_vec());
        }
        messages.sort();
        messages.dedup();
        for batch in messages.chunks(BATCH) {
            tally = tally.and(compare(&mut judge, plan, schema, batch));
        }
    }
    assert!(tally.refused * 4 > tally.messages && tally.printed * 20 > tally.messages, "messages of both kinds: {tally:?}");
}
