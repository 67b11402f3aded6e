//! A worker process for programs that are none themselves, such as tests.

fn main() {
    polywire_hooks::worker::serve_if_asked();
    eprintln!("a gateway starts this program, with the argument {}", polywire_hooks::worker::WorkerProgram::ARGUMENT);
    std::process::exit(2);
}
