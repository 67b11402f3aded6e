//! OpenSSL's corpora: inputs that its fuzzers found.

use crate::cases::Cases;
use crate::der;
use crate::files;
use crate::suite::Suite;

/// OpenSSL's fuzz corpora.
pub static SUITE: Suite = Suite {
    name: "der-openssl",
    format: "DER",
    title: "OpenSSL's fuzz corpora",
    folder: "openssl+fuzz-corpora",
    needs: "asn1parse",
    licence: "Apache-2.0",
    rule: "DER, as a strict reader of our own judges, is read without a remark; all else is refused or remarked on; no input panics",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for folder in ["asn1", "asn1parse", "x509", "crl", "cms"] {
        if !root.join(folder).is_dir() {
            continue;
        }
        for path in files::in_folder(&root.join(folder), |_| true)? {
            let bytes = files::bytes(&path)?;
            cases.run(folder, format!("{folder}/{}", files::name(&path)), || der::judged(&bytes));
        }
    }
    Ok(())
}
