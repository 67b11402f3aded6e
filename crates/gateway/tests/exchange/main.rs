//! The client of the gateway against servers on loopback: ordinary ones, and those that do what they should not.

mod backend;
mod caller;
mod faults;
mod limits;
mod ordinary;
mod protocols;
mod recorded;
mod redirects;
mod redis;
mod redis_server;
mod safety;
mod timing;
