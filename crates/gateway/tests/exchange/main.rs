//! The client of the gateway against servers on loopback: ordinary ones, and misbehaving ones.

mod backend;
mod caller;
mod certificates;
mod down;
mod faults;
#[path = "../folder/mod.rs"]
mod folder;
mod limits;
mod ordinary;
mod protocols;
mod recorded;
mod redirects;
mod redis;
mod redis_server;
mod safety;
#[path = "../serving/mod.rs"]
mod serving;
mod timing;
