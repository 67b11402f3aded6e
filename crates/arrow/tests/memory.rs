//! Batches take the memory of one batch beside the buffer of the input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use polywire_arrow::{Batches, Options, Plan, Rest};
use polywire_core::schema::{Constraint, FieldType, NamedType, Record, Schema, Type, Width};
use polywire_formats::registry::find;

/// Counts the bytes that this thread holds, and the most.
struct Counting;

thread_local! {
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

fn count(bytes: i64) {
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn batches_take_the_memory_of_one() {
    let fields = vec![
        FieldType::required("id", Type::Int(Width::W64)),
        FieldType::required("name", Type::Text(Constraint::default())),
        FieldType::required("price", Type::F64),
        FieldType::required("note", Type::Text(Constraint::default())).optional(),
    ];
    let record = Record { fields, ..Record::default() };
    let named = NamedType { name: "Order".into(), doc: String::new(), ty: Type::Record(record) };
    let schema = Schema { types: vec![named], root: Some("Order".into()) };
    let plan = Arc::new(Plan::new(&schema, &Options::default().with_rest(Rest::Drop).with_rows(32_768)).unwrap());
    let (mut lines, mut table) = (String::new(), "id,name,price,note\n".to_string());
    for id in 0..100_000 {
        let (name, price) = (format!("Björn Müller of {id}"), f64::from(id) + 0.25);
        let note = if id % 3 == 0 { "please ring twice, then leave the parcel with a neighbour" } else { "" };
        let member = if note.is_empty() { String::new() } else { format!(",\"note\":\"{note}\"") };
        writeln!(lines, "{{\"id\":{id},\"name\":\"{name}\",\"price\":{price:?}{member}}}").unwrap();
        writeln!(table, "{id},{name},{price:?},{}", note.replace(',', "")).unwrap();
    }
    for (format, input) in [("jsonl", &lines), ("csv", &table)] {
        let before = HELD.get().0;
        HELD.set((before, before));
        let (mut rows, mut longest) = (0, 0);
        for batch in Batches::new(input.as_bytes(), find(format).unwrap(), Arc::clone(&plan)) {
            let batch = batch.unwrap();
            rows += batch.num_rows();
            longest = longest.max(batch.get_array_memory_size() as i64);
        }
        let most = HELD.get().1 - before;
        assert_eq!(rows, 100_000);
        assert!(longest > 1_500_000, "{longest}");
        // The input has a buffer of at least 128 KiB, and columns are a bit longer than needed.
        assert!(most < longest + longest / 8 + 400_000, "{format}: {most} bytes, of which the longest batch has {longest}");
    }
}
