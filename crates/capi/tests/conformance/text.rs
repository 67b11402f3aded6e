//! Text templates.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::mem::zeroed;

use serde_json::{Value, json};

use super::door::{self, PsycString};
use super::{b64, bytes};

type Vars = HashMap<Vec<u8>, Vec<u8>>;

extern "C" fn value_of(vars: *mut c_void, name: *const c_char, length: usize, value: *mut PsycString) -> c_int {
    unsafe {
        let name = PsycString { length, data: name }.bytes();
        match (*vars.cast::<Vars>()).get(name) {
            Some(found) => {
                *value = PsycString::new(found);
                0
            }
            None => -1,
        }
    }
}

pub fn text(case: &Value) -> Value {
    let template = bytes(&case["template"]);
    let mut vars: Vars =
        case["vars"].as_object().expect("vars").iter().map(|(name, value)| (name.clone().into_bytes(), bytes(value))).collect();
    let (mut open, mut close) = (bytes(&case["open"]), bytes(&case["close"]));
    if open.is_empty() {
        (open, close) = (b"[".to_vec(), b"]".to_vec());
    }
    let mut sizes: Vec<usize> =
        case["buffers"].as_array().map_or(vec![4096], |sizes| sizes.iter().map(|size| size.as_u64().expect("a size") as usize).collect());
    sizes.reverse();
    let (mut codes, mut pieces) = (Vec::new(), Vec::new());
    let mut size = 0;
    unsafe {
        let mut state = zeroed();
        let (tmpl, close_len) = (template.as_ptr(), close.len());
        let none = std::ptr::null_mut();
        door::psyc_text_state_init_custom(&mut state, tmpl, template.len(), none, 0, open.as_ptr(), open.len(), close.as_ptr(), close_len);
        // A piece that is larger than the last buffer never comes.
        for _ in 0..1000 {
            size = sizes.pop().unwrap_or(size);
            let mut out = vec![0; size];
            door::psyc_text_buffer_set(&mut state, out.as_mut_ptr(), size);
            let code = door::psyc_text(&mut state, value_of, (&raw mut vars).cast());
            codes.push(code);
            pieces.push(out[..state.written].to_vec());
            match code {
                1 => {}
                0 => {
                    let shown: Vec<Value> = pieces.iter().map(|piece| b64(piece)).collect();
                    return json!({ "rcs": codes, "output": b64(&pieces.concat()), "pieces": shown });
                }
                _ => break,
            }
        }
    }
    json!({ "rcs": codes })
}
