//! Exchanges as files: `--record DIR` writes them, `--replay DIR` answers from them without a
//! network.
//!
//! An exchange is a text file of both heads, `HOST/METHOD-PATH-DIGEST.http`, and the bodies lie
//! beside it: `.request.TYPE` and `.reply.TYPE`, without content coding. The name follows from
//! method, URI and request body, not from headers, as ids and dates differ each time. The last
//! exchange of a name is kept. Secret headers, user information and secret parameters are left out.

mod name;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;

use super::error::ErrorKind;
use super::head;
use super::message::{Request, Response, Timings};
use crate::secrets::Secrets;
use name::{extension, name};

/// The place where exchanges are kept or come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Tape {
    /// Nowhere: the network only.
    #[default]
    Off,
    /// Exchanges go over the network and into this directory.
    Record(PathBuf),
    /// Replies come from this directory only.
    Replay(PathBuf),
}

/// Writes an exchange.
pub async fn record(directory: &Path, request: &Request, response: &Response, secrets: &Secrets) -> Result<(), ErrorKind> {
    let name = name(request, secrets);
    let path = directory.join(&name);
    let failed = |error: io::Error| ErrorKind::Tape { file: name.clone(), reason: error.to_string() };
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await.map_err(failed)?;
    }
    let mut text = format!("{} {} HTTP/1.1\n", request.method, secrets.show(&request.uri)).into_bytes();
    let mut headers = request.headers.clone();
    secrets.remove(&mut headers);
    head::write_headers(&headers, &mut text);
    let mut headers = response.headers.clone();
    secrets.remove(&mut headers);
    head::write(response.status, &headers, &mut text);
    if !request.body.is_empty() {
        let beside = path.with_extension(format!("request.{}", extension(&request.headers)));
        put(&beside, &request.body).await.map_err(failed)?;
    }
    put(&path.with_extension(format!("reply.{}", extension(&response.headers))), &response.body).await.map_err(failed)?;
    // The heads come last: an exchange that has them is complete.
    put(&path, &text).await.map_err(failed)
}

/// Writes a file that others see whole or not at all.
async fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{:016x}", fastrand::u64(..)));
    tokio::fs::write(&aside, bytes).await?;
    tokio::fs::rename(&aside, path).await
}

/// Returns the recorded reply to a request.
pub async fn replay(directory: &Path, request: &Request, secrets: &Secrets) -> Result<Response, ErrorKind> {
    let name = name(request, secrets);
    let path = directory.join(&name);
    let failed = |reason: String| ErrorKind::Tape { file: name.clone(), reason };
    let text = match tokio::fs::read(&path).await {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ErrorKind::Unrecorded { file: name }),
        Err(error) => return Err(failed(error.to_string())),
    };
    let reply = memchr::memmem::find(&text, b"\n\n").map_or(&[][..], |end| &text[end + 2..]);
    let (status, headers, _) = head::read(reply).ok_or_else(|| failed("expected two heads, of a request and of its reply".to_owned()))?;
    let beside = path.with_extension(format!("reply.{}", extension(&headers)));
    let body = tokio::fs::read(&beside).await.map_err(|error| failed(format!("{}: {error}", beside.display())))?;
    let received = body.len() as u64;
    let timings = Timings { total: Duration::ZERO, ..Timings::default() };
    Ok(Response { status, headers, body: Bytes::from(body), uri: request.uri.clone(), received, retries: 0, timings })
}
