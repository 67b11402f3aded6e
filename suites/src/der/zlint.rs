//! zlint: certificates with every odd extension.

use crate::cases::Cases;
use crate::der::{self, pem};
use crate::files;
use crate::suite::Suite;

/// The test certificates of zlint.
pub static SUITE: Suite = Suite {
    name: "der-zlint",
    format: "DER",
    title: "zlint's certificates",
    folder: "zmap+zlint",
    needs: "v3/testdata",
    licence: "Apache-2.0",
    rule: "DER, as a strict reader of our own judges, is read without a remark; all else is refused or remarked on",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("v3/testdata");
    for path in files::below(&root, |name| name.ends_with(".pem"))? {
        let name = files::within(&root, &path);
        for (index, (kind, bytes)) in pem::blocks(&files::bytes(&path)?).into_iter().enumerate() {
            let part = if kind.contains("CRL") { "lists" } else { "certificates" };
            cases.run(part, format!("{name}/{index}"), || der::judged(&bytes));
        }
    }
    Ok(())
}
