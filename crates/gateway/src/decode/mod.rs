//! Bodies become data, and data becomes bodies.
//!
//! | file | holds |
//! |---|---|
//! | `media_type` | what a media type says |
//! | `charset` | text in other character sets |
//! | `decoder` | the body of a reply as a [`Datum`](polywire_doc::Datum), of what is wanted |
//! | `failure` | bodies that cannot be read |
//! | `request` | the body of a caller's request |
//! | `parts` | bodies of several parts |
//! | `fields` | names and values as an object |
//! | `infer` | what a table should declare, from a recorded reply |
//! | `accept` | which format a caller wants |
//! | `answer_body` | a value as the body of an answer |
//! | `fit` | what of a value a format has no place for |

mod accept;
mod answer_body;
mod charset;
mod decoder;
mod failure;
mod fields;
mod fit;
mod infer;
mod media_type;
mod parts;
mod request;

pub use accept::{Range, choose, ranges};
pub use answer_body::{AnswerBody, Offer, offers};
pub use charset::body_text;
pub use decoder::{Decoded, Decoder};
pub use failure::Undecodable;
pub(crate) use fields::fields;
pub use infer::{Draft, infer};
pub use media_type::BodyType;
pub(crate) use media_type::data_type;
pub use request::{Content, content, request_body};
