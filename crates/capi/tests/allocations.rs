//! Nothing behind the C interface allocates: parsing, rendering, lists, texts, addresses.
#![allow(clippy::undocumented_unsafe_blocks)] // As in `door`.

mod door;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};

use door::{Elems, Kind, Parser, PsycElem, PsycModifier, PsycPacket, PsycString, PsycTextState, PsycUniform};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Counts what the thread asks for.
struct Counting;

// SAFETY: everything is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations `run` makes.
fn allocations(run: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    run();
    COUNT.with(Cell::get) - before
}

fn read(kind: Kind, bytes: &[u8], items: usize) {
    let count = allocations(|| {
        let mut parser = Parser::new(kind);
        for _ in 0..items {
            assert!(parser.next(bytes).code > 0);
        }
    });
    assert_eq!(count, 0, "{kind:?}");
}

extern "C" fn value_of(_: *mut c_void, name: *const c_char, length: usize, value: *mut PsycString) -> c_int {
    unsafe { *value = PsycString { length, data: name } };
    0
}

#[test]
fn nothing_allocates() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1, "allocations are counted");

    let packet = b":_source\tpsyc://h/~ann\n51\n:_topic\tweather\n=_text 12\tfine weather\n_message\nok\n|\n";
    read(Kind::Packet(0), packet, 5);
    read(Kind::Packet(door::ROUTING_ONLY), packet, 3);
    read(Kind::List, b"_t|3 a|b|=_x:10 0123456789|=_y", 4);
    read(Kind::Dict, b"{2 a}}2 1{{2 ab}=_n x", 4);
    read(Kind::Index, b"#1{foo}._bar", 3);
    read(Kind::Update, b"#1{foo}._bar =_t:3 abc", 5);

    let count = allocations(|| unsafe {
        let mut m = PsycModifier { name: PsycString::EMPTY, value: PsycString::EMPTY, flag: 0, oper: 0 };
        door::psyc_modifier_init(&mut m, c_int::from(b'='), b"_text".as_ptr(), 5, b"fine weather".as_ptr(), 12, 0);
        let mut p = std::mem::zeroed::<PsycPacket>();
        door::psyc_packet_init(&mut p, std::ptr::null_mut(), 0, &mut m, 1, b"_m".as_ptr(), 2, b"ok".as_ptr(), 2, 0, 0);
        let mut out = [0; 64];
        assert_eq!(door::psyc_render(&mut p, out.as_mut_ptr(), out.len()), 0);
        assert_eq!(&out[..p.length], b"29\n=_text 12\tfine weather\n_m\nok\n|\n");

        let mut elems = [PsycElem { kind: PsycString::EMPTY, value: PsycString::new(b"a|b"), length: 0, flag: 0 }; 3];
        let mut list = Elems::new();
        door::psyc_list_init(&mut list, elems.as_mut_ptr(), 3);
        assert_eq!(door::psyc_render_list(&mut list, out.as_mut_ptr(), out.len()), 0);
        assert_eq!(&out[..list.length], b"|3 a|b|3 a|b|3 a|b");

        let mut state = std::mem::zeroed::<PsycTextState>();
        let template = b"<[_a]>";
        door::psyc_text_state_init_custom(&mut state, template.as_ptr(), 6, out.as_mut_ptr(), 64, b"[".as_ptr(), 1, b"]".as_ptr(), 1);
        assert_eq!(door::psyc_text(&mut state, value_of, std::ptr::null_mut()), 0);
        assert_eq!(&out[..state.written], b"<_a>");

        let mut uniform = std::mem::zeroed::<PsycUniform>();
        assert_eq!(door::psyc_uniform_parse(&mut uniform, b"psyc://h/@room".as_ptr(), 14), 0);
        assert_eq!(door::psyc_method(b"_notice_x".as_ptr(), 9, std::ptr::null_mut(), std::ptr::null_mut()), 14);
    });
    assert_eq!(count, 0);
}
