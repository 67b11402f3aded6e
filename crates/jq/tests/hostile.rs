//! Filters that would use up stack, memory or the parser end with an error, and values of any depth
//! are given back.

use std::cell::Cell;

use polywire_core::ErrorKind;
use polywire_jq::{Alone, End, Filter, Memory, NATIVE, Raw, Results, Stopped, Val, thread};

thread_local! {
    static USED: Cell<i64> = const { Cell::new(0) };
}

/// Runs a filter on null, on a thread with a stack for filters.
fn run(text: &str, memory: Memory) -> Result<(End, usize), String> {
    thread(|| {
        let filter = Filter::compile(text, "hostile", &[]).map_err(|found| found.to_string())?;
        let mut count = 0;
        let end = filter.run(Val::Null, &[], &Alone, memory, &mut |_| {
            count += 1;
            Ok::<(), ()>(())
        });
        match end {
            Ok(end) => Ok((end, count)),
            Err(Stopped::Bound(error)) if error.kind() == ErrorKind::Limit => Err("bound".to_string()),
            Err(Stopped::Raised(raised)) => Err(raised.error().what()),
            Err(other) => panic!("{text}: {other:?}"),
        }
    })
    .unwrap()
}

#[test]
fn a_stack_that_is_used_up_is_an_error() {
    for text in ["def f: 1 + f; f", "def f: [f]; f", "def f: f | f; f", "def f(g): f(g | g) + 1; f(.)"] {
        assert_eq!(run(text, Memory { most: 1 << 30, ..Memory::default() }), Err("bound".into()), "{text}");
    }
    // The last step of a definition takes no stack.
    assert_eq!(run("def f: if . > 100000 then . else . + 1 | f end; 0 | f", Memory::default()), Ok((End::Done, 1)));
    assert_eq!(run("last(limit(100000; repeat(1)))", Memory::default()), Ok((End::Done, 1)));
}

#[test]
fn memory_is_bounded() {
    let memory = Memory { most: 16 << 20, ..Memory::default() };
    for text in ["[range(1e12)] | length", "[limit(1e9; repeat(1))]", "null | .[500000000] = 1", "reduce range(60) as $i ([1]; . + .)"] {
        assert_eq!(run(text, memory), Err("bound".into()), "{text}");
    }
    for text in ["\"x\" * 1e12", "reduce range(100) as $i (\"x\"; . + .)"] {
        assert!(run(text, memory).is_err_and(|error| error.contains("too long")), "{text}");
    }
    // The heap that the program counts is a bound as well.
    USED.set(0);
    let counted = Memory {
        most: 1000,
        used: Some(|| {
            USED.set(USED.get() + 1);
            USED.get()
        }),
        ..Memory::default()
    };
    assert_eq!(run("def f: if . > 100000 then . else . + 1 | f end; 0 | f", counted), Err("bound".into()));
}

#[test]
fn numbers_do_not_grow_without_end() {
    assert_eq!(run("reduce range(30) as $i (3; . * .) | . > 1e308", Memory::default()), Ok((End::Done, 1)));
}

#[test]
fn values_of_any_depth_are_compared_and_given_back() {
    let deep = "reduce range(300000) as $i (null; [.])";
    assert_eq!(run(&format!("{deep} | length"), Memory::default()), Ok((End::Done, 1)));
    assert_eq!(run(&format!("[{deep}, {deep}] | (.[0] == .[1]), (unique | length)"), Memory::default()), Ok((End::Done, 2)));
    assert_eq!(run("reduce range(300000) as $i (null; {a: .}) | .a | type", Memory::default()), Ok((End::Done, 1)));
    assert!(run(&format!("{deep} | tojson"), Memory::default()).is_err_and(|error| error.contains("2048 containers")));
}

#[test]
fn a_result_that_no_writer_holds_is_refused() {
    thread(|| {
        let filter = Filter::compile("reduce range(3000) as $i (null; [.])", "deep", &[]).unwrap();
        let mut results = Results::new(NATIVE, Raw::No, &Default::default()).unwrap();
        let end = filter.run(Val::Null, &[], &Alone, Memory::default(), &mut |value| results.add(&value));
        assert!(matches!(end, Err(Stopped::Receiver(error)) if error.kind() == ErrorKind::Limit));
        assert!(results.bytes().is_empty());
        // The writer is ready for the next one.
        results.add(&Val::from(1isize)).unwrap();
        assert_eq!(results.bytes(), b"1\n");
    })
    .unwrap();
}

#[test]
fn texts_of_filters_are_bounded() {
    for text in ["(".repeat(100_000), "[".repeat(600) + &"]".repeat(600), "-".repeat(10_000) + "1", "x".repeat(2 << 20)] {
        assert!(run(&text, Memory::default()).is_err(), "{} bytes", text.len());
    }
    let pipes = vec!["."; 5000].join("|");
    assert_eq!(run(&pipes, Memory::default()), Ok((End::Done, 1)));
}
