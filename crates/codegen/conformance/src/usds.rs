//! Compares code generated from dictionaries with the codec's decoders.

use polywire_usds::dictionary::Dictionary;
use polywire_usds::document::signature;
use polywire_usds::plan::Plan;
use polywire_usds::testing::{Doors, plain};
use polywire_usds_runtime::{Arena, Decode, DecodeOwned, Encode, Error, Form, Root, Roots, Usds};

/// The generated code of one dictionary.
pub struct Door {
    /// Text of the dictionary.
    pub dictionary: &'static str,
    /// Returns a document of the given form with a body.
    pub document: fn(Form, &[u8]) -> Result<Vec<u8>, Error>,
    /// Validates a document against the dictionary.
    pub validate: fn(&[u8]) -> Result<(), Error>,
    /// Decodes all roots of a document, borrowing, and encodes them as a body.
    pub borrow: fn(&[u8]) -> Result<Vec<u8>, Error>,
    /// Decodes all roots of a document, owning, and encodes them as a body.
    pub own: fn(&[u8]) -> Result<Vec<u8>, Error>,
}

/// Returns the door of a dictionary, if code was generated for it.
pub fn door(dictionary: &str) -> Option<&'static Door> {
    DOORS.iter().find(|door| door.dictionary == dictionary)
}

/// A dictionary in generated code and in the codec.
pub struct Twin {
    /// Generated code.
    pub door: &'static Door,
    /// Decoders of the codec.
    pub doors: Doors,
    /// Dictionary.
    pub dictionary: Dictionary,
    signature: u8,
}

impl Twin {
    /// Returns both sides of a dictionary.
    ///
    /// # Panics
    /// The dictionary of the door is invalid.
    pub fn new(door: &'static Door) -> Twin {
        let dictionary = Dictionary::parse("dictionary", door.dictionary.as_bytes()).expect("a dictionary");
        let signature = signature(Plan::new(dictionary.clone().into()).wire());
        Twin { door, doors: Doors::new(dictionary.clone()), dictionary, signature }
    }

    /// Checks that all decoders agree on the entries of a body: they reject it with the same code
    /// at the same offset, or encode their values to the same bytes. Returns true if the bytes are
    /// entries.
    ///
    /// # Panics
    /// They disagree.
    pub fn agree(&self, entries: &[u8]) -> bool {
        let body = [&[self.signature], entries].concat();
        let wanted = plain(&self.dictionary, entries).map(|_| ());
        let shown = || format!("{body:02x?} of\n{}", self.door.dictionary);
        for (name, came) in [
            ("checking", (self.door.validate)(&body).map(|()| body.clone())),
            ("borrowing", (self.door.borrow)(&body)),
            ("owning", (self.door.own)(&body)),
        ] {
            match (&wanted, came) {
                (Ok(()), came) => assert_eq!(came.as_ref(), Ok(&body), "{name}: {}", shown()),
                (Err((code, at)), Err(error)) => {
                    assert_eq!((Some(error.cause().code()), error.offset()), (*code, at + 1), "{name}: {error} for {}", shown());
                }
                (Err(wanted), Ok(_)) => panic!("{name}: {wanted:?} was expected for {}", shown()),
            }
        }
        wanted.is_ok()
    }
}

/// Returns a value as a body.
pub fn body<T: Encode<Usds> + Root>(value: &T) -> Vec<u8> {
    let mut body = Vec::new();
    value.encode(&mut body);
    body
}

/// Decodes a body, borrowing.
///
/// # Panics
/// The bytes are not a body.
pub fn borrowed<'a, T: Decode<'a, Usds> + Root>(body: &'a [u8], arena: &'a Arena) -> T {
    T::decode(body, arena).unwrap_or_else(|error| panic!("{error}"))
}

/// Decodes a body, owning, and validates it.
///
/// # Panics
/// The bytes are not a body.
pub fn owned<T: DecodeOwned<Usds> + Root>(body: &[u8]) -> T {
    assert_eq!(T::validate(body), Ok(()));
    T::decode_owned(body).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a value as a document that carries its dictionary.
///
/// # Panics
/// The body is too large for the document's head.
pub fn document<T: Encode<Usds> + Root>(value: &T) -> Vec<u8> {
    value.to_document(Form::HeadDictionaryBody).unwrap_or_else(|error| panic!("{error}"))
}

/// Body of the fuzz target: the first byte chooses a dictionary, the rest is the entries of a body,
/// and a document.
pub fn fuzz(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let door = &DOORS[usize::from(first) % DOORS.len()];
    Twin::new(door).agree(bytes);
    let checked = (door.validate)(bytes);
    assert_eq!((door.own)(bytes).err(), checked.clone().err());
    assert_eq!((door.borrow)(bytes).err(), checked.err());
}

include!(concat!(env!("OUT_DIR"), "/usds.rs"));
