//! Calls of other libraries that may panic on hostile bytes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Number of calls under way on this thread whose panics are caught.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Calls code of others. Returns nothing if it panics. The panic is silent in a program that called
/// [`hush_caught`].
pub fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    CALLS.set(CALLS.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    CALLS.set(CALLS.get() - 1);
    outcome.ok()
}

/// Has panics that [`caught`] catches print nothing. Other panics go to the hook that was set
/// before. For programs: the hook is one of the whole process.
pub fn hush_caught() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if CALLS.get() == 0 {
                usual(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_is_nothing() {
        assert_eq!(caught(|| 7), Some(7));
        assert_eq!(caught(|| -> u8 { panic!("a test") }), None);
        assert_eq!(caught(|| caught(|| -> u8 { panic!("a test") })), Some(None));
        assert_eq!(super::CALLS.get(), 0);
    }
}
