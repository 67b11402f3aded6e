//! The Python package `protobuf` judges messages of random schemas and their JSON: same values,
//! same canonical JSON, and each side parses the other's bytes.

mod judge;

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use polywire_core::Limits;
use polywire_protobuf::descriptor::FileDescriptorSet;
use polywire_protobuf::model::Pool;
use polywire_protobuf::plan::Plan;
use polywire_protobuf::testing::{Rng, message, schema};

use judge::compare::{Tally, compare};
use judge::{Judge, setting};

/// Messages of the schema that the seed makes.
fn judged(judge: &mut Judge, seed: u64) -> Tally {
    let mut rng = Rng::with_seed(seed);
    let text = schema(&mut rng);
    // A few are invalid, such as closed enums with implicit presence.
    let Ok(set) = judge.compile(&text) else { return Tally::default() };
    let set = FileDescriptorSet::read(&set, &Limits::DEFAULT).unwrap();
    let pool = Pool::new(&set).unwrap_or_else(|error| panic!("{error}\n{text}"));
    ["t.M0", "t.M1"]
        .into_iter()
        .map(|root| {
            let plan = Arc::new(Plan::named(&pool, Some(root)).unwrap());
            let messages: Vec<Vec<u8>> = (0..4).map(|n| message(&mut rng, &plan, n % 2 == 1)).collect();
            compare(judge, &plan, &text, &messages)
        })
        .fold(Tally { schemas: 1, ..Tally::default() }, Tally::and)
}

#[test]
fn messages_of_random_schemas_mean_the_same() {
    let rounds = setting("POLYWIRE_ROUNDS", 2000);
    let first = setting("POLYWIRE_SEED", 20_000);
    let next = AtomicU64::new(0);
    let judges = std::thread::available_parallelism().map_or(1, NonZero::get).min(4);
    let tally = std::thread::scope(|scope| {
        let work = || {
            let mut judge = Judge::start();
            let mut tally = Tally::default();
            loop {
                let round = next.fetch_add(1, Ordering::Relaxed);
                if round >= rounds {
                    return tally;
                }
                tally = tally.and(judged(&mut judge, first + round));
            }
        };
        let threads: Vec<_> = (0..judges).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|why| std::panic::resume_unwind(why)))
            .fold(Tally::default(), Tally::and)
    });
    assert!(tally.schemas * 10 > rounds * 8, "most schemas are sound: {tally:?}");
    assert!(tally.printed * 2 > tally.messages, "most messages are sound: {tally:?}");
}
