//! The HTTP interface (specification 12).
//!
//! | file | holds |
//! |---|---|
//! | `gateway` | what all requests share: directory, service, settings |
//! | `caller` | a caller's request as parameters of a script |
//! | `admission` | who may send scripts |
//! | `run` | scripts run, and their answers |
//! | `explained` | scripts asked what they do |
//! | `events` | what happens in a script, for who asks |
//! | `socket` | scripts over WebSocket |
//! | `watch` | what is counted, logged and traced of each request |
//! | `answer` | data and failures as HTTP replies |
//! | `router` | which path does what |
//! | `serve` | a gateway from its start to its end: threads, signals, reloading |
//! | `listen` | connections: limits, slow callers, graceful shutdown |

mod admission;
mod answer;
mod caller;
mod events;
mod explained;
mod gateway;
mod listen;
mod router;
mod run;
mod serve;
mod socket;
mod watch;

pub use explained::{Explained, explain};
pub use gateway::{Gateway, Start};
pub use listen::{Listening, listen};
pub use polywire_ql::execute::Catalog;
pub use polywire_ql::explain::{Asked, asked};
pub use polywire_ql::failure::Failure;
pub use router::router;
pub use run::query;
pub use serve::{Serve, Told, serve};
