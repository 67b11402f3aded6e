//! `psyc/text.h`: templates (docs/spec/psyc.md 14).

use core::ffi::{c_int, c_void};

use polywire_psyc::text::Text;

use crate::names::{METHODS, psyc_templates};
use crate::pointer::{Out, PsycString, Ptr, PtrMut};

#[repr(C)]
pub struct PsycTextState {
    pub cursor: usize,
    pub written: usize,
    pub tmpl: PsycString,
    pub buffer: PsycString,
    pub open: PsycString,
    pub close: PsycString,
}

/// `PSYC_TEXT_VALUE_FOUND`
const FOUND: c_int = 0;

/// Asks the program for the value of a name.
type PsycTextCB = extern "C" fn(cls: *mut c_void, name: Ptr, namelen: usize, value: &mut PsycString) -> c_int;

#[unsafe(no_mangle)]
extern "C" fn psyc_text_state_init(state: Out<PsycTextState>, tmpl: Ptr, tmplen: usize, buffer: PtrMut, buflen: usize) {
    let (open, close) = (PsycString::new(b"["), PsycString::new(b"]"));
    state.set(PsycTextState {
        cursor: 0,
        written: 0,
        tmpl: PsycString::parts(tmpl, tmplen),
        buffer: PsycString::parts(buffer.read(), buflen),
        open,
        close,
    });
}

#[unsafe(no_mangle)]
extern "C" fn psyc_text_state_init_custom(
    state: Out<PsycTextState>,
    tmpl: Ptr,
    tmplen: usize,
    buffer: PtrMut,
    buflen: usize,
    open: Ptr,
    openlen: usize,
    close: Ptr,
    closelen: usize,
) {
    state.set(PsycTextState {
        cursor: 0,
        written: 0,
        tmpl: PsycString::parts(tmpl, tmplen),
        buffer: PsycString::parts(buffer.read(), buflen),
        open: PsycString::parts(open, openlen),
        close: PsycString::parts(close, closelen),
    });
}

#[unsafe(no_mangle)]
extern "C" fn psyc_text_buffer_set(state: Option<&mut PsycTextState>, buffer: PtrMut, length: usize) {
    if let Some(state) = state {
        state.buffer = PsycString::parts(buffer.read(), length);
        state.written = 0;
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_text_bytes_written(state: Option<&mut PsycTextState>) -> usize {
    state.map_or(0, |state| state.written)
}

#[unsafe(no_mangle)]
extern "C" fn psyc_text(state: Option<&mut PsycTextState>, get_value: Option<PsycTextCB>, cls: *mut c_void) -> c_int {
    /// Returns a state in which nothing can be substituted.
    const NO_SUBST: c_int = -1;
    let (Some(state), Some(get_value)) = (state, get_value) else { return NO_SUBST };
    let value = |name: &[u8]| {
        let mut value = PsycString::EMPTY;
        let found = get_value(cls, Ptr::new(name), name.len(), &mut value);
        (found == FOUND).then(|| value.bytes())
    };
    let room = state.buffer.bytes_mut();
    let mut text = Text::with_braces(state.tmpl.bytes(), state.open.bytes(), state.close.bytes()).at(state.cursor);
    let filled = text.fill(room.get_mut(state.written..).unwrap_or_default(), value);
    state.cursor = text.cursor();
    state.written += filled.written;
    filled.status.number()
}

#[unsafe(no_mangle)]
extern "C" fn psyc_template(mc: c_int, len: Out<usize>) -> Ptr {
    let known = usize::try_from(mc).ok().filter(|mc| *mc < METHODS).unwrap_or(0);
    let template = psyc_templates[known];
    len.set(template.bytes().len());
    template.start()
}
