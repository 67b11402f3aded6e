//! Collects the body of a reply into one piece, within a limit.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body;

use super::error::ErrorKind;
use super::watch::{Late, Watch};

/// The most memory reserved before bytes fill it; a longer body grows as it arrives.
const TRUST: u64 = 256 << 10;

/// The reason why there is no body.
pub(crate) enum Broken<E> {
    Late(Late),
    Error(ErrorKind),
    /// The connection's error, and the bytes received before it.
    Transport {
        error: E,
        received: u64,
        expected: Option<u64>,
    },
}

/// A whole body.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    /// Its bytes.
    pub bytes: Bytes,
    /// The trailers behind it.
    pub trailers: HeaderMap,
}

/// Returns the whole body. A body in one piece is not copied; others are copied once.
pub(crate) async fn collect<B>(mut body: B, limit: u64, watch: &mut Watch) -> Result<Whole, Broken<B::Error>>
where
    B: Body<Data = Bytes> + Unpin,
{
    let expected = body.size_hint().exact();
    let too_long = || Broken::Error(ErrorKind::TooLong { limit, decoded: false });
    if expected.is_some_and(|expected| expected > limit) {
        return Err(too_long());
    }
    let mut whole = BytesMut::new();
    // The body, if it came in one piece.
    let mut piece = None;
    let mut trailers = HeaderMap::new();
    let mut received = 0u64;
    loop {
        let frame = watch.wait(poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))).await.map_err(Broken::Late)?;
        let data = match frame {
            None => return Ok(Whole { bytes: piece.unwrap_or_else(|| whole.freeze()), trailers }),
            Some(Err(error)) => return Err(Broken::Transport { error, received, expected }),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => data,
                Err(frame) => {
                    trailers.extend(frame.into_trailers().unwrap_or_default());
                    continue;
                }
            },
        };
        received += data.len() as u64;
        if received > limit {
            return Err(too_long());
        }
        if whole.is_empty() && expected == Some(received) {
            if body.is_end_stream() {
                return Ok(Whole { bytes: data, trailers });
            }
            piece = Some(data);
            continue;
        }
        if whole.capacity() - whole.len() < data.len() {
            // The buffer doubles where the length is unknown; else it stays within the announced
            // length.
            let most = expected.unwrap_or(limit).min(limit).max(received);
            let wish = (2 * received).max(TRUST).min(most);
            let wish = if expected.is_none() && whole.is_empty() { received } else { wish };
            whole.reserve(usize::try_from(wish - whole.len() as u64).unwrap_or(data.len()));
        }
        whole.extend_from_slice(&data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{BodyExt, Full, StreamBody};

    async fn collected(pieces: &[&'static [u8]], limit: u64) -> Option<Bytes> {
        let pieces: Vec<_> =
            pieces.iter().map(|piece| Ok::<_, std::io::Error>(http_body::Frame::data(Bytes::from_static(piece)))).collect();
        let body = StreamBody::new(futures_util::stream::iter(pieces)).boxed();
        collect(body, limit, &mut Watch::new(None, None)).await.ok().map(|whole| whole.bytes)
    }

    #[tokio::test]
    async fn in_one_piece_and_within_the_limit() {
        assert_eq!(collected(&[], 0).await.unwrap(), "");
        assert_eq!(collected(&[b"ab", b"", b"c"], 3).await.unwrap(), "abc");
        assert_eq!(collected(&[b"ab", b"c"], 2).await, None);
        assert_eq!(collected(&[b"a".repeat(300_000).leak(), b"b"], 300_001).await.unwrap().len(), 300_001);
    }

    #[tokio::test]
    async fn what_came_in_one_piece_is_not_copied() {
        let bytes = Bytes::from_static(b"abc");
        let whole = collect(Full::new(bytes.clone()), 3, &mut Watch::new(None, None)).await.ok().unwrap();
        assert_eq!(whole.bytes.as_ptr(), bytes.as_ptr());
        assert!(collect(Full::new(bytes), 2, &mut Watch::new(None, None)).await.is_err());
    }
}
