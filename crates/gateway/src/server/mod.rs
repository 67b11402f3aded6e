//! The HTTP interface (specification 12).
//!
//! | file | holds |
//! |---|---|
//! | `gateway` | what all requests share: directory, service, settings |
//! | `caller` | a caller's request as parameters of a script |
//! | `run` | scripts run, and their answers |
//! | `answer` | data and failures as HTTP replies |
//! | `describe` | what is said of tables and routes: data for programs, or pages |
//! | `pages` | pages for people |
//! | `openapi` | the routes as an OpenAPI document |
//! | `compress` | answers in the content coding that a caller accepts |
//! | `fault` | faults of the server itself |
//! | `router` | which path does what |
//! | `serve` | a gateway from its start to its end: threads, signals, reloading |
//! | `listen` | connections: limits, slow callers, graceful shutdown |

mod answer;
mod caller;
mod compress;
mod describe;
mod fault;
mod gateway;
mod listen;
mod openapi;
mod pages;
mod router;
mod run;
mod serve;

pub use gateway::{Gateway, Start};
pub use listen::{Listening, listen};
pub use polywire_ql::execute::Catalog;
pub use router::router;
pub use run::query;
pub use serve::{Serve, Told, serve};
