//! Services that are asked for many rows: in pages, in batches, and once for equal requests. Over
//! HTTP on loopback, at real sizes.

mod batches;
#[path = "../folder/mod.rs"]
mod folder;
mod pages;
#[path = "../serving/mod.rs"]
mod serving;
mod sharing;
mod world;
