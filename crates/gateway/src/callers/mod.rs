//! Callers of the interface: who they are, and what they may do.
//!
//! | file | holds |
//! |---|---|
//! | `settings` | the settings `callers` and `rates` |
//! | `keys` | API keys |
//! | `tokens` | JWT: their signature and claims |
//! | `jwks` | the keys of an issuer, which change |
//! | `verifier` | signatures, verified by the library that TLS uses |
//! | `identity` | a caller, as its request shows |
//! | `scope` | routes and tables that a caller may use |
//! | `rate` | one rate |
//! | `rates` | how many requests a caller may make |

pub mod identity;
mod jwks;
pub mod keys;
pub mod rate;
pub mod rates;
pub mod scope;
pub mod settings;
mod tokens;
mod verifier;
