//! The services behind the tables: the language's calls become exchanges (docs/spec/ql.md 7.1, 8
//! and 10).
//!
//! | file | holds |
//! |---|---|
//! | `session` | the services, and the backend of one execution |
//! | `backend` | calls of the language |
//! | `prepare` | loads what a table's verb needs: decoder, hooks, templates |
//! | `shelf` | keeps what was loaded |
//! | `accept` | the value of `Accept` where a table declares nothing |
//! | `call` | one call of a table's verb |
//! | `request` | parameters become requests |
//! | `parameters` | parameters become the value of an encoded body |
//! | `rpc` | gRPC and Connect: time limits, statuses, frames |
//! | `soap` | SOAP: envelopes and faults |
//! | `send` | requests go out, through the cache |
//! | `share` | equal requests of one execution are made once |
//! | `pages`, `link` | rows that come in pages |
//! | `reply` | replies become data |
//! | `transform` | replies that a transformer reads |
//! | `looked` | the places of replies that hooks look at |
//! | `part` | replies that are decoded in part, though hooks look at them |
//! | `functions` | user functions |
//! | `problem` | errors of hooks, exchanges and decoders, as the language reports them |

mod accept;
mod backend;
mod call;
mod functions;
mod link;
mod looked;
mod pages;
mod parameters;
mod part;
mod prepare;
mod problem;
mod reply;
mod request;
mod rpc;
mod send;
mod session;
mod share;
mod shelf;
mod soap;
mod transform;

pub(crate) use accept::accepted;
pub use session::{Parts, Service, Session};
