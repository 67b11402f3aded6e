//! Answers in the content coding that a caller accepts (RFC 9110 12.5.3).

use std::sync::Arc;

use http::Response;
use http_body::Body;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::Predicate;

use super::gateway::Gateway;

/// The shortest body that is compressed, in bytes: with its head, a shorter answer is one packet
/// anyway.
const LEAST: u64 = 1024;

/// Little work for most of the gain, in each of the codings.
const LEVEL: i32 = 3;

/// Compresses answers by gzip, deflate, br or zstd, for callers that ask for it.
pub(super) fn layer(gateway: Arc<Gateway>) -> CompressionLayer<Worth> {
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(Worth(gateway))
}

/// Compresses an answer that is long enough, if the configuration allows it.
#[derive(Clone)]
pub(super) struct Worth(Arc<Gateway>);

impl Predicate for Worth {
    fn should_compress<B: Body>(&self, response: &Response<B>) -> bool {
        // A body of unknown length is sent while it is made: a coding would gather its parts.
        let is_long = response.body().size_hint().upper().is_some_and(|length| length >= LEAST);
        is_long && self.0.directory().settings.compress
    }
}
