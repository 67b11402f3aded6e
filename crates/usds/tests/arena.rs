//! A document in memory: built, changed, read, and filled again without allocating.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use polywire_usds::dictionary::Dictionary;
use polywire_usds::dom::{Arena, RowMut, Value};
use polywire_usds::error::Problem;
use polywire_usds::events::{Encoder, Scalar};
use polywire_usds::plan::Plan;

/// Counts allocations of this thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TICKETS: &str = "USDS DICTIONARY ID=888 v.1.0 {
    1: STRUCT I { 1: UNSIGNED VARINT n; 2: DOUBLE s; 3: STRING<UTF-8> g; 4: LONG t; 5: BOOLEAN b; } RESTRICT { root = false; }
    2: STRUCT S { 1: UNSIGNED VARINT n; 2: INT m; 3: LONG s; 4: LONG e; 5: ARRAY<I> v; }
}";

fn plan(text: &str) -> Arc<Plan> {
    Arc::new(Plan::new(Arc::new(Dictionary::parse("test", text.as_bytes()).unwrap_or_else(|found| panic!("{found}")))))
}

/// Fills an arena with sales of `vouchers`, and appends the body to `out`.
fn sell(arena: &mut Arena, vouchers: u64, goods: &[String], out: &mut Vec<u8>) {
    let slots = |tag: &str, names: [&str; 5]| names.map(|name| arena.plan().slot(tag, name).expect("a field"));
    let [n, m, s, e, v] = slots("S", ["n", "m", "s", "e", "v"]);
    let [vn, vs, vg, vt, vb] = slots("I", ["n", "s", "g", "t", "b"]);
    let mut document = arena.start();
    let mut sales = document.add_structure(2).expect("a root");
    sales.set(n, Scalar::UInt(1234)).expect("it fits");
    sales.set(m, Scalar::Int(9_992_828)).expect("it fits");
    sales.set(s, Scalar::Int(8_887_776)).expect("it fits");
    sales.set(e, Scalar::Int(8_889_999)).expect("it fits");
    let mut list = sales.array(v).expect("an array");
    for i in 0..vouchers {
        let mut voucher = list.push_structure().expect("a structure");
        voucher.set(vn, Scalar::UInt(i)).expect("it fits");
        voucher.set(vs, Scalar::F64(i as f64)).expect("it fits");
        voucher.set(vg, Scalar::Text(&goods[i as usize])).expect("it fits");
        voucher.set(vt, Scalar::Int(i as i64)).expect("it fits");
        voucher.set(vb, Scalar::Bool(i % 2 == 0)).expect("it fits");
    }
    document.encode(out).expect("all is set");
}

/// The same by rows.
fn sell_rows(arena: &mut Arena, vouchers: u64, goods: &[String], out: &mut Vec<u8>) {
    let mut document = arena.start();
    let mut sales = document.add_structure(2).expect("a root");
    let head = |row: &mut RowMut<'_>| {
        row.uint(1234)?;
        row.int(9_992_828)?;
        row.int(8_887_776)?;
        row.int(8_889_999)
    };
    sales.row(head).expect("they fit");
    let sold = sales.rows(9, goods[..vouchers as usize].iter().enumerate(), |row, (i, goods)| {
        row.uint(i as u64)?;
        row.f64(i as f64)?;
        row.text(goods)?;
        row.int(i as i64)?;
        row.bool(i % 2 == 0)
    });
    sold.expect("they fit");
    document.encode(out).expect("all is set");
}

#[test]
fn rows_of_a_second_document_allocate_nothing() {
    let plan = plan(TICKETS);
    let goods: Vec<String> = (0..1000).map(|i| format!("Goods ID is {i}")).collect();
    for vouchers in [2, 1000] {
        let (mut arena, mut out, mut plain) = (Arena::new(Arc::clone(&plan)), Vec::new(), Vec::new());
        sell(&mut arena, vouchers, &goods, &mut plain);
        sell_rows(&mut arena, vouchers, &goods, &mut out);
        assert_eq!(out, plain);
        let before = ALLOCATIONS.get();
        out.clear();
        sell_rows(&mut arena, vouchers, &goods, &mut out);
        let (_, root) = arena.decode(&plain[1..]).expect("it was written").into_root(0).expect("a root");
        let list = root.structure().and_then(|sales| sales.array(9)).expect("an array");
        for (mut row, goods) in list.rows().expect("rows of scalars").zip(&goods) {
            assert!(row.uint().is_some() && row.f64().is_some());
            assert_eq!(row.text(), Some(goods.as_str()));
            assert_eq!(
                (row.bool(), row.bool()),
                (None, Some(goods.ends_with(['0', '2', '4', '6', '8']))),
                "a field of another type is passed"
            );
        }
        assert_eq!(ALLOCATIONS.get(), before, "built, encoded, decoded and read");
        assert_eq!(out, plain);
    }
}

#[test]
fn rows_that_fail_leave_nothing() {
    let plan = plan(TICKETS);
    let mut arena = Arena::new(Arc::clone(&plan));
    let mut document = arena.start();
    let mut sales = document.add_structure(2).expect("a root");
    let mut list = sales.array(9).expect("an array");
    assert_eq!(list.push_row(|row| row.bool(true)).expect_err("a number comes first").problem(), Problem::Conversion);
    assert_eq!(list.push_row(|row| row.uint(1)).expect_err("fields are left out").problem(), Problem::Unset);
    assert_eq!(list.len(), 0);
    assert_eq!(sales.row(|row| (0..6).try_for_each(|_| row.uint(1))).expect_err("an array is no number").problem(), Problem::Conversion);

    let mut encoder = Encoder::new(&plan, Vec::new());
    encoder.root(2).expect("a root");
    assert_eq!(
        encoder.row(|row| row.uint(7).and_then(|()| row.text("no number"))).expect_err("an INT comes").problem(),
        Problem::Conversion
    );
    let fits = encoder.row(|row| {
        row.uint(7)?;
        row.int(-1)?;
        row.int(2)
    });
    fits.expect("as if nothing had been");
    encoder.int(3).expect("the last number");
    assert_eq!(encoder.rows([1, 2], |row, n| row.uint(n)).expect_err("fields are left out").problem(), Problem::Unset);
    let told = encoder.rows([1, 2], |row, n| {
        row.uint(n)?;
        row.f64(0.5)?;
        row.text("x")?;
        row.int(-2)?;
        row.bool(n == 1)
    });
    told.expect("they fit");
    let body = encoder.finish().expect("all is told");
    let mut plain = Encoder::new(&plan, Vec::new());
    let told = plain.root(2).and_then(|()| plain.uint(7)).and_then(|()| [-1, 2, 3].into_iter().try_for_each(|n| plain.int(n)));
    let told = told.and_then(|()| plain.array(2)).and_then(|()| {
        [1, 2].into_iter().try_for_each(|n| {
            plain.uint(n)?;
            plain.f64(0.5)?;
            plain.text("x")?;
            plain.int(-2)?;
            plain.bool(n == 1)
        })
    });
    told.expect("they fit");
    assert_eq!(body, plain.finish().expect("all is told"));
}

#[test]
fn a_second_document_allocates_nothing() {
    let plan = plan(TICKETS);
    let goods: Vec<String> = (0..1000).map(|i| format!("Goods ID is {i}")).collect();
    for (vouchers, size) in [(2, 89), (1000, 34_788)] {
        let mut arena = Arena::new(Arc::clone(&plan));
        let mut out = Vec::new();
        sell(&mut arena, vouchers, &goods, &mut out);
        assert_eq!(out.len(), size);
        let first = out.clone();
        let before = ALLOCATIONS.get();
        out.clear();
        sell(&mut arena, vouchers, &goods, &mut out);
        assert_eq!(ALLOCATIONS.get(), before, "built and encoded");
        assert_eq!(out, first);

        assert_eq!(arena.decode(&first[1..]).expect("it was written").len(), 1);
        let before = ALLOCATIONS.get();
        let document = arena.decode(&first[1..]).expect("it was written");
        let slot = plan.slot("I", "g").expect("a field");
        let (_, sales) = document.root(0).expect("a root");
        let list = sales.structure().and_then(|sales| sales.by_id(5)).and_then(Value::array).expect("an array");
        for (voucher, goods) in list.structures().zip(&goods) {
            assert_eq!(voucher.text(slot), Some(goods.as_str()));
        }
        assert_eq!(list.len() as u64, vouchers);
        assert_eq!(ALLOCATIONS.get(), before, "decoded and read");
    }
}

#[test]
fn values_are_found_and_changed() {
    let plan = plan(
        "USDS N { N { INT a; STRING<UTF-8> s = \"x\"; ENUM e { one, two } = two; N next = NULL; LONG[][] l; <N || M> p = NULL; }; M { BYTE b; }; }",
    );
    let slot = |tag: &str, name: &str| plan.slot(tag, name).expect("a field");
    let mut arena = Arena::new(Arc::clone(&plan));
    let mut document = arena.start();
    let mut node = document.add_structure(1).expect("a root");
    node.set(slot("N", "a"), Scalar::UInt(7)).expect("an unsigned number fits");
    assert_eq!(node.set(slot("N", "a"), Scalar::Int(1 << 40)).expect_err("too big").problem(), Problem::Range);
    assert_eq!(node.set(slot("M", "b"), Scalar::Int(1)).expect_err("of another structure").problem(), Problem::NotFound);
    assert_eq!(node.set_null(slot("N", "a")).expect_err("it has to be there").problem(), Problem::NotNullable);
    let mut member = node.member(slot("N", "p"), 2).expect("a member");
    member.set(slot("M", "b"), Scalar::Int(-1)).expect("it fits");
    let mut lists = node.array(slot("N", "l")).expect("an array");
    for n in 0..9 {
        let mut list = lists.push_array().expect("an array");
        for m in 0..n {
            list.push(Scalar::Int(m)).expect("a number");
        }
    }
    let mut next = node.structure(slot("N", "next")).expect("a structure");
    next.set(slot("N", "a"), Scalar::Int(8)).expect("it fits");
    let mut out = Vec::new();
    let failure = document.encode(&mut out).expect_err("a list is not set");
    assert_eq!((failure.code(), failure.path().to_string()), (Some(14004), "N.next.l".into()));

    let mut node = document.structure_mut(0).expect("a structure");
    node.structure(slot("N", "next")).and_then(|mut next| next.array(slot("N", "l")).map(|_| ())).expect("an empty array");
    out.clear();
    document.encode(&mut out).expect("all is set");
    let bytes = out.clone();
    let mut again = arena.decode(&bytes[1..]).expect("it was written");
    {
        let node = again.first("N").and_then(Value::structure).expect("a structure");
        assert_eq!(node.by_name("s").and_then(Value::scalar), Some(Scalar::Text("x")));
        assert_eq!(node.by_name("e").and_then(Value::scalar), Some(Scalar::Enumerator { enumeration: 0, position: 1, number: 2 }));
        let lists = node.array(slot("N", "l")).expect("an array");
        let sums: Vec<usize> = lists.iter().map(|list| list.array().map_or(0, |list| list.len())).collect();
        assert_eq!(sums, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let next = node.structure(slot("N", "next")).expect("a structure");
        assert!(next.is_null(slot("N", "next")) && next.int(slot("N", "a")) == Some(8));
        assert!(matches!(node.by_name("p"), Some(Value::Member { tag: 2, .. })));
    }
    // Decoded documents are changed like built ones.
    let mut node = again.structure_mut(0).expect("a structure");
    node.set(slot("N", "s"), Scalar::Text("a longer text than any that the input has")).expect("text");
    node.set_null(slot("N", "next")).expect("it may be null");
    node.array(slot("N", "l")).expect("an array").clear();
    let mut changed = Vec::new();
    again.encode(&mut changed).expect("all is set");
    let last = arena.decode(&changed[1..]).expect("it was written");
    let node = last.first("N").and_then(Value::structure).expect("a structure");
    assert_eq!(node.text(slot("N", "s")), Some("a longer text than any that the input has"));
    assert!(node.is_null(slot("N", "next")) && node.array(slot("N", "l")).is_some_and(|list| list.is_empty()));
}
