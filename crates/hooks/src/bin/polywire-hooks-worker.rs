//! A worker process for programs that are none themselves, such as tests.

fn main() -> Result<(), &'static str> {
    polywire_hooks::worker::serve_if_asked();
    Err("a gateway starts this program")
}
