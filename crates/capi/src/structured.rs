//! `psyc/parse.h`: the parsers of lists, dicts, indexes and updates (docs/spec/psyc.md 7 to 10).

use core::ffi::c_int;

use polywire_psyc::dict::{self, DictState};
use polywire_psyc::element::ItemState;
use polywire_psyc::index::{self, IndexState};
use polywire_psyc::list::{self, Element, Limits, ListState};
use polywire_psyc::update::{self, UpdateState};

use crate::parse::ERROR;
use crate::pointer::{Out, PsycString, Ptr};

/// The state of a parser: its buffer, and the parser's own fields.
#[repr(C)]
pub struct State<S> {
    pub buffer: PsycString,
    pub rest: S,
}

pub type PsycParseListState = State<ListState>;
pub type PsycParseDictState = State<DictState>;
pub type PsycParseIndexState = State<IndexState>;
pub type PsycParseUpdateState = State<UpdateState>;

macro_rules! start {
    ($state:ty, $init:ident, $buffer_set:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $init(state: Out<$state>) {
            state.set(State { buffer: PsycString::EMPTY, rest: Default::default() });
        }

        #[unsafe(no_mangle)]
        extern "C" fn $buffer_set(state: Option<&mut $state>, buffer: Ptr, length: usize) {
            if let Some(state) = state {
                state.buffer = PsycString::parts(buffer, length);
                state.rest.cursor = 0;
            }
        }
    };
}

start!(PsycParseListState, psyc_parse_list_state_init, psyc_parse_list_buffer_set);
start!(PsycParseDictState, psyc_parse_dict_state_init, psyc_parse_dict_buffer_set);
start!(PsycParseIndexState, psyc_parse_index_state_init, psyc_parse_index_buffer_set);
start!(PsycParseUpdateState, psyc_parse_update_state_init, psyc_parse_update_buffer_set);

/// The cursor of a state, which lies in the buffer unless the program moved it.
trait Cursor {
    fn cursor(&self) -> usize;
}

impl Cursor for ListState {
    fn cursor(&self) -> usize {
        self.cursor
    }
}

impl Cursor for ItemState {
    fn cursor(&self) -> usize {
        self.cursor
    }
}

/// Returns the parser's own fields and its buffer, or `None` if the state was not made by this
/// library.
fn opened<'b, S: Cursor>(state: Option<&mut State<S>>) -> Option<(&mut S, &'b [u8])> {
    let State { buffer, rest } = state?;
    let buffer = buffer.bytes();
    (rest.cursor() <= buffer.len()).then_some((rest, buffer))
}

/// Stores an element and its type, which is empty if it has none.
fn store_element(element: Element<'_>, kind: Out<PsycString>, elem: Out<PsycString>) {
    kind.set(if element.kind.is_empty() { PsycString::EMPTY } else { PsycString::new(element.kind) });
    elem.set(PsycString::new(element.value));
}

/// Stores the type of a list or dict that has no elements.
fn store_default(default: &[u8], kind: Out<PsycString>) {
    if !default.is_empty() {
        kind.set(PsycString::new(default));
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_list(state: Option<&mut PsycParseListState>, kind: Out<PsycString>, elem: Out<PsycString>) -> c_int {
    let Some((state, buffer)) = opened(state) else { return ERROR };
    let step = match list::step(state, buffer, true, &Limits::NONE) {
        Ok(step) => step,
        Err(fault) => return fault.number,
    };
    match step {
        list::ListStep::More => {}
        list::ListStep::Default(default) | list::ListStep::End(default) => store_default(default, kind),
        list::ListStep::Start(element) | list::ListStep::Element(element) | list::ListStep::Last(element) => {
            store_element(element, kind, elem);
        }
        list::ListStep::Part(part) | list::ListStep::PartEnd(part) => elem.set(PsycString::new(part)),
    }
    step.number()
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_dict(state: Option<&mut PsycParseDictState>, kind: Out<PsycString>, elem: Out<PsycString>) -> c_int {
    let Some((state, buffer)) = opened(state) else { return ERROR };
    let step = match dict::step(state, buffer, true, &Limits::NONE) {
        Ok(step) => step,
        Err(fault) => return fault.number,
    };
    match step {
        dict::DictStep::More => {}
        dict::DictStep::Default(default) | dict::DictStep::End(default) => store_default(default, kind),
        dict::DictStep::ValueStart(element) | dict::DictStep::Value(element) | dict::DictStep::Last(element) => {
            store_element(element, kind, elem);
        }
        dict::DictStep::KeyStart(part)
        | dict::DictStep::KeyPart(part)
        | dict::DictStep::KeyEnd(part)
        | dict::DictStep::Key(part)
        | dict::DictStep::ValuePart(part)
        | dict::DictStep::ValueEnd(part) => elem.set(PsycString::new(part)),
    }
    step.number()
}

/// Stores a step of an index: a name or key, or a number in place of a length.
fn store_index(step: index::IndexStep<'_>, idx: Out<PsycString>) {
    match step {
        index::IndexStep::More | index::IndexStep::End => {}
        index::IndexStep::List(number) | index::IndexStep::ListLast(number) => idx.set(PsycString::number(number)),
        index::IndexStep::Member(name) | index::IndexStep::MemberLast(name) => idx.set(PsycString::new(name)),
        index::IndexStep::KeyStart(key) | index::IndexStep::KeyPart(key) | index::IndexStep::KeyEnd(key) | index::IndexStep::Key(key) => {
            idx.set(PsycString::new(key));
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_index(state: Option<&mut PsycParseIndexState>, idx: Out<PsycString>) -> c_int {
    let Some((state, buffer)) = opened(state) else { return ERROR };
    match index::step(state, buffer, true, &Limits::NONE) {
        Ok(step) => {
            store_index(step, idx);
            step.number()
        }
        Err(fault) => fault.number,
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_parse_update(state: Option<&mut PsycParseUpdateState>, oper: Out<u8>, value: Out<PsycString>) -> c_int {
    let Some((state, buffer)) = opened(state) else { return ERROR };
    let step = match update::step(state, buffer, true, &Limits::NONE) {
        Ok(step) => step,
        Err(fault) => return fault.number,
    };
    match step {
        update::UpdateStep::More | update::UpdateStep::End(None) => {}
        update::UpdateStep::Index(step) => store_index(step, value),
        update::UpdateStep::Type(operator, kind) | update::UpdateStep::TypeEnd(operator, kind) => {
            oper.set(operator.byte());
            value.set(PsycString::new(kind));
        }
        update::UpdateStep::End(Some(operator)) => oper.set(operator.byte()),
        update::UpdateStep::ValueStart(part)
        | update::UpdateStep::ValuePart(part)
        | update::UpdateStep::ValueEnd(part)
        | update::UpdateStep::Value(part) => {
            value.set(PsycString::new(part));
        }
    }
    step.number()
}
