//! What a reply costs by itself: C++ that reads it and prints its JSON, in this process, on the gateway's core.
#![allow(unsafe_code)]

use std::fs;

use crate::subject::Stage;
use crate::{Error, GATEWAY_CORE};

unsafe extern "C" {
    fn reply_xml(data: *const u8, length: usize) -> usize;
    fn reply_protobuf(data: *const u8, length: usize) -> usize;
}

/// A plain program.
pub struct Plain {
    pub name: &'static str,
    ending: &'static str,
    convert: unsafe extern "C" fn(*const u8, usize) -> usize,
}

/// All of them.
pub const ALL: [Plain; 2] = [
    Plain { name: "pugixml DOM and RapidJSON writer", ending: "xml", convert: reply_xml },
    Plain { name: "Protobuf C++ MessageToJsonString", ending: "protobuf", convert: reply_protobuf },
];

/// Passes of a measurement, of which the processor time is the mean.
const PASSES: u32 = 2000;

impl Plain {
    /// Microseconds of processor time that one reply takes.
    pub fn cpu_micros(&self, stage: &Stage) -> Result<f64, Error> {
        let reply = stage.reply(self.ending)?;
        let convert = self.convert;
        let thread = std::thread::spawn(move || -> Result<f64, String> {
            pin(GATEWAY_CORE)?;
            let pass = || {
                // SAFETY: `reply` is that long; the functions keep nothing of it, and are called by one thread at a time.
                match unsafe { convert(reply.as_ptr(), reply.len()) } {
                    0 => Err("the plain program can't read the reply".to_string()),
                    _ => Ok(()),
                }
            };
            (0..PASSES / 10).try_for_each(|_| pass())?;
            let before = cpu()?;
            (0..PASSES).try_for_each(|_| pass())?;
            Ok((cpu()? - before) * 1e6 / f64::from(PASSES))
        });
        Ok(thread.join().map_err(|_| "the plain program panicked")??)
    }
}

/// Keeps this thread on a core.
fn pin(core: usize) -> Result<(), String> {
    let id = thread_id()?;
    let done = std::process::Command::new("taskset").args(["-cp", &core.to_string(), &id]).output();
    match done {
        Ok(output) if output.status.success() => Ok(()),
        other => Err(format!("taskset: {other:?}")),
    }
}

fn thread_id() -> Result<String, String> {
    let link = fs::read_link("/proc/thread-self").map_err(|error| error.to_string())?;
    Ok(link.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

/// Seconds on a processor of this thread.
fn cpu() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").map_err(|error| error.to_string())?;
    let nanos = text.split_ascii_whitespace().next().and_then(|text| text.parse::<f64>().ok());
    nanos.map(|nanos| nanos / 1e9).ok_or_else(|| "schedstat without figures".to_string())
}
