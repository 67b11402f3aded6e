//! `psyc/packet.h`: packets, lists and dicts before they are rendered, and their lengths
//! (docs/spec/psyc.md 11.1, 11.2 and 15).

use core::ffi::{c_char, c_int};

use polywire_psyc::packet::{Content, Header, Modifier, Operator, Packet, Sizing, State};
use polywire_psyc::packet_id::{self, PacketId};
use polywire_psyc::wire::render::{self, Dict, Entry, Item, Key, Lengths, List};

use crate::pointer::{ArrayMut, Out, PsycString, Ptr};

/// The library decides on the length.
const CHECK_LENGTH: c_int = 0;
/// The length is written.
const NEED_LENGTH: c_int = 1;
/// The length is not written.
const NO_LENGTH: c_int = 2;
/// The modifier is one of the routing header.
const ROUTING: c_int = 4;

const LIST_STOP: u8 = b'|';
const DICT_STOP: u8 = b'{';

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycElem {
    /// `type` in C, as in lists and dicts.
    pub kind: PsycString,
    pub value: PsycString,
    pub length: usize,
    pub flag: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycDictKey {
    pub value: PsycString,
    pub length: usize,
    pub flag: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycDictElem {
    pub value: PsycElem,
    pub key: PsycDictKey,
}

#[repr(C)]
pub struct PsycDict {
    pub kind: PsycString,
    pub elems: ArrayMut<PsycDictElem>,
    pub num_elems: usize,
    pub length: usize,
}

#[repr(C)]
pub struct PsycList {
    pub kind: PsycString,
    pub elems: ArrayMut<PsycElem>,
    pub num_elems: usize,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycModifier {
    pub name: PsycString,
    pub value: PsycString,
    pub flag: c_int,
    pub oper: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PsycHeader {
    pub lines: usize,
    pub modifiers: ArrayMut<PsycModifier>,
}

#[repr(C)]
pub struct PsycPacket {
    pub routing: PsycHeader,
    pub entity: PsycHeader,
    pub method: PsycString,
    pub data: PsycString,
    pub content: PsycString,
    pub routinglen: usize,
    pub contentlen: usize,
    pub length: usize,
    pub stateop: c_int,
    pub flag: c_int,
}

/// Returns the decision of `flag` about the length of an element or key.
const fn sizing(flag: c_int) -> Sizing {
    match flag {
        CHECK_LENGTH => Sizing::Check,
        _ if flag & NEED_LENGTH != 0 => Sizing::Need,
        _ => Sizing::No,
    }
}

/// Returns a decision as a flag.
const fn flag(sized: bool) -> c_int {
    if sized { NEED_LENGTH } else { NO_LENGTH }
}

impl PsycElem {
    pub fn item<'a>(&self) -> Item<'a> {
        Item { kind: self.kind.bytes(), value: self.value.bytes(), sizing: sizing(self.flag) }
    }

    fn init(&mut self, stop: u8) {
        let item = self.item();
        self.flag = flag(item.wants_size(stop) || item.sizing == Sizing::Need);
        self.length = item.length(stop);
    }
}

impl PsycDictKey {
    pub fn key<'a>(&self) -> Key<'a> {
        Key { value: self.value.bytes(), sizing: sizing(self.flag) }
    }

    fn init(&mut self) {
        let key = self.key();
        self.flag = flag(key.wants_size());
        self.length = key.length();
    }
}

impl PsycList {
    pub fn list<'a>(&self) -> List<'a, impl Iterator<Item = Item<'a>> + Clone + use<'a>> {
        let elems: &'a [PsycElem] = self.elems.values(self.num_elems);
        List { default: self.kind.bytes(), items: elems.iter().map(PsycElem::item) }
    }
}

impl PsycDict {
    pub fn dict<'a>(&self) -> Dict<'a, impl Iterator<Item = Entry<'a>> + Clone + use<'a>> {
        let elems: &'a [PsycDictElem] = self.elems.values(self.num_elems);
        let entry = |elem: &PsycDictElem| Entry { key: elem.key.key(), item: elem.value.item() };
        Dict { default: self.kind.bytes(), entries: elems.iter().map(entry) }
    }
}

impl PsycModifier {
    /// Returns the modifier with that sizing. A byte that is no operator becomes the reserved one.
    #[inline]
    fn with<'a>(&self, sizing: Sizing) -> Modifier<'a> {
        let operator = Operator::from_byte(self.oper).unwrap_or(Operator::Reserved);
        Modifier { operator, name: self.name.bytes(), value: self.value.bytes(), sizing }
    }

    /// Returns the modifier as it is rendered: an undecided length is written
    /// (docs/spec/psyc.md 11.2).
    #[inline]
    pub fn modifier<'a>(&self) -> Modifier<'a> {
        let sized = self.flag & NEED_LENGTH != 0 || self.flag == CHECK_LENGTH;
        self.with(if sized { Sizing::Need } else { Sizing::No })
    }
}

/// The modifiers of a header, without a copy.
#[derive(Clone, Copy)]
pub struct Lines<'a>(&'a [PsycModifier]);

impl<'a> Header<'a> for Lines<'a> {
    type Lines = core::iter::Map<core::slice::Iter<'a, PsycModifier>, fn(&PsycModifier) -> Modifier<'a>>;

    #[inline]
    fn lines(self) -> Self::Lines {
        self.0.iter().map(PsycModifier::modifier)
    }
}

impl PsycHeader {
    const EMPTY: PsycHeader = PsycHeader { lines: 0, modifiers: ArrayMut::EMPTY };

    #[inline]
    fn lines<'a>(self) -> Lines<'a> {
        Lines(self.modifiers.values(self.lines))
    }

    fn is_right(self) -> bool {
        self.modifiers.values(self.lines).iter().all(|line| Operator::from_byte(line.oper).is_some())
    }
}

impl PsycPacket {
    /// Returns the state line, or the number that is none as an error.
    fn state(&self) -> Result<Option<State>, c_int> {
        match u8::try_from(self.stateop) {
            Ok(0) => Ok(None),
            Ok(b'=') => Ok(Some(State::Reset)),
            Ok(b'?') => Ok(Some(State::Resync)),
            _ => Err(self.stateop),
        }
    }

    /// Returns whether operators and state line are valid.
    pub fn is_right(&self) -> bool {
        self.state().is_ok() && self.routing.is_right() && self.entity.is_right()
    }

    /// Returns the packet with that sizing of its content.
    #[inline]
    fn with<'a>(&self, sizing: Sizing) -> Packet<'a, Lines<'a>> {
        let content = match self.content.bytes() {
            [] => Content::Parts {
                state: self.state().unwrap_or(None),
                entity: self.entity.lines(),
                method: self.method.bytes(),
                data: self.data.bytes(),
            },
            raw => Content::Raw(raw),
        };
        Packet { routing: self.routing.lines(), content, sizing }
    }

    /// Returns the packet as it is rendered: an undecided length is written
    /// (docs/spec/psyc.md 11.2).
    #[inline]
    pub fn packet<'a>(&self) -> Packet<'a, Lines<'a>> {
        self.with(if self.flag & NO_LENGTH == 0 { Sizing::Need } else { Sizing::No })
    }

    /// Decides on the length of the content, and computes all lengths.
    fn init(mut self) -> PsycPacket {
        if self.flag != CHECK_LENGTH {
            self.set_lengths();
            return self;
        }
        // An empty content wants no length, so what is written is what is wanted.
        let lengths = render::lengths(&self.with(Sizing::Check));
        self.flag = flag(lengths.sized);
        self.keep(lengths);
        self
    }

    fn keep(&mut self, lengths: Lengths) {
        (self.routinglen, self.contentlen, self.length) = (lengths.routing, lengths.content, lengths.total);
    }

    fn set_lengths(&mut self) -> usize {
        self.keep(render::lengths(&self.packet()));
        self.length
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_num_length(n: usize) -> usize {
    render::digits(n)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_modifier_length_check(m: Option<&PsycModifier>) -> c_int {
    m.map_or(NO_LENGTH, |m| flag(render::modifier_wants_size(&m.with(Sizing::Check))))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_modifier_init(m: Out<PsycModifier>, oper: c_int, name: Ptr, namelen: usize, value: Ptr, valuelen: usize, flag: c_int) {
    let mut modifier =
        PsycModifier { name: PsycString::parts(name, namelen), value: PsycString::parts(value, valuelen), flag, oper: oper as u8 };
    if flag == CHECK_LENGTH {
        modifier.flag = psyc_modifier_length_check(Some(&modifier));
    } else if flag & ROUTING != 0 {
        modifier.flag |= NO_LENGTH;
    }
    m.set(modifier);
}

#[unsafe(no_mangle)]
extern "C" fn psyc_elem_length_check(value: Option<&PsycString>, end: c_char) -> c_int {
    value.map_or(NO_LENGTH, |value| flag(render::value_wants_size(value.bytes(), Sizing::Check, end as u8)))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_elem_length(elem: Option<&PsycElem>) -> usize {
    elem.map_or(0, |elem| elem.item().length(LIST_STOP))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_dict_key_length(key: Option<&PsycDictKey>) -> usize {
    key.map_or(0, |key| key.key().length())
}

#[unsafe(no_mangle)]
extern "C" fn psyc_list_length_set(list: Option<&mut PsycList>) -> usize {
    let Some(list) = list else { return 0 };
    list.length = list.list().length();
    list.length
}

#[unsafe(no_mangle)]
extern "C" fn psyc_dict_length_set(dict: Option<&mut PsycDict>) -> usize {
    let Some(dict) = dict else { return 0 };
    dict.length = dict.dict().length();
    dict.length
}

#[unsafe(no_mangle)]
extern "C" fn psyc_modifier_length(m: Option<&PsycModifier>) -> usize {
    m.map_or(0, |m| render::modifier_length(&m.modifier()))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_packet_length_check(p: Option<&PsycPacket>) -> c_int {
    p.map_or(NO_LENGTH, |p| flag(render::wants_size(&p.with(Sizing::Check))))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_packet_length_set(p: Option<&mut PsycPacket>) -> usize {
    p.map_or(0, PsycPacket::set_lengths)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_list_init(list: Out<PsycList>, elems: ArrayMut<PsycElem>, num_elems: usize) {
    for elem in elems.values(num_elems) {
        elem.init(LIST_STOP);
    }
    let mut made = PsycList { kind: PsycString::EMPTY, elems, num_elems, length: 0 };
    psyc_list_length_set(Some(&mut made));
    list.set(made);
}

#[unsafe(no_mangle)]
extern "C" fn psyc_dict_init(dict: Out<PsycDict>, elems: ArrayMut<PsycDictElem>, num_elems: usize) {
    for elem in elems.values(num_elems) {
        elem.key.init();
        elem.value.init(DICT_STOP);
    }
    let mut made = PsycDict { kind: PsycString::EMPTY, elems, num_elems, length: 0 };
    psyc_dict_length_set(Some(&mut made));
    dict.set(made);
}

#[unsafe(no_mangle)]
extern "C" fn psyc_packet_init(
    p: Out<PsycPacket>,
    routing: ArrayMut<PsycModifier>,
    routinglines: usize,
    entity: ArrayMut<PsycModifier>,
    entitylines: usize,
    method: Ptr,
    methodlen: usize,
    data: Ptr,
    datalen: usize,
    stateop: c_char,
    flag: c_int,
) {
    let packet = PsycPacket {
        routing: PsycHeader { lines: routinglines, modifiers: routing },
        entity: PsycHeader { lines: entitylines, modifiers: entity },
        method: PsycString::parts(method, methodlen),
        data: PsycString::parts(data, datalen),
        content: PsycString::EMPTY,
        routinglen: 0,
        contentlen: 0,
        length: 0,
        stateop: c_int::from(stateop),
        flag,
    };
    p.set(packet.init());
}

#[unsafe(no_mangle)]
extern "C" fn psyc_packet_init_raw(
    p: Out<PsycPacket>,
    routing: ArrayMut<PsycModifier>,
    routinglines: usize,
    content: Ptr,
    contentlen: usize,
    flag: c_int,
) {
    let packet = PsycPacket {
        routing: PsycHeader { lines: routinglines, modifiers: routing },
        entity: PsycHeader::EMPTY,
        method: PsycString::EMPTY,
        data: PsycString::EMPTY,
        content: PsycString::parts(content, contentlen),
        routinglen: 0,
        contentlen: 0,
        length: 0,
        stateop: 0,
        flag,
    };
    p.set(packet.init());
}

#[unsafe(no_mangle)]
extern "C" fn psyc_packet_id(
    list: Out<PsycList>,
    elems: ArrayMut<PsycElem>,
    context: Ptr,
    contextlen: usize,
    source: Ptr,
    sourcelen: usize,
    target: Ptr,
    targetlen: usize,
    counter: Ptr,
    counterlen: usize,
    fragment: Ptr,
    fragmentlen: usize,
) {
    let id = PacketId {
        context: context.bytes(contextlen),
        source: source.bytes(sourcelen),
        target: target.bytes(targetlen),
        counter: counter.bytes(counterlen),
        fragment: fragment.bytes(fragmentlen),
    };
    for (elem, item) in elems.values(packet_id::ELEMENTS).iter_mut().zip(id.list().items) {
        let value = if item.value.is_empty() { PsycString::EMPTY } else { PsycString::new(item.value) };
        *elem = PsycElem { kind: PsycString::EMPTY, value, length: 0, flag: flag(item.sizing == Sizing::Need) };
    }
    psyc_list_init(list, elems, packet_id::ELEMENTS);
}
