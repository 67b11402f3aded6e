//! Code generated from dictionaries, held against the codec's decoders.

use polywire_usds::dictionary::Dictionary;
use polywire_usds::document::signature;
use polywire_usds::plan::Plan;
use polywire_usds::testing::{Doors, plain};
use polywire_usds_runtime::{Arena, Decode, DecodeOwned, Encode, Error, Form, Root, Roots, Usds};

/// The generated code of one dictionary.
pub struct Door {
    /// Its text.
    pub dictionary: &'static str,
    /// A document of that form with a body.
    pub document: fn(Form, &[u8]) -> Result<Vec<u8>, Error>,
    /// Holds a document against the dictionary.
    pub validate: fn(&[u8]) -> Result<(), Error>,
    /// Decodes all roots of a document, borrowing, and encodes them as a body.
    pub borrow: fn(&[u8]) -> Result<Vec<u8>, Error>,
    /// The same, owning.
    pub own: fn(&[u8]) -> Result<Vec<u8>, Error>,
}

/// The door of a dictionary, if code could be made of it.
pub fn door(dictionary: &str) -> Option<&'static Door> {
    DOORS.iter().find(|door| door.dictionary == dictionary)
}

/// A dictionary by both ways.
pub struct Twin {
    /// The generated code.
    pub door: &'static Door,
    /// The dictionary, and its other decoders.
    pub doors: Doors,
    /// The dictionary.
    pub dictionary: Dictionary,
    signature: u8,
}

impl Twin {
    /// Both ways.
    ///
    /// # Panics
    /// If the dictionary of the door is none: it was one when the code was made.
    pub fn new(door: &'static Door) -> Twin {
        let dictionary = Dictionary::parse("dictionary", door.dictionary.as_bytes()).expect("a dictionary");
        let signature = signature(Plan::new(dictionary.clone().into()).wire());
        Twin { door, doors: Doors::new(dictionary.clone()), dictionary, signature }
    }

    /// Checks that all ways agree on the entries of a body: they refuse it with the same number at the
    /// same place, or encode their values to the same bytes. Returns whether the bytes are entries.
    ///
    /// # Panics
    /// If they don't agree.
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

/// A value as a body.
pub fn body<T: Encode<Usds> + Root>(value: &T) -> Vec<u8> {
    let mut body = Vec::new();
    value.encode(&mut body);
    body
}

/// A body decoded, borrowing.
///
/// # Panics
/// If it is none.
pub fn borrowed<'a, T: Decode<'a, Usds> + Root>(body: &'a [u8], arena: &'a Arena) -> T {
    T::decode(body, arena).unwrap_or_else(|error| panic!("{error}"))
}

/// A body decoded, owning, and checked.
///
/// # Panics
/// If it is none.
pub fn owned<T: DecodeOwned<Usds> + Root>(body: &[u8]) -> T {
    assert_eq!(T::validate(body), Ok(()));
    T::decode_owned(body).unwrap_or_else(|error| panic!("{error}"))
}

/// A value as a document that carries its dictionary.
///
/// # Panics
/// If it is too large for a head.
pub fn document<T: Encode<Usds> + Root>(value: &T) -> Vec<u8> {
    value.to_document(Form::HeadDictionaryBody).unwrap_or_else(|error| panic!("{error}"))
}

/// The body of the fuzz target: the first byte chooses a dictionary, the rest claims to be entries of a
/// body, and a document.
pub fn fuzz(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let door = &DOORS[usize::from(first) % DOORS.len()];
    Twin::new(door).agree(bytes);
    let checked = (door.validate)(bytes);
    assert_eq!((door.own)(bytes).err(), checked.clone().err());
    assert_eq!((door.borrow)(bytes).err(), checked.err());
}

include!(concat!(env!("OUT_DIR"), "/usds.rs"));
