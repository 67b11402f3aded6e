//! Any bytes as XER of the types of `Packed.asn`: readers and writers survive them. The body of a
//! fuzz target.

use std::cell::RefCell;
use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::walk::Plan;
use polywire_asn1::xer::{Checks, Xer, XerReader, XerWriter};
use polywire_core::{Budget, Limits, Reader, Tree, Writer};

const PACKED: &str = include_str!("../../../../testdata/asn1/Packed.asn");

thread_local! {
    static MADE: RefCell<Vec<(XerReader, XerWriter)>> = RefCell::new(make());
}

/// Makes a reader and a relay of each type.
fn make() -> Vec<(XerReader, XerWriter)> {
    let mut modules = Modules::new();
    modules.add("Packed.asn", PACKED.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).expect("the module is right"));
    let plan = |ty| Xer::new(Arc::new(Plan::new(Arc::clone(&model), ty).expect("a plan")));
    let types = model.modules[0].types.iter();
    types.map(|(_, ty)| plan(*ty)).map(|xer| (xer.reader(Checks::Remark), xer.relay())).collect()
}

/// Reads a message and writes it again. The first byte chooses the type.
///
/// # Panics
/// A promise is broken: a relay writes what was read, and what it wrote is read.
pub fn xer(bytes: &[u8]) {
    let Some((&chosen, message)) = bytes.split_first() else { return };
    MADE.with_borrow_mut(|made| {
        let chosen = usize::from(chosen) % made.len();
        let limits = Limits::DEFAULT.with_depth(100).with_decoded(1 << 20);
        let (reader, writer) = &mut made[chosen];
        if reader.walk(message, 0, writer, &mut Budget::new(&limits)).is_err() {
            writer.reset();
            return;
        }
        let mut out = Vec::new();
        writer.finish(&mut out).expect("what was read is written");
        writer.losses();
        let mut again = Tree::new();
        reader.walk(&out, 0, &mut again, &mut Budget::new(&limits)).expect("what was written is read");
    });
}
