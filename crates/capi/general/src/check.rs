//! The check of schema changes.

use std::ffi::c_char;
use std::path::{Path, PathBuf};

use polywire_core::schema::language::{Direction, SchemaLanguage};
use polywire_core::text::sources::NoFiles;
use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_schema::check::versions::{self, Version};
use polywire_schema::check::{Question, check};
use polywire_schema::languages;

use crate::error::{ErrorObject, Status};
use crate::guard::guard;
use crate::outcome::Outcome;
use crate::pointer::{BytesIn, In, InMut, New, Out, TextIn};

/// New readers have to read old messages.
pub const POLYWIRE_CHECK_BACKWARD: u32 = 1;
/// Old readers have to read new messages.
pub const POLYWIRE_CHECK_FORWARD: u32 = 2;
/// A changed name or default breaks compatibility as well.
pub const POLYWIRE_CHECK_STRICT: u32 = 4;

/// A version of a schema: a file, or a text in memory. Free it with polywire_schema_free().
pub struct SchemaObject {
    language: &'static dyn SchemaLanguage,
    place: Place,
}

/// Where the text of a schema is.
enum Place {
    File { path: PathBuf, include: Vec<String> },
    Memory { label: String, bytes: Vec<u8> },
}

impl SchemaObject {
    fn version(&self) -> Result<Version> {
        match &self.place {
            Place::File { path, include } => versions::file(path, include),
            Place::Memory { label, bytes } => {
                Ok(Version { label: label.clone(), bytes: bytes.clone(), identity: String::new(), files: Box::new(NoFiles) })
            }
        }
    }
}

/// Takes a schema of a file, which is read when it is used. `language` is "proto", "extprot" or
/// "usds"; null means that of the file extension. `include` names a folder for imports, or is null.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_schema_file(
    path: *const c_char,
    language: *const c_char,
    include: *const c_char,
    schema: *mut *mut SchemaObject,
    error: *mut *mut ErrorObject,
) -> Status {
    schema.clear();
    guard(error, || {
        let path = Path::new(path.wanted_text("the path of a schema")?);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let language = match language.text("the name of a schema language")? {
            Some(name) => languages::find(name)?,
            None => extension
                .and_then(languages::by_extension)
                .ok_or_else(|| Error::usage("a file extension of no schema language").expected("the name of a schema language"))?,
        };
        let include: Vec<String> = include.text("the path of a folder")?.map(str::to_string).into_iter().collect();
        schema.make(SchemaObject { language, place: Place::File { path: path.to_path_buf(), include } });
        Ok(())
    })
}

/// Takes a schema of a text in memory, which is copied. It cannot import files. `label` names it in
/// reports; null means "schema".
#[unsafe(no_mangle)]
pub extern "C" fn polywire_schema_text(
    bytes: *const u8,
    length: usize,
    language: *const c_char,
    label: *const c_char,
    schema: *mut *mut SchemaObject,
    error: *mut *mut ErrorObject,
) -> Status {
    schema.clear();
    guard(error, || {
        let bytes = bytes.bytes(length)?.to_vec();
        let language = languages::find(language.wanted_text("the name of a schema language")?)?;
        let label = label.text("a label")?.unwrap_or("schema").to_string();
        schema.make(SchemaObject { language, place: Place::Memory { label, bytes } });
        Ok(())
    })
}

/// Frees a schema. Null is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_schema_free(schema: *mut SchemaObject) {
    schema.free();
}

/// Checks whether a new version of a schema is compatible with an old one, and stores the answer in
/// `compatible`. The result's bytes are the findings as JSON, as `polywire schema check --report
/// json` writes them (docs/schema-check.md).
///
/// `root` names the message type; null means all types. `checks` is a sum of POLYWIRE_CHECK_…
/// values; without a direction, both have to hold.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_schema_check(
    old: *const SchemaObject,
    new_: *const SchemaObject,
    root: *const c_char,
    checks: u32,
    compatible: *mut bool,
    result: *mut *mut Outcome,
    error: *mut *mut ErrorObject,
) -> Status {
    result.clear();
    compatible.store(false);
    guard(error, || {
        let (old, new) = (old.wanted("an old version")?, new_.wanted("a new version")?);
        let known = POLYWIRE_CHECK_BACKWARD | POLYWIRE_CHECK_FORWARD | POLYWIRE_CHECK_STRICT;
        if checks & !known != 0 {
            return Err(Error::usage(format!("the checks {checks}")).expected("a sum of POLYWIRE_CHECK_… values"));
        }
        if old.language.name() != new.language.name() {
            let names = format!("versions in {} and {}", old.language.name(), new.language.name());
            return Err(Error::usage(names).expected("versions in one language"));
        }
        let rules = new.language.compatibility().ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(format!("a schema in the language {}", new.language.title()))
                .expected("a language with compatibility rules")
        })?;
        let wanted = [(POLYWIRE_CHECK_BACKWARD, Direction::Backward), (POLYWIRE_CHECK_FORWARD, Direction::Forward)];
        let directions = wanted.into_iter().filter(|(flag, _)| checks & flag != 0).map(|(_, direction)| direction).collect();
        let root = root.text("the name of a type")?;
        let question = Question { root, directions, strict: checks & POLYWIRE_CHECK_STRICT != 0 };
        let verdict = check(rules, &mut [old.version()?, new.version()?], &question)?;
        compatible.store(verdict.holds());
        result.make(Outcome::new(verdict.json().into_bytes(), 0, "[]"));
        Ok(())
    })
}
