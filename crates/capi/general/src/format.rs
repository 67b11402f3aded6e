//! Formats: by name, with settings, bound to a schema; their list, and the recognition of bytes.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use polywire_core::format::Dialect;
use polywire_core::{Error, ErrorKind, Fault, Format, Result};
use polywire_formats::registry::{self, FORMATS};

use crate::error::{ErrorObject, Status, c_text};
use crate::guard::guard;
use crate::pointer::{BytesIn, In, InMut, New, TextIn};

/// A format as it is spoken: by itself, with settings, or bound to a message type of a schema. Free
/// it with polywire_format_free().
pub struct FormatObject {
    pub dialect: Dialect,
    /// Names and values of settings.
    settings: Vec<(String, String)>,
}

/// Names of all formats for C, in the order of the registry.
fn names() -> &'static [CString] {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    NAMES.get_or_init(|| FORMATS.iter().map(|format| c_text(format.name)).collect())
}

/// Returns the name of a format for C.
fn name(format: &Format) -> *const c_char {
    let index = FORMATS.iter().position(|known| known.name == format.name);
    index.and_then(|index| names().get(index)).map_or(null(), |name| name.as_ptr())
}

/// Returns the format that C names, or the one that bytes look like if it names none.
pub fn named(text: *const c_char, bytes: &[u8]) -> Result<Dialect> {
    match text.text("the name of a format")? {
        Some(text) => polywire::format(text).map(Dialect::from),
        None => recognised(bytes).map(Dialect::from),
    }
}

/// Returns the format of an object, or the one that bytes look like for null.
pub fn dialect(format: *const FormatObject, bytes: &[u8]) -> Result<Dialect> {
    format.object().map_or_else(|| recognised(bytes).map(Dialect::from), |format| Ok(format.dialect.clone()))
}

fn recognised(bytes: &[u8]) -> Result<&'static Format> {
    registry::recognise(bytes, true).ok_or_else(|| {
        Error::new(ErrorKind::UnknownFormat, Fault::Caller)
            .seen("bytes that look like no format")
            .expected("a format that shows, or its name")
    })
}

/// Returns the number of formats.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_count() -> usize {
    names().len()
}

/// Returns the name of a format by its number, from 0; null beyond the last. The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_at(index: usize) -> *const c_char {
    names().get(index).map_or(null(), |name| name.as_ptr())
}

/// Returns the name of the format that bytes look most like; null if they look like none. `whole`
/// says that nothing follows the bytes: otherwise they are the start of an input. The text is
/// constant.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_recognise(bytes: *const u8, length: usize, whole: bool) -> *const c_char {
    let mut found = null();
    let _ = guard(null_mut(), || {
        found = registry::recognise(bytes.bytes(length)?, whole).map_or(null(), name);
        Ok(())
    });
    found
}

/// Finds a format by its name or file extension.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_find(name: *const c_char, format: *mut *mut FormatObject, error: *mut *mut ErrorObject) -> Status {
    format.clear();
    guard(error, || {
        let found = polywire::format(name.wanted_text("the name of a format")?)?;
        format.make(FormatObject { dialect: found.into(), settings: Vec::new() });
        Ok(())
    })
}

/// Binds a format to a message type of a schema file, which is in the format's own schema language:
/// `.proto` for Protocol Buffers. `type` names the type; null means the language's default.
/// `include` names a folder for imports, or is null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_bind(
    name: *const c_char,
    schema: *const c_char,
    r#type: *const c_char,
    include: *const c_char,
    format: *mut *mut FormatObject,
    error: *mut *mut ErrorObject,
) -> Status {
    format.clear();
    guard(error, || {
        let found = polywire::format(name.wanted_text("the name of a format")?)?;
        let schema = Path::new(schema.wanted_text("the path of a schema")?);
        let include: Vec<String> = include.text("the path of a folder")?.map(str::to_string).into_iter().collect();
        let dialect = Dialect::with_schema(found, schema, r#type.text("the name of a type")?, &include)?;
        format.make(FormatObject { dialect, settings: Vec::new() });
        Ok(())
    })
}

/// Binds a format to a message type of a schema in memory, as polywire_format_bind() does with a
/// file. The schema cannot import files; a descriptor set of Protocol Buffers has its imports in it
/// (`protoc --include_imports --descriptor_set_out`). The bytes are not kept.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_bind_text(
    name: *const c_char,
    schema: *const u8,
    length: usize,
    r#type: *const c_char,
    format: *mut *mut FormatObject,
    error: *mut *mut ErrorObject,
) -> Status {
    format.clear();
    guard(error, || {
        let name = name.wanted_text("the name of a format")?;
        let dialect = polywire::bind(name, schema.bytes(length)?, r#type.text("the name of a type")?)?;
        format.make(FormatObject { dialect, settings: Vec::new() });
        Ok(())
    })
}

/// Sets a setting of a format that is not bound, such as "separator" of "csv". `polywire convert
/// --help` lists them. No other thread may use the format meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_set(
    format: *mut FormatObject,
    name: *const c_char,
    value: *const c_char,
    error: *mut *mut ErrorObject,
) -> Status {
    guard(error, || {
        let format = format.wanted_mut("a format")?;
        let setting = (name.wanted_text("the name of a setting")?.to_string(), value.wanted_text("its value")?.to_string());
        let mut settings = format.settings.clone();
        settings.retain(|(name, _)| *name != setting.0);
        settings.push(setting);
        let given: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        format.dialect = format.dialect.clone().with_settings(&given)?;
        format.settings = settings;
        Ok(())
    })
}

/// Returns the name of a format. The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_name(format: *const FormatObject) -> *const c_char {
    format.object().map_or(null(), |format| name(format.dialect.format()))
}

/// Frees a format. Null is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_format_free(format: *mut FormatObject) {
    format.free();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_for_c() {
        for (index, format) in FORMATS.iter().enumerate() {
            assert_eq!(polywire_format_at(index).wanted_text("a name").unwrap(), format.name);
        }
        assert!(polywire_format_at(FORMATS.len()).is_null());
    }
}
