//! Any bytes as XER and CXER of the types of `Packed.asn`: readers and writers survive them. The
//! body of a fuzz target.

use std::cell::RefCell;
use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::walk::Plan;
use polywire_asn1::xer::{Checks, Xer, XerReader, XerWriter};
use polywire_core::{Budget, Limits, Reader, Tree, Writer};

const PACKED: &str = include_str!("../../../../testdata/asn1/Packed.asn");

thread_local! {
    static MADE: RefCell<Vec<[(XerReader, XerWriter); 2]>> = RefCell::new(make());
}

/// Makes a reader and a relay of each type, and those of the canonical rules.
fn make() -> Vec<[(XerReader, XerWriter); 2]> {
    let mut modules = Modules::new();
    modules.add("Packed.asn", PACKED.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).expect("the module is right"));
    let plan = |ty| Arc::new(Plan::new(Arc::clone(&model), ty).expect("a plan"));
    let both = |plan| [Xer::new(Arc::clone(&plan)), Xer::canonical(plan)];
    let types = model.modules[0].types.iter();
    types.map(|(_, ty)| both(plan(*ty)).map(|xer| (xer.reader(Checks::Remark), xer.relay()))).collect()
}

/// Reads a message and writes it again. The first byte chooses the type.
///
/// # Panics
/// A promise is broken: a relay writes what was read, and what it wrote is read. A canonical text
/// is read by both rules, and written as it is.
pub fn xer(bytes: &[u8]) {
    let Some((&chosen, message)) = bytes.split_first() else { return };
    MADE.with_borrow_mut(|made| {
        let chosen = usize::from(chosen) % made.len();
        let limits = Limits::DEFAULT.with_depth(100).with_decoded(1 << 20);
        let [(reader, writer), (strict, canonical)] = &mut made[chosen];
        if reader.walk(message, 0, writer, &mut Budget::new(&limits)).is_err() {
            writer.reset();
            return;
        }
        let mut out = Vec::new();
        writer.finish(&mut out).expect("what was read is written");
        writer.losses();
        let mut again = Tree::new();
        reader.walk(&out, 0, &mut again, &mut Budget::new(&limits)).expect("what was written is read");
        let mut one = Vec::new();
        canonical.reset();
        reader.walk(&out, 0, canonical, &mut Budget::new(&limits)).expect("what was read is read again");
        if canonical.finish(&mut one).is_err() {
            // A value without a canonical text.
            return canonical.reset();
        }
        canonical.losses();
        let mut text = Vec::new();
        strict.walk(&one, 0, canonical, &mut Budget::new(&limits)).expect("canonical text is read");
        canonical.finish(&mut text).expect("what was read is written");
        canonical.losses();
        assert_eq!(one, text, "a value has one text");
    });
}
