//! Decoding into a used arena, and encoding into a vector with capacity, allocate nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use polywire_extprot_runtime::{Arena, Decode, Encode, Limits, Validate};

mod fleet {
    include!(concat!(env!("OUT_DIR"), "/fleet.rs"));
}

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn reading_and_writing_again_allocates_nothing() {
    let vehicle = |id: i64| fleet::VehicleRef {
        id,
        plate: b"M-PW 7",
        state: fleet::StateRef::Broken(b"flat tyre"),
        fuel: 0.5,
        trace: polywire_extprot_runtime::Lazy::Decoded(&[(1.0, 2.0), (3.0, 4.0)]),
    };
    let vehicles: Vec<fleet::VehicleRef<'_>> = (0..100).map(vehicle).collect();
    let report = fleet::ReportRef::Fleet { vehicles: &vehicles };
    let mut arena = Arena::new();
    let bytes = report.to_bytes();
    let mut out = Vec::with_capacity(2 * bytes.len());
    let mut before = 0;
    for round in 0..50 {
        arena.reset();
        // After the first rounds, one block of the arena holds everything.
        if round == 2 {
            before = ALLOCATIONS.with(Cell::get);
        }
        let report = fleet::ReportRef::decode(&bytes, &arena).unwrap();
        out.clear();
        report.encode(&mut out);
        assert!(out == bytes);
        assert!(fleet::ReportRef::validate_limited(&bytes, &Limits::NONE) == Ok(bytes.len()));
    }
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
}
