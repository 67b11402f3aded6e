//! BoringSSL's certificates: NIST's PKITS, and malformed ones.

use crate::cases::Cases;
use crate::der::{self, pem};
use crate::files;
use crate::suite::Suite;

/// The test data of BoringSSL's path builder and of its X.509.
pub static SUITE: Suite = Suite {
    name: "der-boringssl",
    format: "DER",
    title: "BoringSSL's certificates (PKITS too)",
    folder: "google+boringssl",
    needs: "pki/testdata",
    licence: "Apache-2.0",
    rule: "DER, as a strict reader of our own judges, is read without a remark; all else is refused or remarked on",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().to_path_buf();
    for folder in ["pki/testdata", "crypto/x509/test"] {
        if !root.join(folder).is_dir() {
            continue;
        }
        for path in files::below(&root.join(folder), |name| [".pem", ".crt", ".crl", ".der"].iter().any(|ending| name.ends_with(ending)))? {
            let name = files::within(&root, &path);
            let bytes = files::bytes(&path)?;
            if bytes.first() == Some(&0x30) {
                cases.run(folder, name, || der::judged(&bytes));
                continue;
            }
            for (index, (kind, bytes)) in pem::blocks(&bytes).into_iter().enumerate() {
                if bytes.is_empty() || ["ERRORS", "TIME", "HOST", "KEY PURPOSE", "HISTOGRAM"].iter().any(|text| kind.contains(text)) {
                    cases.skip("blocks of settings, which are no DER");
                } else {
                    cases.run(folder, format!("{name}/{index} {kind}"), || der::judged(&bytes));
                }
            }
        }
    }
    Ok(())
}
