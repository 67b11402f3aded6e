//! Results on stdout: each write that fails is an error.
//!
//! The standard library puts `/dev/null` in the place of a closed stdout, and takes writes to one
//! that is not open for writing as done. Either way results would be lost without a word.

use std::io::{self, Write};
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// True if the program was started with stdout closed, as `>&-` does.
#[cfg(unix)]
static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
ctor::declarative::ctor! {
    /// Looks at stdout before the standard library replaces a closed one. It calls nothing that
    /// needs the library.
    #[ctor(unsafe)]
    fn look() {
        CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }
}

/// Returns stdout, for results. It has no buffer of its own.
///
/// # Errors
/// The descriptor cannot be duplicated.
pub fn stdout() -> io::Result<Stdout> {
    Ok(Stdout { inner: open()? })
}

#[cfg(unix)]
fn open() -> io::Result<Box<dyn Write>> {
    use std::os::fd::AsFd;
    if CLOSED.load(Ordering::Relaxed) {
        return Ok(Box::new(Closed));
    }
    Ok(Box::new(std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
fn open() -> io::Result<Box<dyn Write>> {
    Ok(Box::new(io::stdout().lock()))
}

/// Writes all of `bytes` to stdout.
///
/// # Errors
/// They cannot be written.
pub fn write(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut out = stdout()?;
    out.write_all(bytes)?;
    out.flush()
}

/// Stdout, open or not.
pub struct Stdout {
    inner: Box<dyn Write>,
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A stdout that was closed from the start.
#[cfg(unix)]
struct Closed;

#[cfg(unix)]
impl Write for Closed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() { Ok(0) } else { Err(io::Error::other("stdout is closed")) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
