//! Messages beside `prost-reflect`: the body of a differential fuzz target.

use std::sync::{Arc, OnceLock};

use polywire_core::tools::diff::{Difference, differences};
use polywire_core::value::Tree;
use polywire_core::walk::PathStep;
use polywire_core::{Budget, ErrorKind, Limits, Reader, Result, Writer};
use protox::Compiler;
use protox::file::{File, FileResolver, GoogleFileResolver};
use protox::prost_reflect::prost::Message;
use protox::prost_reflect::{DynamicMessage, MessageDescriptor};

use super::bodies::{plans, schemas};
use crate::plan::Plan;
use crate::walk::{ProtobufReader, ProtobufWriter};
use crate::wire::framing::Framing;

/// One text, and the files of Google that it imports.
struct One(&'static str);

impl FileResolver for One {
    fn open_file(&self, name: &str) -> std::result::Result<File, protox::Error> {
        if name == "fuzz.proto" { File::from_source(name, self.0) } else { GoogleFileResolver::new().open_file(name) }
    }
}

/// Returns the judge's types of [`schemas`].
fn types() -> &'static [MessageDescriptor] {
    static TYPES: OnceLock<Vec<MessageDescriptor>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let root = |text: &&'static str| {
            let mut compiler = Compiler::with_file_resolver(One(text));
            compiler.include_imports(true).open_file("fuzz.proto").unwrap_or_else(|error| panic!("{error}"));
            compiler.descriptor_pool().get_message_by_name("R").expect("the message R")
        };
        schemas().iter().map(root).collect()
    })
}

fn read<'m>(plan: &Arc<Plan>, bytes: &'m [u8]) -> Result<Tree<'m>> {
    let mut tree = Tree::new();
    let mut reader = ProtobufReader::new(Arc::clone(plan), Framing::Whole);
    reader.walk(bytes, 0, &mut tree, &mut Budget::new(&Limits::DEFAULT.with_decoded(1 << 20)))?;
    Ok(tree)
}

/// Reports whether a difference is the judge's fault. It drops -0.0 as a default, and keeps unknown
/// numbers in a closed enumeration, which the schema at 0 has.
fn excused(choice: usize, found: &Difference) -> bool {
    let is_enum = |step: &PathStep| matches!(step, PathStep::Name(name) if ["e", "es", "m"].contains(&&**name));
    let is_zero = found.right.is_none() && found.left.as_ref().is_some_and(|(left, _)| left.ends_with(" -0.0"));
    is_zero || (choice == 0 && found.path.0.iter().any(is_enum))
}

/// Reports whether the bytes may hold a map's field with another wire type. The judge reads that as
/// an entry.
fn may_have_odd_map(choice: usize, bytes: &[u8]) -> bool {
    let maps: &[u32] = [&[6][..], &[10, 17], &[1]][choice];
    let tags = maps.iter().flat_map(|number| [0, 1, 3, 4, 5].map(|wire_type| number << 3 | wire_type));
    tags.into_iter().any(|tag| {
        // The second byte of a long tag alone may be anything that pads a number.
        let first = if tag < 0x80 { tag as u8 } else { tag as u8 | 0x80 };
        bytes.iter().any(|byte| *byte == first || *byte == first | 0x80)
    })
}

/// Compares a message with the judge's, under a schema that the first byte chooses. The judge's
/// encoding of the message reads as the same value, and our encoding is the same message to it.
///
/// # Panics
/// They disagree.
pub fn judged(bytes: &[u8]) {
    let [choice, bytes @ ..] = bytes else { return };
    let choice = usize::from(*choice) % schemas().len();
    let plan = &plans()[choice];
    // The judge refuses fields of another wire type, more than 100 levels, and text that is not
    // UTF-8, which are no mistakes of the message.
    let Ok(judged) = DynamicMessage::decode(types()[choice].clone(), bytes) else { return };
    let ours = match read(plan, bytes) {
        Ok(ours) => ours,
        // The judge does not ask for required fields.
        Err(error) if error.kind() == ErrorKind::Limit || error.to_string().contains("the required field") => return,
        // The judge takes tags and lengths of up to ten bytes.
        Err(error) if error.to_string().contains("of tags and lengths five") => return,
        Err(_) if may_have_odd_map(choice, bytes) => return,
        Err(error) => panic!("{error} of {}, but the judge reads {judged}", bytes.escape_ascii()),
    };
    // Neither encoding has fields of implicit presence that hold their default.
    let mut writer = ProtobufWriter::new(Arc::clone(plan), Framing::Whole);
    let mut written = Vec::new();
    ours.emit(&mut writer).and_then(|()| writer.finish(&mut written)).unwrap_or_else(|error| panic!("{error}"));
    let theirs = judged.encode_to_vec();
    let back = DynamicMessage::decode(types()[choice].clone(), &written[..]);
    let back = back.unwrap_or_else(|error| panic!("{error} in our encoding of {judged}")).encode_to_vec();
    let ours = read(plan, &written).unwrap_or_else(|error| panic!("{error} in our encoding of {judged}"));
    for theirs in [&theirs, &back] {
        let again = match read(plan, theirs) {
            Ok(again) => again,
            // The judge makes values of maps up, without their required fields.
            Err(error) if error.to_string().contains("the required field") => return,
            Err(error) => panic!("{error} in the judge's encoding of {judged}"),
        };
        let mut found = differences(ours.root().expect("a value"), again.root().expect("a value"), usize::MAX);
        found.retain(|found| !excused(choice, found) && !may_have_odd_map(choice, bytes));
        assert!(found.is_empty(), "{found:?} in {judged}");
    }
}
