//! The document, and its references.

use std::cell::RefCell;
use std::collections::HashMap;

use bytes::Bytes;
use polywire_core::format::Format;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::{Error, Limits, Result};
use polywire_doc::{Datum, DocSink, Ref, Repeated, Wanted};
use polywire_formats::{json, registry, yaml};

/// The most references that lead to each other.
const LONGEST_CHAIN: usize = 32;

/// A description.
pub(super) struct Document<'d> {
    root: Ref<'d>,
    /// The targets of references that were looked up.
    known: RefCell<HashMap<&'d str, Option<Ref<'d>>>>,
}

/// Reads a document.
///
/// # Errors
/// The bytes are neither JSON nor YAML, or exceed a limit.
pub(super) fn read(bytes: &[u8], name: &str, limits: &Limits) -> Result<Datum> {
    let format = format_of(bytes, name);
    let mut walker = Walker::new(format, limits).doubles(Doubles::Last);
    let mut stream = Stream::new(bytes).exactly_one(true);
    let mut framing = Walker::new(format, limits);
    let message = stream.next(&mut framing)?;
    let Some(message) = message else { return Err(Error::truncated(0, "a description")) };
    let wanted = Wanted::everything();
    let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Last);
    walker.walk(message.bytes, message.base, &mut sink)?;
    let (doc, _) = sink.finish(message.base + message.bytes.len() as u64)?;
    // A second document would be dropped silently.
    stream.next(&mut framing)?;
    Ok(Datum::from(doc))
}

impl<'d> Document<'d> {
    /// Makes a document of what [`read`] returned.
    pub fn new(root: Ref<'d>) -> Document<'d> {
        Document { root, known: RefCell::default() }
    }

    /// Returns the whole.
    pub fn root(&self) -> Ref<'d> {
        self.root
    }

    /// Returns a value, or the one that its `$ref` leads to.
    ///
    /// # Errors
    /// The reference leads out of the document, nowhere, or in a circle.
    pub fn resolve(&self, mut value: Ref<'d>) -> std::result::Result<Ref<'d>, String> {
        for _ in 0..LONGEST_CHAIN {
            let Some(reference) = value.get("$ref").and_then(Ref::as_str) else { return Ok(value) };
            let Some(pointer) = reference.strip_prefix('#') else {
                return Err(format!("`{reference}` leads out of the document: put it into one file first"));
            };
            value = self.at(pointer).ok_or_else(|| format!("`{reference}` leads nowhere"))?;
        }
        Err(format!("more than {LONGEST_CHAIN} references lead to each other"))
    }

    /// Returns the value at a JSON pointer in a fragment (RFC 6901 section 6).
    fn at(&self, pointer: &'d str) -> Option<Ref<'d>> {
        if let Some(known) = self.known.borrow().get(pointer) {
            return *known;
        }
        let found = self.walk(pointer);
        self.known.borrow_mut().insert(pointer, found);
        found
    }

    fn walk(&self, pointer: &str) -> Option<Ref<'d>> {
        if pointer.is_empty() {
            return Some(self.root);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self.root, |value, part| {
            let name = percent_decoded(part).replace("~1", "/").replace("~0", "~");
            if value.is_list() { value.index(name.parse().ok()?) } else { value.get(&name) }
        })
    }
}

/// Returns the format of a description: by its first bytes, and YAML where they do not decide.
fn format_of(bytes: &[u8], name: &str) -> &'static Format {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let named = registry::by_extension(ending).filter(|format| [json::FORMAT.name, yaml::FORMAT.name].contains(&format.name));
    let starts = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    named.unwrap_or(if starts == Some(&b'{') { &json::FORMAT } else { &yaml::FORMAT })
}

/// Returns text with its percent-encoded bytes decoded.
fn percent_decoded(text: &str) -> String {
    let pair = format!("x={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}
