//! Any bytes as BER, DER and CER of the types of `Forms.asn`: what the readers and writers make of
//! them. The body of a fuzz target.

use std::cell::RefCell;
use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::ber::{BerReader, BerWriter, Rules, defaults};
use polywire_asn1::walk::Plan;
use polywire_core::{Budget, Limits, Reader, Tree, Writer};

const FORMS: &str = include_str!("../../../../testdata/asn1/Forms.asn");

/// Types of the module, one of which the first byte chooses.
const TYPES: [(&str, &str); 6] =
    [("Forms", "Numbers"), ("Forms", "Strings"), ("Forms", "Shapes"), ("Forms", "Choice"), ("Tagged", "Outer"), ("Tagged", "Order")];

const RULES: [Rules; 3] = [Rules::Basic, Rules::Distinguished, Rules::Canonical];

type Made = Vec<(BerReader, BerWriter)>;

thread_local! {
    static MADE: RefCell<Made> = RefCell::new(make());
}

/// Makes a reader and a writer of each type, in all rules.
fn make() -> Made {
    let mut modules = Modules::new();
    modules.add("Forms.asn", FORMS.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).expect("the modules are right"));
    let mut made = Vec::new();
    for (module, ty) in TYPES {
        let ty = model.named(module, ty).expect("the type");
        let plan = Arc::new(Plan::new(Arc::clone(&model), ty).expect("a plan"));
        let defaults = Arc::new(defaults(&plan));
        for rules in RULES {
            let reader = BerReader::new(Arc::clone(&plan), Arc::clone(&defaults), rules);
            made.push((reader, BerWriter::new(Arc::clone(&plan), Arc::clone(&defaults), rules).unknown(true)));
        }
    }
    made
}

/// Reads a message and writes it again. The first byte chooses the type and the rules.
///
/// # Panics
/// A promise is broken: DER and CER accept only the bytes that they write, and bytes that BER
/// writes mean the same again.
pub fn ber(bytes: &[u8]) {
    let Some((&chosen, message)) = bytes.split_first() else { return };
    MADE.with_borrow_mut(|made| {
        let chosen = usize::from(chosen) % made.len();
        let limits = Limits::DEFAULT.with_depth(100);
        let (reader, writer) = &mut made[chosen];
        let mut tree = Tree::new();
        if reader.walk(message, 0, &mut tree, &mut Budget::new(&limits)).is_err() {
            return;
        }
        let mut out = Vec::new();
        reader.walk(message, 0, writer, &mut Budget::new(&limits)).expect("what was read is written");
        if writer.finish(&mut out).is_err() {
            // A time or text of BER that its own type does not have.
            writer.reset();
            return;
        }
        writer.losses();
        if chosen % RULES.len() != 0 {
            assert_eq!(out, message);
        } else {
            let mut again = Tree::new();
            reader.walk(&out, 0, &mut again, &mut Budget::new(&limits)).expect("what was written is read");
        }
    });
}
