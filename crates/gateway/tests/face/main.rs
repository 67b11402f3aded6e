//! The HTTP interface, as callers see it, on loopback.

mod bodies;
mod coding;
mod encoders;
mod paths;
mod server;
