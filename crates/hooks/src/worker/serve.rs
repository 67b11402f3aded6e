//! The life of a worker process.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::fence;
use super::link::{AskingLink, Link, LinkConsole};
use super::tasks;
use crate::files::Files;
use crate::process::WorkerProgram;
use crate::process::message::{ANSWER, BEGIN, Begin, CALL, READY};
use crate::sandbox::Sandbox;
use crate::template::Texts;
use crate::wire::{Asker, Frames, Get, Incoming, Put, Wire};

/// Stack for all but the engine, which counts its own.
const BESIDES: usize = 4 << 20;
/// Time and bytes of a call from which on the memory of the process is looked at.
const LONG: (Duration, usize) = (Duration::from_millis(5), 64 << 10);
/// Memory of the process, in bytes, with which it takes no other call: allocators keep
/// what one call has used.
const LARGE: u64 = 32 << 20;
/// The exit code of a worker that cannot serve.
const FAILED: i32 = 70;

/// Serves as a worker if this process was started as one, and then does not return. A program that
/// is its own [`WorkerProgram`] calls it before anything else.
pub fn serve_if_asked() {
    serve_if_asked_by(&std::env::args_os().take(2).collect::<Vec<OsString>>());
}

/// Does the same as [`serve_if_asked`] for a program that an interpreter runs: `arguments` are the
/// program's, the first of which is its name.
pub fn serve_if_asked_by(arguments: &[OsString]) {
    if arguments.get(1).is_some_and(|first| first == WorkerProgram::ARGUMENT) {
        fence::end_with_gateway();
        std::process::exit(if serve().is_ok() { 0 } else { FAILED });
    }
}

/// Makes calls until the gateway is gone.
fn serve() -> io::Result<()> {
    fence::outlive_signals();
    // Standard input is one end of a pair of sockets. Anything else, as when a person starts this,
    // cannot be answered.
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let link = Arc::new(Link::new(Frames::new(stream, u32::MAX as usize)));
    let asker = Arc::new(AskingLink(link.clone())) as Arc<dyn Asker>;
    let Some(Incoming { kind: BEGIN, content }) = link.receive()? else { return Err(io::ErrorKind::InvalidData.into()) };
    let frame = Bytes::from(content);
    let begin = Begin::get(&mut Get::of_gateway(&frame, &link.received, &asker))
        .map_err(|malformed| io::Error::new(io::ErrorKind::InvalidData, malformed.to_string()))?;
    if fence::is_orphan(begin.gateway) {
        return Ok(());
    }
    fence::limit(&begin.limits());
    let work = std::thread::Builder::new().name("hooks".into()).stack_size(begin.stack.saturating_add(BESIDES));
    let ended = work.spawn(move || calls(&begin, &link, &asker))?.join();
    ended.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

fn calls(begin: &Begin, link: &Arc<Link>, asker: &Arc<dyn Asker>) -> io::Result<()> {
    let files = Arc::new(Files::below(Path::new(&begin.root))?);
    let texts = Arc::new(Texts::default());
    let mut sandbox = Sandbox::new(begin.limits(), files, texts.clone());
    // If it fails, the first call reports why.
    let _ = sandbox.prepare();
    link.send(Put::answering(READY, &link.received))?;
    while let Some(Incoming { kind: CALL, content }) = link.receive()? {
        link.begin();
        let (start, length) = (Instant::now(), content.len());
        let frame = Bytes::from(content);
        let mut get = Get::of_gateway(&frame, &link.received, asker);
        let malformed = |_| io::Error::from(io::ErrorKind::InvalidData);
        let (generation, number) = (get.count().map_err(malformed)?, get.byte().map_err(malformed)?);
        if sandbox.renew(generation) {
            texts.forget();
        }
        let answered = tasks::run(number, get, &mut sandbox, LinkConsole::of_call(link));
        let looks = link.looks();
        let mut put = Put::answering(ANSWER, &link.received);
        looks.put(&mut put);
        answered.put(&mut put);
        link.send(put)?;
        drop(answered);
        if (start.elapsed() >= LONG.0 || length >= LONG.1) && fence::resident().is_some_and(|bytes| bytes >= LARGE) {
            // The gateway starts another one.
            return Ok(());
        }
        // After a call that failed, and before the next comes.
        let _ = sandbox.prepare();
    }
    Ok(())
}
