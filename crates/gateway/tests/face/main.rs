//! The HTTP interface, as callers see it, on loopback.

mod bodies;
mod coding;
mod encoders;
mod openapi;
mod pages;
mod paths;
mod server;
