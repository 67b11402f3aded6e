//! Random dictionaries and documents, and broken bytes of them, through all decoders and encoders.

use std::sync::Arc;

use polywire_core::value::ValueSink;
use polywire_core::{Budget, ErrorKind, Limits, Reader};
use polywire_testing::mutate;
use polywire_usds::dictionary::{Dictionary, Identity, section};
use polywire_usds::dom::Arena;
use polywire_usds::error::{Problem, Revision};
use polywire_usds::testing::{Doors, Rng, body, dictionary, document, section as section_body, shown, text};
use polywire_usds::walk::UsdsReader;

const REVISIONS: [Revision; 3] = [Revision::A, Revision::B, Revision::Profile];

#[test]
fn documents_come_back_from_all_decoders() {
    let mut rng = Rng::with_seed(1);
    let mut documents = 0;
    for round in 0..240 {
        let dictionary = dictionary(&mut rng, REVISIONS[round % 3]);
        let mut doors = Doors::new(dictionary.clone());
        for _ in 0..10 {
            let Some(document) = document(&mut rng, &dictionary) else { continue };
            let entries = doors.encode(&document);
            assert_eq!(doors.decode(&entries), Ok(shown(&document)));
            documents += 1;
            for _ in 0..6 {
                let broken = mutate(&mut rng, &entries[..entries.len().min(1000)]);
                let _ = doors.decode(&broken);
            }
            if entries.len() < 300 {
                for end in 0..entries.len() {
                    let _ = doors.decode(&entries[..end]);
                }
            }
        }
    }
    assert!(documents > 1000, "only {documents} documents");
}

#[test]
fn dictionaries_come_back_from_texts_and_sections() {
    let mut rng = Rng::with_seed(2);
    for round in 0..300 {
        let dictionary = dictionary(&mut rng, REVISIONS[round % 3]);
        let contents = section::write(&dictionary, dictionary.wire()).expect("it has a section");
        let read = section::read(&contents, dictionary.wire(), dictionary.identity()).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(read.tags(), dictionary.tags());
        let (written, losses) = dictionary.to_text().expect("it has a text");
        assert_eq!(losses, [], "{written}");
        assert_eq!(Dictionary::parse("again", written.as_bytes()).as_ref(), Ok(&dictionary), "{written}");
        let choice = REVISIONS.iter().position(|revision| *revision == dictionary.wire()).unwrap_or_default() as u8;
        for _ in 0..10 {
            section_body(&[&[choice], &mutate(&mut rng, &contents)[..]].concat());
            text(&mutate(&mut rng, written.as_bytes()));
        }
        for end in 0..contents.len().min(200) {
            section_body(&[&[choice], &contents[..end]].concat());
        }
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut rng = Rng::with_seed(3);
    let words = [
        "USDS ",
        "DICTIONARY ID",
        "=",
        "v.",
        "1",
        ".",
        "0",
        " { ",
        "}",
        ": ",
        "STRUCT ",
        "name ",
        "INT ",
        "a",
        "b",
        ";",
        "ARRAY<",
        ">",
        "[]",
        "ENUM ",
        "= NULL",
        "<a || b>",
        "\"x\"",
        "RESTRICT { notRoot; }",
        "DOUBLE ",
        "-1.5e3",
        ",",
        "STRING<UTF-8> ",
        "ENCODE: UTF-8",
        "/",
        "ü",
    ];
    for _ in 0..6_000 {
        let bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(..12) }).collect();
        body(&bytes);
        section_body(&bytes);
        text(&bytes);
        let written: String = (0..rng.usize(..30)).map(|_| words[rng.usize(..words.len())]).collect();
        text(written.as_bytes());
        text(format!("USDS N {{ {written}").as_bytes());
    }
}

/// Sections may have enumerators whose names are keywords of texts.
#[test]
fn enumerators_of_sections_get_names_that_texts_have() {
    let contents = b"P\x01Mt\x01\x01T\x12f\x01\x01e\x13\x05\x03\x03red\x02\x05true_\x04\x04true\xd8\x04=\xfa\x99\x0f";
    section_body(&[&[2], &contents[..]].concat());
    let dictionary = section::read(contents, Revision::Profile, Identity::default()).expect("a section");
    let (text, losses) = dictionary.to_text().expect("it has a text");
    assert!(text.contains("true__ = 300") && losses.iter().any(|loss| loss.at == "T.e.true"), "{text} {losses:?}");
}

/// Counts and lengths that no input holds, and those that no number of 32 bits holds: refused where
/// they stand or at the end, at once.
#[test]
fn claims_of_hostile_bytes_cost_nothing() {
    let text = b"USDS H { S { INT a; S[] kids; STRING<UTF-8> s; LONG[][] l; }; }";
    let mut doors = Doors::new(Dictionary::parse("d", text).expect("it is right"));
    let sixty: &[u8] = &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    let most: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0x0f];
    for (before, claim, code) in [
        (&[1, 0, 0, 0, 0][..], sixty, 24),
        (&[1, 0, 0, 0, 0], most, 23),
        (&[1, 0, 0, 0, 0, 0], sixty, 24),
        (&[1, 0, 0, 0, 0, 0], most, 23),
        (&[1, 0, 0, 0, 0, 0, 0, 1], most, 23),
        (&[], sixty, 24),
    ] {
        let (found, at) = doors.decode(&[before, claim].concat()).expect_err("nothing holds that");
        let place = if code == 23 { before.len() + claim.len() } else { before.len() };
        assert_eq!((found, at), (Some(code), place), "{before:?} {claim:?}");
    }
    // A structure that holds itself in arrays, deeper than any limit.
    let deep = [&[1][..], &[0, 0, 0, 0, 1].repeat(100_000)].concat();
    let mut arena = Arena::new(Arc::clone(&doors.plan));
    let failure = arena.decode(&deep).expect_err("it is too deep");
    assert_eq!((failure.code(), failure.problem()), (None, Problem::Limit));
    let body = [&[0x62][..], &deep].concat();
    let limits = Limits::DEFAULT.with_depth(600);
    let walked = UsdsReader::documents(Arc::clone(&doors.plan)).walk(&body, 0, &mut ValueSink::default(), &mut Budget::new(&limits));
    assert_eq!(walked.expect_err("it is too deep").kind(), ErrorKind::Limit);
    for section in [
        &b"\x74\x01\x80\x80\x80\x80\x80\x80\x80\x80\x10"[..],
        b"\x74\xff\xff\xff\xff\x0f\x01S\x12",
        b"P\0t\x01\x01E\x13\x05\xff\xff\xff\xff\x0f",
    ] {
        let revision = section::revision(section).expect("a section");
        let failure = section::read(section, revision, Identity::default()).expect_err("nothing holds that");
        assert!(failure.code().is_some() && failure.offset() <= section.len(), "{failure}");
    }
}
