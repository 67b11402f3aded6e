//! The layout of the types that C and Rust share, by docs/spec/psyc.md Annex A, on 64-bit systems.
//! `tests/c/layout.c` checks the same of the headers.

#![cfg(target_pointer_width = "64")]

use core::mem::{offset_of, size_of};

use crate::matching::{PsycMap, PsycMapInt};
use crate::packet::{PsycDict, PsycDictElem, PsycDictKey, PsycElem, PsycHeader, PsycList, PsycModifier, PsycPacket};
use crate::parse::PsycParseState;
use crate::structured::{PsycParseDictState, PsycParseIndexState, PsycParseListState, PsycParseUpdateState};
use crate::text::PsycTextState;
use crate::uniform::PsycUniform;

macro_rules! layout {
    ($type:ty: $size:literal $(, $($field:ident).+ $offset:literal)* $(,)?) => {
        const _: () = {
            assert!(size_of::<$type>() == $size);
            $(assert!(offset_of!($type, $($field).+) == $offset);)*
        };
    };
}

layout!(PsycMap: 24, key 0, value 16);
layout!(PsycMapInt: 24, key 0, value 16);
layout!(PsycElem: 48, kind 0, value 16, length 32, flag 40);
layout!(PsycDictKey: 32, value 0, length 16, flag 24);
layout!(PsycDictElem: 80, value 0, key 48);
layout!(PsycDict: 40, kind 0, elems 16, num_elems 24, length 32);
layout!(PsycList: 40, kind 0, elems 16, num_elems 24, length 32);
layout!(PsycModifier: 40, name 0, value 16, flag 32, oper 36);
layout!(PsycHeader: 16, lines 0, modifiers 8);
layout!(PsycPacket: 112, routing 0, entity 16, method 32, data 48, content 64, routinglen 80, contentlen 88, length 96, stateop 104, flag 108);
layout!(PsycTextState: 80, cursor 0, written 8, tmpl 16, buffer 32, open 48, close 64);
layout!(
    PsycUniform: 312, valid 0, scheme_number 4, scheme 8, user 24, pass 40, host 56, port 72, transport 88, resource 104, query 120, channel 136,
    full 152, body 168, user_host 184, host_port 200, root 216, entity 232, slashes 248, slash 264, path 280, nick 296,
);
layout!(
    PsycParseState: 80, buffer 0, rest.cursor 16, rest.startc 24, rest.routinglen 32, rest.contentlen 40, rest.content_parsed 48,
    rest.valuelen 56, rest.value_parsed 64, rest.part 72, rest.flags 76, rest.contentlen_found 77, rest.valuelen_found 78,
);
layout!(
    PsycParseListState: 72, buffer 0, rest.cursor 16, rest.startc 24, rest.kind 32, rest.elemlen 48, rest.elem_parsed 56, rest.part 64,
    rest.elemlen_found 68,
);
layout!(
    PsycParseDictState: 56, buffer 0, rest.cursor 16, rest.startc 24, rest.elemlen 32, rest.elem_parsed 40, rest.part 48, rest.elemlen_found 52,
);
layout!(
    PsycParseIndexState: 56, buffer 0, rest.cursor 16, rest.startc 24, rest.elemlen 32, rest.elem_parsed 40, rest.part 48,
    rest.elemlen_found 52,
);
layout!(
    PsycParseUpdateState: 56, buffer 0, rest.cursor 16, rest.startc 24, rest.elemlen 32, rest.elem_parsed 40, rest.part 48,
    rest.elemlen_found 52,
);
