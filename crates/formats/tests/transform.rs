//! Messages that become more bytes than a batch may hold, on several threads.

use polywire_core::tools::adapt::Walker;
use polywire_core::tools::transform::{Made, Transform, Transformed, transform};
use polywire_core::tools::{Message, Stream};
use polywire_core::{Error, Limits, Result};
use polywire_formats::registry;

const PIECE: usize = 1 << 20;

/// Writes as many pieces as a message says, and counts them; a message that says `no` fails.
struct Pieces;

impl Transform for Pieces {
    type Beside = usize;

    fn fork(&self) -> Result<Pieces> {
        Ok(Pieces)
    }

    fn beside() -> usize {
        0
    }

    fn message(&mut self, message: Message<'_>, made: &mut Made<'_, usize>) -> Result<()> {
        let text = std::str::from_utf8(message.bytes).unwrap();
        let Ok(count) = text.trim_start_matches('[').trim_end_matches([']', ' ']).parse::<usize>() else {
            return Err(Error::truncated(message.base, "a number"));
        };
        for _ in 0..count {
            made.bytes.extend(std::iter::repeat_n(count as u8, PIECE));
            made.beside += 1;
            made.room()?;
        }
        made.bytes.push(b'.');
        Ok(())
    }

    fn recover(&mut self, _: Message<'_>) -> bool {
        true
    }
}

/// Returns the runs of equal bytes with their lengths, the number of pieces and the error.
fn outcome(input: &str, threads: usize) -> (Vec<(u8, usize)>, usize, Option<String>) {
    let format = registry::find("jsonl").unwrap();
    let (mut runs, mut pieces): (Vec<(u8, usize)>, usize) = (Vec::new(), 0);
    let outcome = transform(
        &mut Stream::new(input.as_bytes()),
        &mut Walker::new(format, &Limits::DEFAULT),
        threads,
        Pieces,
        None,
        &mut |part: Transformed<'_, usize>| {
            assert!(part.out.len() < 18 * PIECE, "{} bytes at once", part.out.len());
            pieces += part.beside;
            for byte in part.out.chunk_by(|one, other| one == other) {
                match runs.last_mut() {
                    Some((last, length)) if *last == byte[0] => *length += byte.len(),
                    _ => runs.push((byte[0], byte.len())),
                }
            }
            Ok(())
        },
    );
    (runs, pieces, outcome.1.err().map(|error| error.to_string()))
}

#[test]
fn much_output_is_written_as_it_comes_and_once() {
    let small = format!("[0]{}\n", " ".repeat(600 << 10));
    let input = format!("{small}[20]\n{small}[0]\n[35]\n{small}[3]\nno\n[4]\n");
    let one = outcome(&input, 1);
    let expected = [(b'.', 1), (20, 20), (b'.', 3), (35, 35), (b'.', 2), (3, 3), (b'.', 1)];
    let expected: Vec<_> = expected.map(|(byte, count)| (byte, if byte == b'.' { count } else { count * PIECE })).into();
    assert_eq!((&one.0, one.1), (&expected, 58));
    assert!(one.2.as_ref().is_some_and(|error| error.contains("a number")), "{:?}", one.2);
    for threads in [2, 3] {
        assert_eq!(outcome(&input, threads), one);
    }
}
