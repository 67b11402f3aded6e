//! ASN.1: modules of X.680 to X.683, the resolved model of them, and messages by it.
//!
//! - [`lex`] splits a text into words, each with its bytes; comments are kept apart.
//! - [`syntax`] is the tree of a module as it is written, and [`parse`] makes it. Braces whose
//!   meaning depends on a type or class elsewhere stay ranges of words until that is known.
//! - [`Modules`] takes the texts and resolves them: names across modules, parameters, objects,
//!   values, tags after their environment, and the constraints that PER sees.
//! - [`model`] is the result.
//! - [`walk`] maps values to the walk and back; [`ber`], [`per`], [`jer`] and [`xer`] are the
//!   encodings: BER, DER and CER, PER and OER, JER, XER and canonical XER.
//! - [`x509`] has a module of certificates, keys and signed messages, and reads them by their
//!   shapes.
//! - [`language`] and [`load`] make ASN.1 a schema language: its layout, conversion, imports.
//!
//! Macros of X.208 are stepped over, with a caution.
//! Constraints that PER does not see (X.691 10.3) are parsed and have no effect in the model.
//!
//! ```
//! use polywire_asn1::Modules;
//! use polywire_asn1::model::{Kind, Range};
//! use polywire_core::Limits;
//!
//! let mut modules = Modules::new();
//! modules.add("tickets.asn", b"Tickets DEFINITIONS AUTOMATIC TAGS ::= BEGIN Seat ::= SEQUENCE { row INTEGER (1..40) } END");
//! let model = modules.resolve(&Limits::DEFAULT).expect("the module is right");
//! let Kind::Sequence(seat) = &model.ty(model.named("Tickets", "Seat").expect("it is there")).kind else { panic!() };
//! let row = model.ty(seat.root[0].ty);
//! assert_eq!(row.constraints.value.expect("it is constrained").range, Range { low: Some(1), high: Some(40) });
//!
//! let mut wrong = Modules::new();
//! wrong.add("b.asn", b"B DEFINITIONS ::= BEGIN\n  Seat ::= Row\nEND");
//! let found = wrong.resolve(&Limits::DEFAULT).unwrap_err();
//! assert_eq!(found.to_string(), "b.asn:2:12: `Row` is not defined (define it, or import it (X.680 13.10))");
//! ```
#![forbid(unsafe_code)]

mod adopt;
pub mod ber;
mod bind;
mod compat;
mod format;
mod framing;
pub mod jer;
pub mod language;
pub mod lex;
pub mod load;
pub mod model;
pub mod parse;
pub mod per;
mod resolve;
mod settings;
pub mod syntax;
pub mod walk;
pub mod x509;
pub mod xer;

pub use format::{APER, BER, CER, COER, CXER, DER, JER, OER, UPER, XER};
pub use resolve::Modules;
