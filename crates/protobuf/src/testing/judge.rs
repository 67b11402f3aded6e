//! Messages beside `prost-reflect`: the body of a differential fuzz target.

use std::sync::{Arc, OnceLock};

use polywire_core::tools::diff::differences;
use polywire_core::value::Tree;
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
        Err(error) if error.kind() == ErrorKind::Limit => return,
        Err(error) => panic!("{error}, but the judge reads {judged}"),
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
        let again = read(plan, theirs).unwrap_or_else(|error| panic!("{error} in the judge's encoding of {judged}"));
        let found = differences(ours.root().expect("a value"), again.root().expect("a value"), 3);
        assert!(found.is_empty(), "{found:?} in {judged}");
    }
}
