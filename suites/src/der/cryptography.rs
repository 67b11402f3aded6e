//! Vectors of Python's package cryptography: certificates, keys, requests, lists, responses.

use crate::cases::Cases;
use crate::der::{self, pem};
use crate::files;
use crate::suite::Suite;

/// cryptography_vectors.
pub static SUITE: Suite = Suite {
    name: "der-cryptography",
    format: "DER",
    title: "cryptography_vectors",
    folder: "pyca+cryptography-vectors",
    needs: "cryptography_vectors/x509",
    licence: "Apache-2.0 OR BSD-3-Clause",
    rule: "DER, as a strict reader of our own judges, is read without a remark; all else is refused or remarked on",
    others: "",
    run,
};

fn run(cases: &mut Cases<'_>) -> Result<(), String> {
    let root = cases.root().join("cryptography_vectors");
    const ENDINGS: [&str; 8] = [".pem", ".crt", ".crl", ".der", ".p12", ".p7b", ".csr", ".key"];
    for (folder, part) in [("x509", "x509"), ("asymmetric", "asymmetric"), ("pkcs7", "pkcs7"), ("pkcs12", "pkcs12")] {
        if !root.join(folder).is_dir() {
            continue;
        }
        for path in files::below(&root.join(folder), |name| ENDINGS.iter().any(|ending| name.ends_with(ending)))? {
            let name = files::within(&root, &path);
            let bytes = files::bytes(&path)?;
            if bytes.first() == Some(&0x30) {
                cases.run(part, name, || der::judged(&bytes));
                continue;
            }
            for (index, (kind, bytes)) in pem::blocks(&bytes).into_iter().enumerate() {
                if kind.contains("OPENSSH") || bytes.first() != Some(&0x30) {
                    cases.skip("keys of OpenSSH and encrypted ones, which are no DER");
                } else {
                    cases.run(part, format!("{name}/{index}"), || der::judged(&bytes));
                }
            }
        }
    }
    Ok(())
}
