//! Rules for requests that browsers may send on behalf of others' pages.
//!
//! | file | holds |
//! |---|---|
//! | `name` | host and port of a request or of a page's origin |
//! | `hosts` | names that the gateway answers for |
//! | `site` | requests of other sites' pages |
//! | `cors` | origins whose pages may read answers |

pub mod cors;
pub mod hosts;
pub mod name;
pub mod site;
