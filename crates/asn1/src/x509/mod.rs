//! Certificates, lists of revoked ones, requests, keys, PKCS #12, CMS, OCSP and time stamps by a
//! bundled module of ASN.1.
//!
//! Nothing in the bytes names their type, but each has a shape of its own: `shape` knows it by
//! the first tags. Messages are read as BER; those that are not DER get a remark with the rule.

mod read;
mod shape;

use std::sync::{Arc, OnceLock};

use polywire_core::format::{Confidence, Format, Nature};
use polywire_core::{Error, Limits, Result};

use crate::Modules;
use crate::ber::{Defaults, defaults};
use crate::model::{Model, TypeId};
use crate::walk::{Op, Plan};

/// The module of ASN.1 that has all types: our own writing, with the facts of the RFCs that it
/// names.
pub const MODULE: &str = include_str!("certificates.asn");

/// Name of the format, and of the file in messages.
const NAME: &str = "x509";

/// The format's line in the registry.
pub static FORMAT: Format = Format::new(
    NAME,
    "X.509 certificates, PKCS and CMS",
    Nature::Binary,
    |start, _| shape::recognise(start).map_or(Confidence::No, |(_, confidence)| confidence),
    || Box::new(read::X509Reader::default()),
)
.media_types(&["application/x-x509", "application/pkcs7-mime", "application/x-pkcs12", "application/ocsp-response"])
.extensions(&["crt", "crl", "csr", "p7b", "p7c", "p7m", "p7s", "p8", "p10", "p12", "pfx", "tsq", "tsr"])
.magic("a SEQUENCE of the shape of a certificate, key, request or signed message");

/// Labels of PEM, and the names of the messages in their blocks (RFC 7468 5 to 13, OpenSSL's own).
const LABELS: &[(&str, &str)] = &[
    ("CERTIFICATE", "certificate"),
    ("X509 CERTIFICATE", "certificate"),
    ("TRUSTED CERTIFICATE", "certificate"),
    ("X509 CRL", "certificateList"),
    ("CERTIFICATE REQUEST", "certificationRequest"),
    ("NEW CERTIFICATE REQUEST", "certificationRequest"),
    ("PRIVATE KEY", "privateKeyInfo"),
    ("ENCRYPTED PRIVATE KEY", "encryptedPrivateKeyInfo"),
    ("PUBLIC KEY", "subjectPublicKeyInfo"),
    ("RSA PRIVATE KEY", "rsaPrivateKey"),
    ("RSA PUBLIC KEY", "rsaPublicKey"),
    ("EC PRIVATE KEY", "ecPrivateKey"),
    ("DSA PRIVATE KEY", "dsaPrivateKey"),
    ("PKCS7", "contentInfo"),
    ("CMS", "contentInfo"),
];

/// Returns the name of the message that `start`, the first bytes of a block of PEM, begins, if the
/// block's label names another one.
pub fn mislabelled(label: &str, start: &[u8]) -> Option<&'static str> {
    let (_, named) = LABELS.iter().find(|(known, _)| *known == label)?;
    let (index, _) = shape::recognise(start)?;
    let found = shape::MESSAGES[index];
    (found != *named).then_some(found)
}

/// Tables of the bundled module, made once.
#[derive(Debug)]
struct Tables {
    plan: Arc<Plan>,
    defaults: Arc<Defaults>,
}

/// Returns the tables of the bundled module.
///
/// # Errors
/// The module has a mistake, which is ours.
fn tables() -> Result<&'static Tables> {
    static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
    TABLES.get_or_init(make).as_ref().ok_or_else(|| Error::internal("the bundled module of certificates"))
}

fn make() -> Option<Tables> {
    let (model, root) = model()?;
    let mut plan = Plan::new(Arc::new(model), root).ok()?;
    // A message stands alone: the tag that the module gives an alternative is not on the wire.
    let Op::Choice(messages) = plan.node(root).op else { return None };
    let alternatives: Vec<TypeId> = plan.choice(messages).alternatives.iter().map(|known| known.ty).collect();
    for ty in alternatives {
        let tags = plan.node(ty).tags[1..].into();
        plan.nodes[ty.0 as usize].tags = tags;
    }
    let defaults = defaults(&plan);
    Some(Tables { plan: Arc::new(plan), defaults: Arc::new(defaults) })
}

fn model() -> Option<(Model, TypeId)> {
    let mut modules = Modules::new();
    modules.add(NAME, MODULE.as_bytes());
    let model = modules.resolve(&Limits::DEFAULT).ok()?;
    let root = model.named("Certificates", "Message")?;
    Some((model, root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_right() {
        let mut modules = Modules::new();
        modules.add(NAME, MODULE.as_bytes());
        let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
        let cautions: Vec<String> = model.cautions.iter().map(|caution| caution.message.clone()).collect();
        assert!(cautions.iter().all(|caution| caution.contains("ANY")), "{cautions:?}");
        let tables = tables().expect("tables");
        let names: Vec<&str> = shape::MESSAGES.to_vec();
        let Op::Choice(messages) = tables.plan.node(tables.plan.root()).op else { panic!() };
        let alternatives: Vec<&str> = tables.plan.choice(messages).alternatives.iter().map(|known| &*known.name).collect();
        assert_eq!(alternatives, names);
    }
}
