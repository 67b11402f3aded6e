//! A log replays to the state that it was kept of, and so does its compacted form; a packet that
//! fails changes nothing.

use polywire_psyc::batch::Tape;
use polywire_psyc::state::{Limits, Log, Store};

/// Little enough that the limits are met.
const LIMITS: Limits = Limits { contexts: 3, variables: 6, context_bytes: 400, total_bytes: 900, depth: 3, work: 4000 };

thread_local!(static TAPE: std::cell::RefCell<Tape> = std::cell::RefCell::default());

/// Applies the packets of a stream. Returns how many changed something, and how many failed.
pub fn body(data: &[u8]) -> (usize, usize) {
    TAPE.with_borrow_mut(|tape| {
        let (mut store, mut log) = (Store::new(LIMITS), Log::new());
        let (mut changed, mut failed) = (0, 0);
        for packet in tape.parse(data) {
            let before = store.clone();
            match log.apply(&mut store, &packet.to_packet()) {
                Ok(effects) => changed += usize::from(effects.changes),
                Err(_) => {
                    assert!(store == before, "a packet that failed changed the state");
                    assert_eq!(store.bytes(), before.bytes());
                    failed += 1;
                }
            }
            assert!(store.bytes() <= LIMITS.total_bytes && store.contexts().count() <= LIMITS.contexts);
        }
        replays(&store, &log);
        log.compact(&store);
        replays(&store, &log);
        (changed, failed)
    })
}

fn replays(store: &Store, log: &Log) {
    let replay = Log::replay(log.bytes(), LIMITS).unwrap_or_else(|error| panic!("{error}: {}", log.bytes().escape_ascii()));
    assert!(replay.store == *store, "the log does not replay: {}", log.bytes().escape_ascii());
    assert_eq!((replay.end, replay.store.bytes()), (log.bytes().len(), store.bytes()));
}
