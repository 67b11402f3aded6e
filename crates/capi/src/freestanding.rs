//! What a library without Rust's standard library has to bring: what happens at a panic. There is none that bytes or calls could cause, so it ends the program.

use core::panic::PanicInfo;

#[link(name = "c")]
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}
