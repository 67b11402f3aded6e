//! Callers that are known: keys, tokens, scopes, rates, persisted scripts, and the cost of scripts.
//! Over real HTTP, with an issuer on loopback whose keys change.

#[path = "../folder/mod.rs"]
mod folder;
mod issuer;
mod keys;
#[path = "../mock/mod.rs"]
mod mock;
mod rates;
#[path = "../exchange/redis_server.rs"]
mod redis_server;
mod scripts;
#[path = "../serving/mod.rs"]
mod serving;
mod tokens;
mod world;
