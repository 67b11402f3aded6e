//! The fuzz targets over messages of their protocols, mutated, and over random bytes.

mod twin;

use polywire_extprot::protocol::{NoFiles, compile};
use polywire_testing::{Rng, mutate};

use twin::bodies::{PROTOCOLS, VERSIONS, decode, relay, rewrite, versioned, walk};
use twin::doors::Doors;
use twin::random::value;

/// Messages of each protocol that has an encoder, with the byte that chooses it.
fn messages(rng: &mut Rng) -> Vec<(u8, Vec<u8>)> {
    let mut messages = Vec::new();
    for (choice, text) in PROTOCOLS.iter().enumerate() {
        let protocol = compile("fuzz", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
        // Messages of the sources, for a protocol of views.
        let name = if Doors::new(&protocol, "m").plan.is_encodable() { "m" } else { "full" };
        let doors = Doors::new(&protocol, name);
        let node = protocol.message(name).expect("the message is there");
        for _ in 0..20 {
            messages.push((choice as u8, doors.encode(&value(&protocol, node, rng)).expect("a value of the type is written")));
        }
    }
    messages
}

#[test]
fn mutated_messages_break_nothing() {
    let mut rng = Rng::with_seed(2);
    let messages = messages(&mut rng);
    for _ in 0..6000 {
        let (choice, message) = &messages[rng.usize(..messages.len())];
        let bytes = mutate(&mut rng, &message[..message.len().min(2000)]);
        walk(&bytes);
        decode(&[&[*choice, rng.u8(..) & rng.u8(..)], bytes.as_slice()].concat());
        rewrite(&[&[*choice], bytes.as_slice()].concat());
        versioned(&[&[rng.u8(..60), *choice, 0], bytes.as_slice()].concat());
    }
}

#[test]
fn later_versions_pass_older_programs() {
    let mut rng = Rng::with_seed(6);
    for (choice, (_, text)) in VERSIONS.iter().enumerate() {
        let protocol = compile("fuzz", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
        let doors = Doors::new(&protocol, "m");
        let node = protocol.message("m").expect("the message is there");
        for _ in 0..400 {
            let message = doors.encode(&value(&protocol, node, &mut rng)).expect("a value of the type is written");
            relay(&[&[choice as u8], message.as_slice()].concat());
            for _ in 0..8 {
                relay(&[&[choice as u8], mutate(&mut rng, &message[..message.len().min(2000)]).as_slice()].concat());
            }
        }
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(..12) }).collect();
        if bytes.len() > 3 && rng.bool() {
            // A message whose length fits.
            (bytes[2], bytes[3]) = (0x01, bytes.len() as u8 - 4);
        }
        walk(&bytes);
        decode(&bytes);
        rewrite(&bytes);
        relay(&bytes);
        versioned(&bytes);
    }
}
