//! The panic handler of a library without Rust's standard library. No bytes or calls can cause a
//! panic, so it ends the program.

use core::panic::PanicInfo;

#[link(name = "c")]
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}
