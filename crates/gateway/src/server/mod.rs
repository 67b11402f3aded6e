//! The HTTP interface (docs/spec/ql.md 12).
//!
//! | file | holds |
//! |---|---|
//! | `gateway` | what all requests share: directory, service, settings |
//! | `plans` | plans of callers' scripts, kept for who sends the same again |
//! | `caller` | a caller's request as parameters of a script |
//! | `callers` | who calls, and how often |
//! | `admission` | who may send scripts |
//! | `exposure` | who can send scripts, by the address that is listened on |
//! | `guard` | requests for unknown hosts, and of other sites' pages |
//! | `framed` | requests that others could read in another way |
//! | `body` | a caller's body, read within its limits |
//! | `execute` | plans executed, within their deadline |
//! | `run` | scripts run, and their answers |
//! | `stream` | answers that are sent while they are made |
//! | `pace` | when scripts start, where there is more to do than processors can |
//! | `relief` | free memory, given back to the system |
//! | `local` | scripts of the program's own user, who may read files |
//! | `persisted` | scripts that callers name by their hash |
//! | `explained` | scripts asked what they do |
//! | `events` | what happens in a script, for who asks |
//! | `socket` | scripts over WebSocket |
//! | `notes` | notes that requests and answers carry for their account |
//! | `watch` | what is counted, logged and traced of each request |
//! | `answer` | data and failures as HTTP replies |
//! | `describe` | what is said of tables and routes: data for programs, or pages |
//! | `pages` | pages for people |
//! | `openapi` | the routes as an OpenAPI document |
//! | `compress` | answers in the content coding that a caller accepts |
//! | `panics` | panics as answers |
//! | `router` | which path does what |
//! | `serve` | a gateway from its start to its end: threads, signals, reloading |
//! | `notice` | files that change are noticed |
//! | `files` | how many files and connections the process may have open |
//! | `listen` | connections: limits, slow callers, graceful shutdown |
//! | `activity` | what a connection does, so that it can be closed when it does nothing |
//! | `opening` | connections of other protocols |
//! | `tls` | TLS of callers |
//! | `wire` | a connection, with TLS or without |

mod activity;
mod admission;
mod answer;
mod body;
mod caller;
mod callers;
mod compress;
mod describe;
mod events;
mod execute;
mod explained;
mod exposure;
mod files;
mod framed;
mod gateway;
mod guard;
mod head;
mod listen;
mod local;
mod logs;
mod notes;
mod notice;
mod openapi;
mod opening;
mod pace;
mod pages;
mod panics;
mod persisted;
mod plans;
mod relief;
mod router;
mod run;
mod serve;
mod socket;
mod stream;
mod tls;
mod watch;
mod wire;

pub use explained::Explained;
pub use gateway::{Gateway, Start};
pub use listen::{Listening, listen};
pub use local::{MEMORY, explain, query};
pub use logs::LogPlaces;
pub use pace::Pace;
pub use polywire_ql::error::QueryError;
pub use polywire_ql::execute::{Catalog, Execution};
pub use polywire_ql::explain::{Asked, asked};
pub use router::{monitor, router};
pub use serve::{Serve, ServeEvent, serve};
pub use tls::{Tls, tls};
