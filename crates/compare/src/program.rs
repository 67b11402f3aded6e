//! Programs of the user, which read all messages on stdin.

use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use polywire_core::{Error, Result};
use wait_timeout::ChildExt;

use crate::comparison::{ProgramRow, Verdict};
use crate::harness::{LEAST_ROUNDS, ROUNDS};
use crate::messages::Messages;
use crate::progress::{Progress, Watch};
use crate::report::counted;
use crate::secrets;
use crate::stats::Spread;

/// Program of the user that a comparison measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Name in reports.
    pub name: String,
    /// Program and arguments, run without a shell.
    pub command: Vec<String>,
}

/// Parses `NAME=COMMAND`. The command is split into words as a POSIX shell does; nothing else of a
/// shell is done.
impl FromStr for Program {
    type Err = Error;

    fn from_str(text: &str) -> Result<Program> {
        let wrong = |seen: &str| Error::usage(format!("`{text}`: {seen}")).expected("NAME=COMMAND, such as 'mine=./parse --fast'");
        let (name, command) = text.split_once('=').ok_or_else(|| wrong("no ="))?;
        if name.trim().is_empty() {
            return Err(wrong("no name"));
        }
        let command = shlex::split(command).ok_or_else(|| wrong("a quote that does not end"))?;
        if command.is_empty() {
            return Err(wrong("no command"));
        }
        Ok(Program { name: name.trim().to_string(), command })
    }
}

/// Most bytes of a program's output that are kept; the rest is read and dropped.
const KEPT: usize = 4096;

/// Time to wait for open output after the program ended, as a child that lives on keeps it open.
const LINGER: Duration = Duration::from_millis(200);

/// Runs every program on all messages and on empty input, in rounds of about `time` seconds in all
/// for each of the two.
///
/// A run is killed after `timeout`.
pub(crate) fn measure(messages: &Messages, programs: &[Program], time: f64, timeout: Duration, watch: &mut Watch<'_>) -> Vec<ProgramRow> {
    if programs.is_empty() {
        return Vec::new();
    }
    let input = Arc::new(stream(messages));
    let mut entered: Vec<Entered<'_>> = programs.iter().map(|program| Entered::new(program, messages.len())).collect();
    for round in 0..=ROUNDS {
        watch(Progress { stage: "running", format: "", done: round, total: ROUNDS + 1 });
        for entry in &mut entered {
            // The first round warms up and is checked.
            if round == 0 || entry.goes_on(time) {
                entry.round(&input, timeout, round > 0);
            }
        }
    }
    entered.into_iter().map(|entry| entry.finish(messages.len(), messages.bytes())).collect()
}

/// Returns all messages as they came, with separators.
fn stream(messages: &Messages) -> Vec<u8> {
    let separator = messages.format().separator.as_bytes();
    let mut bytes = Vec::with_capacity(messages.bytes() + messages.len() * separator.len());
    for index in 0..messages.len() {
        bytes.extend_from_slice(messages.get(index).0);
        bytes.extend_from_slice(separator);
    }
    bytes
}

struct Entered<'p> {
    program: &'p Program,
    messages: usize,
    claimed: Option<u64>,
    why: Option<String>,
    no_start_up: Option<String>,
    /// Seconds of each run on all messages.
    whole: Vec<f64>,
    /// Seconds of each run on empty input.
    empty: Vec<f64>,
}

impl<'p> Entered<'p> {
    fn new(program: &'p Program, messages: usize) -> Entered<'p> {
        Entered { program, messages, claimed: None, why: None, no_start_up: None, whole: Vec::new(), empty: Vec::new() }
    }

    fn goes_on(&self, time: f64) -> bool {
        self.why.is_none() && (self.whole.len() < LEAST_ROUNDS || self.whole.iter().sum::<f64>() < time)
    }

    fn round(&mut self, input: &Arc<Vec<u8>>, timeout: Duration, counts: bool) {
        match self.all(input, timeout) {
            Ok(seconds) if counts => self.whole.push(seconds),
            Ok(_) => {}
            Err(why) => {
                self.why = Some(why);
                return;
            }
        }
        if self.no_start_up.is_none() {
            match run(&self.program.command, &Arc::default(), timeout) {
                Ok(run) if counts => self.empty.push(run.seconds),
                Ok(_) => {}
                Err(why) => self.no_start_up = Some(why),
            }
        }
    }

    /// Returns the seconds of a run on all messages.
    fn all(&mut self, input: &Arc<Vec<u8>>, timeout: Duration) -> Result<f64, String> {
        let run = run(&self.program.command, input, timeout)?;
        self.claimed = std::str::from_utf8(&run.said).ok().and_then(|said| said.trim().parse::<u64>().ok());
        match self.claimed {
            Some(claimed) if claimed != self.messages as u64 => {
                Err(format!("claims {claimed} of {}", counted(self.messages as u64, "message")))
            }
            _ => Ok(run.seconds),
        }
    }

    fn finish(self, messages: usize, bytes: usize) -> ProgramRow {
        let ns = |seconds: &[f64]| Spread::of(&seconds.iter().map(|seconds| seconds * 1e9).collect::<Vec<f64>>());
        let each: Vec<f64> = self.whole.iter().zip(&self.empty).map(|(whole, empty)| (whole - empty) / messages.max(1) as f64).collect();
        let usable = self.why.is_none();
        let started = usable && self.no_start_up.is_none();
        let per_message = ns(&each).filter(|each| started && each.median > 0.0);
        let rate = |spread: Spread| bytes as f64 / messages.max(1) as f64 / spread.median * 1e3;
        ProgramRow {
            name: self.program.name.clone(),
            command: secrets::masked(&self.program.command),
            verdict: if usable { Verdict::Exact } else { Verdict::Impossible },
            why: self.why,
            claimed: self.claimed,
            run: ns(&self.whole).filter(|_| usable),
            no_start_up: self.no_start_up.filter(|_| usable),
            start_up: ns(&self.empty).filter(|_| started),
            per_message,
            mb_per_s: per_message.map(rate),
        }
    }
}

struct Run {
    seconds: f64,
    said: Vec<u8>,
}

/// Runs a command once. The error is in words.
fn run(command: &[String], input: &Arc<Vec<u8>>, timeout: Duration) -> Result<Run, String> {
    let [program, arguments @ ..] = command else { return Err("no command".to_string()) };
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let said = kept(stdout);
    let complained = kept(stderr);
    // Not waited for: a child of the program may keep the pipe open without reading.
    let input = Arc::clone(input);
    std::thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // A program may end before it has read everything; its count and its status say whether
            // that is right.
            let _ = stdin.write_all(&input);
        }
    });
    let outcome = child.wait_timeout(timeout);
    let seconds = start.elapsed().as_secs_f64();
    if !matches!(outcome, Ok(Some(_))) {
        // It may have ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
    }
    let status = outcome.map_err(|error| format!("{program} was lost: {error}"))?;
    match status {
        None => Err(format!("did not end within {} s", timeout.as_secs_f64())),
        Some(status) if !status.success() => {
            let complained = complained();
            let text = String::from_utf8_lossy(&complained);
            let first = text.lines().find(|line| !line.trim().is_empty()).map_or_else(String::new, |line| format!(": {}", line.trim()));
            Err(format!("{status}{first}"))
        }
        Some(_) => Ok(Run { seconds, said: said() }),
    }
}

/// Reads all of a pipe on a thread of its own. The returned function waits for its beginning.
fn kept(pipe: Option<impl Read + Send + 'static>) -> impl FnOnce() -> Vec<u8> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = [0; 1 << 16];
        let mut left = KEPT;
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => {
                    let take = read.min(left);
                    left -= take;
                    if take > 0 {
                        // Nobody may be listening any more; the pipe is emptied all the same.
                        let _ = sender.send(buffer[..take].to_vec());
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
    move || {
        let mut all = Vec::new();
        loop {
            match receiver.recv_timeout(LINGER) {
                Ok(piece) => all.extend(piece),
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return all,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_as_a_shell_splits_it_and_no_more() {
        let program: Program = r#" mine = ./a\ b 'c  d' "e=$f" * "#.parse().unwrap();
        assert_eq!(program.name, "mine");
        assert_eq!(program.command, ["./a b", "c  d", "e=$f", "*"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_lives_on_holds_nobody_up() {
        let program: Program = "mother=sh -c 'sleep 30 & wc -c'".parse().unwrap();
        let run = run(&program.command, &Arc::new(vec![b'x'; 1 << 20]), Duration::from_secs(20)).unwrap();
        assert_eq!(String::from_utf8_lossy(&run.said).trim(), "1048576");
    }
}
