//! A caller's connection, with TLS or without.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};
use tokio_rustls::server::TlsStream;

use super::activity::Activity;
use super::opening::Opening;

/// The time during which bytes of a caller are still read after the last answer. Closing at once
/// would make its system throw away the answer that says why (RFC 9112 9.6).
const LINGER: Duration = Duration::from_secs(2);

/// Bytes to and from a caller.
pub(super) struct Wire {
    stream: Stream,
    activity: Activity,
    opening: Opening,
    closing: Closing,
}

enum Closing {
    No,
    /// The last answer is sent; whether the caller is done is unknown.
    Asking,
    /// The caller is not done.
    Lingering(Pin<Box<Sleep>>),
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Wire {
    /// Wraps a connection without TLS.
    pub fn plain(stream: TcpStream, activity: Activity) -> Wire {
        Wire { stream: Stream::Plain(stream), activity, opening: Opening::default(), closing: Closing::No }
    }

    /// Wraps a connection with TLS, after its handshake.
    pub fn tls(stream: TlsStream<TcpStream>, activity: Activity) -> Wire {
        Wire { stream: Stream::Tls(Box::new(stream)), activity, opening: Opening::default(), closing: Closing::No }
    }
}

macro_rules! either {
    ($this:expr, $stream:ident => $call:expr) => {
        match &mut $this.stream {
            Stream::Plain(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            Stream::Tls(stream) => {
                let $stream = Pin::new(&mut **stream);
                $call
            }
        }
    };
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let outcome = either!(self, stream => stream.poll_read(cx, buf));
        self.activity.moved(buf.filled().len() - before);
        if !self.opening.admits(&buf.filled()[before..]) {
            // As if the caller had closed.
            self.activity.foreign();
            buf.set_filled(before);
        }
        outcome
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = either!(self, stream => stream.poll_write(cx, buf));
        self.note(&outcome);
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if matches!(self.closing, Closing::No) {
            ready!(either!(self, stream => stream.poll_shutdown(cx)))?;
            self.closing = Closing::Asking;
        }
        self.poll_linger(cx).map(Ok)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Plain(stream) => stream.is_write_vectored(),
            Stream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bufs: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let outcome = either!(self, stream => stream.poll_write_vectored(cx, bufs));
        self.note(&outcome);
        outcome
    }
}

impl Wire {
    /// Reads the caller's remaining bytes, and throws them away.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 4096];
        loop {
            let mut space = ReadBuf::new(&mut space);
            match either!(self, stream => stream.poll_read(cx, &mut space)) {
                Poll::Ready(Ok(())) if !space.filled().is_empty() => {}
                Poll::Ready(_) => return Poll::Ready(()),
                // The request has been read.
                Poll::Pending if matches!(self.closing, Closing::Asking) => return Poll::Ready(()),
                Poll::Pending => break,
            }
            if !matches!(self.closing, Closing::Lingering(_)) {
                self.closing = Closing::Lingering(Box::pin(sleep(LINGER)));
            }
            if self.is_over(cx) {
                return Poll::Ready(());
            }
        }
        if self.is_over(cx) { Poll::Ready(()) } else { Poll::Pending }
    }

    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let Closing::Lingering(time) = &mut self.closing else { return false };
        time.as_mut().poll(cx).is_ready()
    }

    fn note(&self, outcome: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(written)) = outcome {
            self.activity.moved(*written);
        }
    }
}
