//! The HTTP interface, as callers see it, on loopback.

mod bodies;
mod browsers;
mod coding;
mod encoders;
mod files;
#[path = "../folder/mod.rs"]
mod folder;
mod openapi;
mod pages;
mod paths;
mod server;
#[path = "../serving/mod.rs"]
mod serving;
mod streams;
