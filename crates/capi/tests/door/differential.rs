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

fn packet(step: parse::PacketStep<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        parse::PacketStep::More | parse::PacketStep::Complete => came,
        parse::PacketStep::State(state) => Delivered { oper: Some(state.byte()), ..came },
        parse::PacketStep::Routing(line) | parse::PacketStep::EntityStart(line) | parse::PacketStep::Entity(line) => {
            Delivered { oper: Some(line.operator.byte()), name: Some(line.name), value: Some(line.value), ..came }
        }
        parse::PacketStep::EntityPart(value)
        | parse::PacketStep::EntityEnd(value)
        | parse::PacketStep::BodyPart(value)
        | parse::PacketStep::BodyEnd(value) => Delivered { value: Some(value), ..came },
        parse::PacketStep::BodyStart(method, value) | parse::PacketStep::Body(method, value) => {
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

fn list(step: list::ListStep<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        list::ListStep::More => came,
        list::ListStep::Default(kind) | list::ListStep::End(kind) => default(came, kind),
        list::ListStep::Start(value) | list::ListStep::Element(value) | list::ListStep::Last(value) => element(came, value),
        list::ListStep::Part(part) | list::ListStep::PartEnd(part) => Delivered { value: Some(part), ..came },
    }
}

fn dict(step: dict::DictStep<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        dict::DictStep::More => came,
        dict::DictStep::Default(kind) | dict::DictStep::End(kind) => default(came, kind),
        dict::DictStep::ValueStart(value) | dict::DictStep::Value(value) | dict::DictStep::Last(value) => element(came, value),
        dict::DictStep::KeyStart(part) | dict::DictStep::KeyPart(part) | dict::DictStep::KeyEnd(part) | dict::DictStep::Key(part) => {
            Delivered { value: Some(part), ..came }
        }
        dict::DictStep::ValuePart(part) | dict::DictStep::ValueEnd(part) => Delivered { value: Some(part), ..came },
    }
}

fn index(step: index::IndexStep<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        index::IndexStep::More | index::IndexStep::End => came,
        index::IndexStep::List(number) | index::IndexStep::ListLast(number) => Delivered { number: Some(number), ..came },
        index::IndexStep::Member(name) | index::IndexStep::MemberLast(name) => Delivered { value: Some(name), ..came },
        index::IndexStep::KeyStart(key) | index::IndexStep::KeyPart(key) | index::IndexStep::KeyEnd(key) | index::IndexStep::Key(key) => {
            Delivered { value: Some(key), ..came }
        }
    }
}

fn update(step: update::UpdateStep<'_>) -> Delivered<'_> {
    let came = failed(step.number());
    match step {
        update::UpdateStep::More | update::UpdateStep::End(None) => came,
        update::UpdateStep::Index(step) => index(step),
        update::UpdateStep::Type(operator, kind) | update::UpdateStep::TypeEnd(operator, kind) => {
            Delivered { oper: Some(operator.byte()), value: Some(kind), ..came }
        }
        update::UpdateStep::End(Some(operator)) => Delivered { oper: Some(operator.byte()), ..came },
        update::UpdateStep::ValueStart(part)
        | update::UpdateStep::ValuePart(part)
        | update::UpdateStep::ValueEnd(part)
        | update::UpdateStep::Value(part) => Delivered { value: Some(part), ..came },
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
