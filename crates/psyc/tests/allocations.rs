//! The parsers allocate nothing, and neither does the walk after its first message.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use polywire_core::tools::Count;
use polywire_core::{Budget, Limits, Reader};
use polywire_psyc::batch::{End, Tape};
use polywire_psyc::compact::{Change, Layer, contract, expand};
use polywire_psyc::walk::PsycReader;
use polywire_psyc::wire::{PacketStep, Parser};
use polywire_psyc::{dict, index, list, update};

thread_local!(static MADE: Cell<u64> = const { Cell::new(0) });

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator with the arguments as they came; the count is a
// cell of the thread that needs no allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = MADE.try_with(|made| made.set(made.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above; `at` came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Allocations that a body makes.
fn made(body: impl FnOnce()) -> u64 {
    let before = MADE.get();
    body();
    MADE.get() - before
}

fn packets() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/packets");
    let files = std::fs::read_dir(folder).expect("the packets").flatten().map(|file| file.path());
    let packets: Vec<Vec<u8>> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "psyc"))
        .map(|path| std::fs::read(path).expect("a packet"))
        .collect();
    assert!(packets.len() >= 7, "the packets were not found");
    packets
}

#[test]
fn allocations_are_counted() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1u8; 100]))), 1);
}

#[test]
fn parsers_allocate_nothing() {
    for packet in packets() {
        for piece in [packet.len(), 7, 1] {
            let count = made(|| {
                let mut parser = Parser::default();
                let (mut start, mut end) = (0, piece);
                loop {
                    match parser.next(&packet[start..end]) {
                        Ok(PacketStep::Complete) => break,
                        Ok(PacketStep::More) => {
                            start += parser.cursor();
                            parser.drop_read();
                            end = packet.len().min(end + piece);
                        }
                        Ok(_) => {}
                        Err(fault) => panic!("{fault:?}"),
                    }
                }
            });
            assert_eq!(count, 0, "pieces of {piece}");
        }
    }
    let count = made(|| {
        let mut list = list::List::new(b"_color| red|=_nick:4 blue|5 green| x");
        while !matches!(list.step(), Ok(list::ListStep::Last(_))) {}
        let mut dict = dict::Dict::new(b"_uniform{2 a}}=_nick bob{c}7 x{y|z}w");
        while !matches!(dict.step(), Ok(dict::DictStep::End(_))) {}
        let mut index = index::Index::new(b"#1{foo}{3 bar}._x");
        while !matches!(index.step(), Ok(index::IndexStep::MemberLast(_))) {}
        let mut update = update::Update::new(b"._name{k} =_nick:3 bob");
        while !matches!(update.step(), Ok(update::UpdateStep::Value(_))) {}
    });
    assert_eq!(count, 0);
}

#[test]
fn a_walk_allocates_nothing_after_its_first_message() {
    let mut messages = packets();
    messages.push(
        b"\n:_plain\t1\n:_a__20b\tan escaped name\n:raw\ta name that none has\n:_list_x\t|=_a__20b a|=_case b|=_dict:14 {k} v{3 l}m} w|||\n\
          :_x\t=_record _a__5f_b{k} 1\n:_v\t=_variant _case| 3| x\n_method__20escaped\n|\n"
            .to_vec(),
    );
    let mut reader = PsycReader::default();
    let mut read = |message: &[u8]| {
        let mut count = Count::default();
        let mut budget = Budget::new(&Limits::default());
        reader.walk(message, 0, &mut count, &mut budget).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(message)));
        assert!(count.scalars + count.containers > 0);
    };
    for message in &messages {
        read(message);
    }
    for message in &messages {
        assert_eq!(made(|| read(message)), 0, "{}", String::from_utf8_lossy(message));
    }
}

#[test]
fn a_tape_allocates_nothing_after_its_first_batches() {
    let packets = packets();
    let large: Vec<u8> = packets.iter().cycle().take(5000).flatten().copied().collect();
    let small = packets.concat();
    let mut tape = Tape::default();
    let count = tape.parse(&large).len();
    let allocations = made(|| {
        for bytes in [&large, &small, &large] {
            let batch = tape.parse(bytes);
            assert!(batch.end() == End::Complete && (batch.len() == count || batch.len() == packets.len()));
            let bytes: usize = batch
                .packets()
                .map(|packet| {
                    let lines = packet.routing().chain(packet.entity()).map(|line| line.name.len() + line.value.len()).sum::<usize>();
                    lines + packet.method().len() + packet.data().len()
                })
                .sum();
            assert!(bytes > 0);
        }
    });
    assert_eq!(allocations, 0);
}

#[test]
fn compact_names_are_made_without_an_allocation() {
    let count = made(|| {
        assert!(matches!(expand(Layer::Method, b"np_here"), Change::To(_)));
        assert!(matches!(contract(Layer::Routing, b"_context"), Change::To(_)));
    });
    assert_eq!(count, 0);
}
