//! The body of the fuzz target `psyc_capi`: any bytes, cut anywhere, give through C what they give
//! in Rust, and views that lie in the buffer.

use std::ffi::{c_char, c_int, c_void};

use polywire_psyc::list::{Element, Limits};
use polywire_psyc::text::Text;
use polywire_psyc::uniform::Uniform;
use polywire_psyc::wire::parse::{self, ParseState};
use polywire_psyc::{dict, index, keyword, list, number, update};

use super::{Delivered, Kind, Parser, PsycString, PsycTextState, PsycUniform};

/// Returns the first bytes say what is parsed and how it is cut; the rest is parsed.
pub fn differential(data: &[u8]) {
    let [what, piece, bytes @ ..] = data else { return };
    let piece = usize::from(*piece);
    match what % 9 {
        flags @ 0..3 => parsers(Kind::Packet(flags), bytes, piece),
        3 => parsers(Kind::List, bytes, piece),
        4 => parsers(Kind::Dict, bytes, piece),
        5 => parsers(Kind::Index, bytes, piece),
        6 => parsers(Kind::Update, bytes, piece),
        7 => names(bytes, piece),
        _ => text(bytes, piece),
    }
}

/// The parsers of the Rust interface behind one face.
enum Native {
    Packet(ParseState),
    List(list::ListState),
    Dict(dict::DictState),
    Index(index::IndexState),
    Update(update::UpdateState),
}

impl Native {
    fn new(kind: Kind) -> Native {
        match kind {
            Kind::Packet(flags) => Native::Packet(ParseState::new(flags)),
            Kind::List => Native::List(list::ListState::default()),
            Kind::Dict => Native::Dict(dict::DictState::default()),
            Kind::Index => Native::Index(index::IndexState::default()),
            Kind::Update => Native::Update(update::UpdateState::default()),
        }
    }

    fn cursor(&mut self) -> &mut usize {
        match self {
            Native::Packet(state) => &mut state.cursor,
            Native::List(state) => &mut state.cursor,
            Native::Dict(state) | Native::Index(state) | Native::Update(state) => &mut state.cursor,
        }
    }

    fn next<'b>(&mut self, buf: &'b [u8]) -> Delivered<'b> {
        match self {
            Native::Packet(state) => parse::step(state, buf).map_or_else(|code| failed(code.number()), packet),
            Native::List(state) => list::step(state, buf, true, &Limits::NONE).map_or_else(|fault| failed(fault.number), list),
            Native::Dict(state) => dict::step(state, buf, true, &Limits::NONE).map_or_else(|fault| failed(fault.number), dict),
            Native::Index(state) => index::step(state, buf, true, &Limits::NONE).map_or_else(|fault| failed(fault.number), index),
            Native::Update(state) => update::step(state, buf, true, &Limits::NONE).map_or_else(|fault| failed(fault.number), update),
        }
    }
}

fn failed<'b>(code: c_int) -> Delivered<'b> {
    Delivered { code, ..Delivered::default() }
}

fn packet(step: parse::Step<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        parse::Step::More | parse::Step::Complete => came,
        parse::Step::State(state) => Delivered { oper: Some(state.byte()), ..came },
        parse::Step::Routing(line) | parse::Step::EntityStart(line) | parse::Step::Entity(line) => {
            Delivered { oper: Some(line.operator.byte()), name: Some(line.name), value: Some(line.value), ..came }
        }
        parse::Step::EntityPart(value) | parse::Step::EntityEnd(value) | parse::Step::BodyPart(value) | parse::Step::BodyEnd(value) => {
            Delivered { value: Some(value), ..came }
        }
        parse::Step::BodyStart(method, value) | parse::Step::Body(method, value) => {
            Delivered { name: (!method.is_empty()).then_some(method), value: Some(value), ..came }
        }
    }
}

fn element<'b>(came: Delivered<'b>, element: Element<'b>) -> Delivered<'b> {
    Delivered { name: (!element.kind.is_empty()).then_some(element.kind), value: Some(element.value), ..came }
}

fn default<'b>(came: Delivered<'b>, kind: &'b [u8]) -> Delivered<'b> {
    Delivered { name: (!kind.is_empty()).then_some(kind), ..came }
}

fn list(step: list::Step<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        list::Step::More => came,
        list::Step::Default(kind) | list::Step::End(kind) => default(came, kind),
        list::Step::Start(value) | list::Step::Element(value) | list::Step::Last(value) => element(came, value),
        list::Step::Part(part) | list::Step::PartEnd(part) => Delivered { value: Some(part), ..came },
    }
}

fn dict(step: dict::Step<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        dict::Step::More => came,
        dict::Step::Default(kind) | dict::Step::End(kind) => default(came, kind),
        dict::Step::ValueStart(value) | dict::Step::Value(value) | dict::Step::Last(value) => element(came, value),
        dict::Step::KeyStart(part) | dict::Step::KeyPart(part) | dict::Step::KeyEnd(part) | dict::Step::Key(part) => {
            Delivered { value: Some(part), ..came }
        }
        dict::Step::ValuePart(part) | dict::Step::ValueEnd(part) => Delivered { value: Some(part), ..came },
    }
}

fn index(step: index::Step<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        index::Step::More | index::Step::End => came,
        index::Step::List(number) | index::Step::ListLast(number) => Delivered { number: Some(number), ..came },
        index::Step::Member(name) | index::Step::MemberLast(name) => Delivered { value: Some(name), ..came },
        index::Step::KeyStart(key) | index::Step::KeyPart(key) | index::Step::KeyEnd(key) | index::Step::Key(key) => {
            Delivered { value: Some(key), ..came }
        }
    }
}

fn update(step: update::Step<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        update::Step::More | update::Step::End(None) => came,
        update::Step::Index(step) => index(step),
        update::Step::Type(operator, kind) | update::Step::TypeEnd(operator, kind) => {
            Delivered { oper: Some(operator.byte()), value: Some(kind), ..came }
        }
        update::Step::End(Some(operator)) => Delivered { oper: Some(operator.byte()), ..came },
        update::Step::ValueStart(part) | update::Step::ValuePart(part) | update::Step::ValueEnd(part) | update::Step::Value(part) => {
            Delivered { value: Some(part), ..came }
        }
    }
}

/// Returns both parsers, side by side. Each buffer is a block of its own, so that a sanitizer sees
/// what looks beyond it.
fn parsers(kind: Kind, bytes: &[u8], piece: usize) {
    let piece = if piece == 0 { bytes.len() } else { piece };
    let (mut ours, mut native) = (Parser::new(kind), Native::new(kind));
    let (mut start, mut end) = (0, piece.min(bytes.len()));
    let mut buffer = Box::<[u8]>::from(&bytes[start..end]);
    // Every item takes a byte or ends a buffer, but for those that come once in a packet.
    for _ in 0..8 * bytes.len() + 16 {
        let (came, expected) = (ours.next(&buffer), native.next(&buffer));
        assert_eq!(came, expected, "{kind:?}");
        assert_eq!(ours.cursor(), *native.cursor(), "{kind:?} {came:?}");
        if came.code < 0 {
            assert_eq!(ours.next(&buffer), native.next(&buffer), "the same for good");
            return;
        }
        assert!(ours.cursor() <= buffer.len());
        if came.code == 1 || ours.cursor() == buffer.len() {
            if end == bytes.len() {
                if came.code == 1 {
                    return;
                }
                continue;
            }
            start += ours.cursor();
            ours.drop_read();
            *native.cursor() = 0;
            end = (end + piece).min(bytes.len());
            buffer = Box::from(&bytes[start..end]);
        }
    }
}

/// Names, numbers and addresses.
fn names(bytes: &[u8], at: usize) {
    let (data, len) = (bytes.as_ptr(), bytes.len());
    let (short, long) = bytes.split_at(at.min(len));
    unsafe {
        let (mut signed, mut unsigned) = (0, 0);
        assert_eq!(super::psyc_inherits(data, short.len(), long.as_ptr(), long.len()), keyword::inherits(short, long).number());
        assert_eq!(super::psyc_matches(data, short.len(), long.as_ptr(), long.len()), keyword::matches(short, long).number());
        assert_eq!(super::psyc_parse_int(data, len, &mut signed), number::signed(bytes).read);
        assert_eq!(signed, number::signed(bytes).value);
        assert_eq!(super::psyc_parse_uint(data, len, &mut unsigned), number::unsigned(bytes).read);
        assert_eq!(unsigned, number::unsigned(bytes).value);
        assert_eq!(super::psyc_parse_list_index(data, len, &mut signed), number::list_index(bytes).read);
        assert_eq!(super::psyc_parse_keyword(data, len), polywire_psyc::wire::keyword_len(bytes));

        let mut uniform = PsycUniform { valid: 7, scheme_number: 7, parts: [PsycString::EMPTY; 19] };
        let code = super::psyc_uniform_parse(&mut uniform, data, len);
        match Uniform::parse(bytes) {
            Ok(expected) => {
                assert_eq!((code, uniform.valid), (0, 1));
                assert_eq!((uniform.parts[9].bytes(), uniform.parts[4 - 1].bytes()), (expected.full(), expected.host()));
                assert_eq!((uniform.parts[14].bytes(), uniform.parts[18].bytes()), (expected.entity(), expected.nick()));
            }
            Err(fault) => assert_eq!((code, uniform.valid), (fault.code.number(), 0)),
        }
    }
}

/// Values of every third name: the name itself.
extern "C" fn value_of(_: *mut c_void, name: *const c_char, length: usize, value: *mut PsycString) -> c_int {
    if length.is_multiple_of(3) {
        return -1;
    }
    unsafe { *value = PsycString { length, data: name } };
    0
}

/// Returns a template in buffers of `room` bytes.
fn text(bytes: &[u8], room: usize) {
    let mut native = Text::new(bytes);
    let (mut out, mut expected) = (vec![0; room], vec![0; room]);
    let mut state = PsycTextState {
        cursor: 0,
        written: 0,
        tmpl: PsycString::EMPTY,
        buffer: PsycString::EMPTY,
        open: PsycString::EMPTY,
        close: PsycString::EMPTY,
    };
    unsafe {
        super::psyc_text_state_init_custom(
            &mut state,
            bytes.as_ptr(),
            bytes.len(),
            out.as_mut_ptr(),
            room,
            b"[".as_ptr(),
            1,
            b"]".as_ptr(),
            1,
        );
        loop {
            let code = super::psyc_text(&mut state, value_of, std::ptr::null_mut());
            let filled = native.fill(&mut expected, |name| (!name.len().is_multiple_of(3)).then_some(name));
            assert_eq!((code, state.written), (filled.status.number(), filled.written));
            assert_eq!(out[..filled.written], expected[..filled.written]);
            // A piece that is longer than every buffer never fits.
            if code != 1 || filled.written == 0 {
                return;
            }
            super::psyc_text_buffer_set(&mut state, out.as_mut_ptr(), room);
        }
    }
}
