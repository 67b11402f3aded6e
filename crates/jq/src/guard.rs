//! Bounds on what a running filter takes: its stack and its memory.
//!
//! The interpreter calls itself for each call of a definition, and has no errors for a stack that
//! is used up or for memory. So the functions that it calls on the way, those of values and of its
//! context, look at both, and unwind to [`caught`] where a bound is passed.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use polywire_core::{Error, ErrorKind, Fault};

/// Bytes of stack that a filter may use. A thread that runs filters has more.
const STACK: usize = 192 << 20;

/// Bytes of the stack of a thread that runs filters: see [`thread`]. Pages that no filter reaches
/// are never taken.
pub(crate) const WHOLE_STACK: usize = 256 << 20;

/// Bytes that the values of a filter may take at once.
pub const MEMORY: u64 = 4 << 30;

thread_local! {
    static BOUNDS: Cell<Option<Bounds>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct Bounds {
    /// Address in the stack at which the run began.
    from: usize,
    stack: usize,
    memory: Memory,
}

/// The memory that a filter may use.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Bytes at most.
    pub most: u64,
    /// Returns the bytes of the calling thread that are in use, if the program counts them.
    pub used: Option<fn() -> i64>,
    /// Bytes in use that are not the filter's.
    pub before: i64,
}

impl Memory {
    /// Returns the same bound for what the calling thread takes from here on.
    #[must_use]
    pub fn from_here(self) -> Memory {
        Memory { before: self.used.map_or(0, |used| used()), ..self }
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { most: MEMORY, used: None, before: 0 }
    }
}

/// The bound that was passed.
enum Passed {
    Stack,
    Memory(u64),
}

#[inline(always)]
fn here() -> usize {
    let place = 0u8;
    std::ptr::from_ref(std::hint::black_box(&place)) as usize
}

/// Unwinds if the stack is used up.
#[inline]
pub(crate) fn stack() {
    if let Some(bounds) = BOUNDS.get()
        && bounds.from.abs_diff(here()) > bounds.stack
    {
        resume_unwind(Box::new(Passed::Stack));
    }
}

/// Unwinds if the stack or the memory is used up.
#[inline]
pub(crate) fn look() {
    let Some(bounds) = BOUNDS.get() else { return };
    if bounds.from.abs_diff(here()) > bounds.stack {
        resume_unwind(Box::new(Passed::Stack));
    }
    if let Some(used) = bounds.memory.used
        && used().saturating_sub(bounds.memory.before) > bounds.memory.most as i64
    {
        resume_unwind(Box::new(Passed::Memory(bounds.memory.most)));
    }
}

/// Unwinds if a list of this number of values takes more memory than there may be.
#[inline]
pub(crate) fn list(len: usize) {
    if len > 1 << 16 {
        let Some(bounds) = BOUNDS.get() else { return };
        if (len * size_of::<crate::Val>()) as u64 > bounds.memory.most {
            resume_unwind(Box::new(Passed::Memory(bounds.memory.most)));
        }
        look();
    }
}

/// Runs a part of a filter within the bounds.
///
/// # Errors
/// It passed one.
pub(crate) fn caught<T>(memory: Memory, stack: usize, run: impl FnOnce() -> T) -> Result<T, Error> {
    let before = BOUNDS.replace(Some(Bounds { from: here(), stack, memory }));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    BOUNDS.set(before);
    outcome.map_err(|thrown| match thrown.downcast::<Passed>() {
        Ok(passed) => error(&passed),
        Err(thrown) => resume_unwind(thrown),
    })
}

#[cold]
fn error(passed: &Passed) -> Error {
    let error = Error::new(ErrorKind::Limit, Fault::Caller);
    match passed {
        Passed::Stack => {
            error.seen("a filter that calls itself too deep").expected("a recursion with an end, or one whose last step is the call")
        }
        Passed::Memory(most) => error.seen(format!("a filter whose values take more than {most} bytes")),
    }
}

/// Runs `run` on a thread with a stack for filters, and waits for it.
///
/// # Errors
/// The thread cannot be started.
pub fn thread<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(WHOLE_STACK).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| Error::io("starting a thread", &error))?;
        thread.join().map_err(|thrown| resume_unwind(thrown))
    })
}

/// Bytes of stack for a filter on a thread of [`thread`].
pub(crate) const fn whole() -> usize {
    STACK
}
