//! Bytes that claim more than they hold, nest, and never end: refused in time and memory bounded by
//! the input.

use std::sync::Arc;

use polywire_core::tools::Count;
use polywire_core::{Budget, ErrorKind, Limits, Reader, Result};
use polywire_extprot::error::{Cause, Size, SizeLimits};
use polywire_extprot::plain::PlainReader;
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::validate::validate;
use polywire_extprot::walk::ExtprotReader;
use polywire_extprot::wire::vint;

fn plan(text: &str) -> Arc<Plan> {
    let protocol = compile("hostile", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    Arc::new(Plan::new(&protocol, Some("m")).expect("the message is there"))
}

/// Result of the validator, which the reader must share.
fn refused(plan: &Arc<Plan>, bytes: &[u8]) -> Cause {
    let failure = validate(plan, bytes, &SizeLimits::NONE).expect_err("the bytes are broken");
    let walked = ExtprotReader::new(Arc::clone(plan)).walk(bytes, 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT));
    let error = walked.expect_err("the bytes are broken");
    assert_eq!(error.offset(), Some(failure.at as u64), "{error}");
    failure.cause
}

fn plain(bytes: &[u8]) -> Result<Count> {
    let mut count = Count::default();
    PlainReader::default().walk(bytes, 0, &mut count, &mut Budget::new(&Limits::DEFAULT))?;
    Ok(count)
}

/// A composite of type `code` around `inside`, with a count of its own.
fn composite(code: u8, count: u64, inside: &[u8]) -> Vec<u8> {
    let mut counted = Vec::new();
    vint::write(&mut counted, count);
    counted.extend_from_slice(inside);
    let mut bytes = vec![code];
    vint::write(&mut bytes, counted.len() as u64);
    bytes.extend(counted);
    bytes
}

#[test]
fn counts_beyond_all_bytes_end_with_the_bytes() {
    let lists = plan("message m = { l : [ [ bool ] ]; b : [| byte |]; n : [ int ] }");
    for count in [1, 1 << 10, 1 << 60, u64::MAX] {
        assert_eq!(refused(&lists, &composite(1, 1, &composite(5, count, &[]))), Cause::UnexpectedEnd);
        let bytes = composite(1, 2, &[composite(5, 0, &[]), composite(5, count.saturating_add(1), &[2, 7])].concat());
        assert_eq!(refused(&lists, &bytes), Cause::UnexpectedEnd);
        assert_eq!(plain(&composite(5, count, &[])).unwrap_err().kind(), ErrorKind::Truncated);
        assert_eq!(plain(&composite(7, count, &[0, 2])).unwrap_err().kind(), ErrorKind::Truncated);
    }
    // Values of a sum of primitives are judged as a whole.
    let sums = plan("type s 'a = A | B 'a message m = { l : [ s<int> ]; after : string }");
    for count in [3, 1 << 60, u64::MAX] {
        let bytes = composite(1, 2, &[composite(5, count, &[0x0a, 0x0a]), vec![3, 1, b'x']].concat());
        assert_eq!(refused(&sums, &bytes), Cause::UnexpectedEnd);
    }
    // Where the surplus is skipped, it does no harm.
    let surplus = composite(1, 1 << 60, &[0, 2]);
    assert_eq!(validate(&plan("message m = { v : int }"), &surplus, &SizeLimits::NONE), Ok(surplus.len()));
    let few = SizeLimits { elements: 4, ..SizeLimits::NONE };
    let failure = validate(&lists, &composite(1, 1, &composite(5, 1 << 60, &[])), &few).expect_err("too many");
    assert_eq!(failure.cause, Cause::LimitExceeded(Size::Elements, 1 << 60));
}

#[test]
fn lengths_stay_in_the_composite_around_them() {
    let pairs = plan("message m = { p : (string * string); q : string }");
    let good = composite(1, 2, &[composite(1, 2, &[3, 1, b'a', 3, 1, b'b']), vec![3, 1, b'c']].concat());
    assert_eq!(validate(&pairs, &good, &SizeLimits::NONE), Ok(good.len()));
    // The second string takes bytes of the next field, then bytes after the message.
    for length in [2, 4, 5, 0x7f] {
        let mut bytes = good.clone();
        bytes[10] = length;
        bytes.extend([0; 200]);
        assert_eq!(refused(&pairs, &bytes), Cause::UnexpectedEnd, "{length}");
    }
    for at in [1, 4] {
        for length in [0, 1, 2, 0x7f] {
            let mut bytes = good.clone();
            bytes[at] = length;
            let _ = refused(&pairs, &bytes);
        }
    }
    let huge = [&[1][..], &[0xff; 9], &[1, 1, 0, 2]].concat();
    assert_eq!(refused(&pairs, &huge), Cause::UnexpectedEnd);
    assert_eq!(plain(&huge).unwrap_err().kind(), ErrorKind::Truncated);
}

#[test]
fn vints_come_in_every_form() {
    let number = plan("message m = { v : int }");
    let long = |groups: usize, last: u8| [vec![0x82], vec![0x80; groups], vec![last]].concat();
    for groups in [0, 1, 7, 8, 9, 10, 1000, 1_000_000] {
        // Prefix, length, count and number, each as long as can be.
        let tail =
            [[vec![0x81], vec![0x80; groups], vec![0]].concat(), [vec![0x80], vec![0x80; groups], vec![0]].concat(), long(groups, 0)]
                .concat();
        let mut bytes = [vec![0x81], vec![0x80; groups], vec![0]].concat();
        vint::write(&mut bytes, tail.len() as u64);
        bytes.extend(&tail);
        assert_eq!(validate(&number, &bytes, &SizeLimits::NONE), Ok(bytes.len()), "{groups}");
        assert_eq!(plain(&bytes).map(|count| count.scalars).ok(), Some(1));
    }
    for groups in [9, 10, 1000] {
        let bytes = composite(1, 1, &[vec![0], long(groups, 1)].concat());
        assert_eq!(refused(&number, &bytes), Cause::VintOverflow, "{groups}");
        assert_eq!(plain(&bytes).unwrap_err().kind(), ErrorKind::Range);
    }
    let largest = composite(1, 1, &[&[0][..], &[0xff; 9], &[1]].concat());
    assert_eq!(validate(&number, &largest, &SizeLimits::NONE), Ok(largest.len()));
}

/// A million composites within each other, whose lengths are right.
fn deep(code: u8) -> Vec<u8> {
    let mut reversed = vec![0];
    let mut head = Vec::new();
    for _ in 0..1_000_000 {
        head.clear();
        head.push(code);
        vint::write(&mut head, reversed.len() as u64);
        // The innermost has no elements; its zero is the count.
        if reversed.len() > 1 {
            head.clear();
            head.push(code);
            vint::write(&mut head, reversed.len() as u64 + 1);
            head.push(1);
        }
        head.reverse();
        reversed.extend_from_slice(&head);
    }
    reversed.reverse();
    reversed
}

#[test]
fn a_million_levels_are_refused_or_stepped_over() {
    let number = plan("message m = { v : int }");
    for code in [1, 5, 7, 0x11, 0x15] {
        let bytes = deep(code);
        let error = plain(&bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        // As something that the protocol does not know, it is one step.
        let around = composite(1, 2, &[&[0, 2], bytes.as_slice()].concat());
        assert_eq!(validate(&number, &around, &SizeLimits::NONE), Ok(around.len()));
        // A bare number may be the first element of a tuple, one level deep.
        let _ = refused(&number, &composite(1, 1, &bytes));
    }
}

#[test]
fn types_that_are_exponential_when_written_out_cost_what_they_hold() {
    let mut text = String::from("type t0 = (bool * bool)\n");
    for n in 1..60 {
        text.push_str(&format!("type t{n} = (t{} * t{})\n", n - 1, n - 1));
    }
    text.push_str("message m = { a : int; b : t59 }");
    let large = plan(&text);
    let bytes = composite(1, 1, &[0, 2]);
    assert_eq!(validate(&large, &bytes, &SizeLimits::NONE), Ok(bytes.len()));
    let limits = Limits::DEFAULT.with_items(100_000);
    let walked = ExtprotReader::new(large).walk(&bytes, 0, &mut Count::default(), &mut Budget::new(&limits));
    assert_eq!(walked.unwrap_err().kind(), ErrorKind::Limit);
}
