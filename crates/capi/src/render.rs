//! `psyc/render.h`: bytes of packets, lists and dicts (docs/spec/psyc.md 11).

use core::ffi::c_int;

use polywire_psyc::wire::render::{self, RenderError, render};

use crate::packet::{PsycDict, PsycDictKey, PsycElem, PsycList, PsycModifier, PsycPacket};
use crate::pointer::PtrMut;

/// `PSYC_RENDER_SUCCESS`
const SUCCESS: c_int = 0;

fn code<T>(result: Result<T, RenderError>) -> c_int {
    result.map_or_else(RenderError::number, |_| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_render(packet: Option<&PsycPacket>, buffer: PtrMut, buflen: usize) -> c_int {
    match packet {
        // Operators that do not exist are not written.
        Some(packet) if packet.is_right() => code(render(&packet.packet(), buffer.bytes(buflen))),
        _ => RenderError::Buffer.number(),
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_render_list(list: Option<&PsycList>, buffer: PtrMut, buflen: usize) -> c_int {
    list.map_or(RenderError::Buffer.number(), |list| code(list.list().render(buffer.bytes(buflen))))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_render_dict(dict: Option<&PsycDict>, buffer: PtrMut, buflen: usize) -> c_int {
    dict.map_or(RenderError::Buffer.number(), |dict| code(dict.dict().render(buffer.bytes(buflen))))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_render_elem(elem: Option<&PsycElem>, buffer: PtrMut, buflen: usize) -> c_int {
    elem.map_or(RenderError::Buffer.number(), |elem| code(elem.item().render(b'|', buffer.bytes(buflen))))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_render_dict_key(key: Option<&PsycDictKey>, buffer: PtrMut, buflen: usize) -> c_int {
    key.map_or(RenderError::Buffer.number(), |key| code(key.key().render(buffer.bytes(buflen))))
}

#[unsafe(no_mangle)]
extern "C" fn psyc_render_modifier(m: Option<&PsycModifier>, buffer: PtrMut) -> usize {
    let Some(m) = m else { return 0 };
    let modifier = m.modifier();
    let written = match modifier.name {
        [] => 1,
        _ => render::modifier(&modifier, buffer.bytes(render::modifier_length(&modifier))).unwrap_or(0),
    };
    if let Some(operator) = buffer.bytes(written).first_mut() {
        *operator = m.oper;
    }
    written
}
