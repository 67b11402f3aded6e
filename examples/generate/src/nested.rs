//! Random values of a nested type, after the message of extprot's published benchmark:
//!
//! ```text
//! type sum_type 'a 'b 'c = A 'a | B 'b | C 'c | D
//! message complex_rtt = A { a1 : [ ( int * [|bool|] ) ]; a2 : [ sum_type<int, string, long> ] }
//!                     | B { b1 : bool; b2 : (string * [int]) }
//! ```

use serde_json::{Value, json};

use crate::draw::Draw;
use crate::words::WORDS;

/// How many values the corpus has.
const COUNT: usize = 2000;

/// `complex_rtt`.
enum Message {
    A { a1: Vec<(i64, Vec<bool>)>, a2: Vec<Sum> },
    B { b1: bool, b2: (&'static str, Vec<i64>) },
}

/// `sum_type<int, string, long>`.
enum Sum {
    A(i64),
    B(&'static str),
    C(i64),
    D,
}

/// The corpus as JSON Lines.
pub fn json_lines() -> String {
    messages().iter().map(|message| format!("{}\n", message.json())).collect()
}

/// The values.
fn messages() -> Vec<Message> {
    let mut draw = Draw::new(0x2000);
    (0..COUNT).map(|_| message(&mut draw)).collect()
}

/// Both cases are equally likely, and so are the lengths 0 to 9 of every list and array.
fn message(draw: &mut Draw) -> Message {
    if draw.chance(50) {
        let a1 = list(draw, |draw| (int(draw), list(draw, |draw| draw.chance(50))));
        Message::A { a1, a2: list(draw, sum) }
    } else {
        let b1 = draw.chance(50);
        Message::B { b1, b2: (text(draw), list(draw, int)) }
    }
}

fn sum(draw: &mut Draw) -> Sum {
    match draw.below(4) {
        0 => Sum::A(int(draw)),
        1 => Sum::B(text(draw)),
        2 => Sum::C(draw.bits() as i64),
        _ => Sum::D,
    }
}

fn list<T>(draw: &mut Draw, element: impl Fn(&mut Draw) -> T) -> Vec<T> {
    (0..draw.below(10)).map(|_| element(draw)).collect()
}

/// An int of either sign and up to 32 bits, short ones as likely as long ones.
fn int(draw: &mut Draw) -> i64 {
    let size = draw.below(33);
    let magnitude = (draw.bits() & ((1 << size) - 1)) as i64;
    if draw.chance(50) { -magnitude } else { magnitude }
}

/// A word, or no text in one case of ten.
fn text(draw: &mut Draw) -> &'static str {
    if draw.chance(10) { "" } else { draw.favour(WORDS) }
}

impl Message {
    /// A carrying case is an object of its name and its record, a tuple an array.
    fn json(&self) -> Value {
        match self {
            Message::A { a1, a2 } => {
                let a2: Vec<Value> = a2.iter().map(Sum::json).collect();
                json!({ "A": { "a1": a1, "a2": a2 } })
            }
            Message::B { b1, b2 } => json!({ "B": { "b1": b1, "b2": b2 } }),
        }
    }
}

impl Sum {
    /// A constant case is its name.
    fn json(&self) -> Value {
        match self {
            Sum::A(int) => json!({ "A": int }),
            Sum::B(text) => json!({ "B": text }),
            Sum::C(long) => json!({ "C": long }),
            Sum::D => json!("D"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a base 128 varint.
    fn varint(mut value: u64) -> usize {
        let mut bytes = 1;
        while value > 127 {
            value >>= 7;
            bytes += 1;
        }
        bytes
    }

    /// Bytes of an extprot int: a prefix and its zigzag varint.
    fn int_size(value: i64) -> usize {
        1 + varint(((value << 1) ^ (value >> 63)) as u64)
    }

    /// Bytes of an extprot string: a prefix, its length and itself.
    fn text_size(text: &str) -> usize {
        1 + varint(text.len() as u64) + text.len()
    }

    /// Bytes of an extprot composite: a prefix, the length of the rest, the count of its elements and they themselves.
    fn composite_size(elements: &[usize]) -> usize {
        let inside = varint(elements.len() as u64) + elements.iter().sum::<usize>();
        1 + varint(inside as u64) + inside
    }

    fn list_size<T>(elements: &[T], size: impl Fn(&T) -> usize) -> usize {
        composite_size(&elements.iter().map(size).collect::<Vec<_>>())
    }

    fn message_size(message: &Message) -> usize {
        const BOOL: usize = 2;
        const LONG: usize = 9;
        const CONSTANT: usize = 1;
        match message {
            Message::A { a1, a2 } => {
                let a1 = list_size(a1, |(int, bools)| composite_size(&[int_size(*int), list_size(bools, |_| BOOL)]));
                let a2 = list_size(a2, |sum| match sum {
                    Sum::A(int) => composite_size(&[int_size(*int)]),
                    Sum::B(text) => composite_size(&[text_size(text)]),
                    Sum::C(_) => composite_size(&[LONG]),
                    Sum::D => CONSTANT,
                });
                composite_size(&[a1, a2])
            }
            Message::B { b2: (text, ints), .. } => {
                composite_size(&[BOOL, composite_size(&[text_size(text), list_size(ints, |int| int_size(*int))])])
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_published_message() {
        let a1 = vec![(-247_634_575, vec![true; 9]), (3484, vec![false; 8]), (-4, vec![false; 7])];
        let a2 = vec![Sum::C(2_896_779_717_145_980_192), Sum::C(-3_674_915_657_590_371_643)];
        assert_eq!(message_size(&Message::A { a1, a2 }), 110);
    }

    #[test]
    fn values_take_about_82_bytes_in_extprot() {
        let messages = messages();
        let total: usize = messages.iter().map(message_size).sum();
        let mean = total / messages.len();
        assert!((80..=84).contains(&mean), "{mean}");
    }

    #[test]
    fn lines_keep_every_value() {
        let lines = json_lines();
        assert_eq!(lines.lines().count(), COUNT);
        for (line, message) in lines.lines().zip(messages()) {
            assert_eq!(serde_json::from_str::<Value>(line).unwrap(), message.json());
        }
    }

    #[test]
    fn all_cases_and_the_longest_lists_occur() {
        let lines = json_lines();
        for wanted in ["{\"A\":{\"a1\":[]", "{\"B\":{\"b1\":true", "{\"A\":-", "{\"B\":\"\"}", "{\"C\":-", "\"D\"", "{\"C\":9"] {
            assert!(lines.contains(wanted), "{wanted}");
        }
        let longest = |message: &Message| matches!(message, Message::A { a1, a2 } if a1.len() == 9 && a2.len() == 9);
        assert!(messages().iter().any(longest));
    }
}
