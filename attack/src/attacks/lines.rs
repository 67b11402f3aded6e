//! Line ends in values: headers of requests and answers, lines of logs.

use crate::trial::Trial;
use crate::wire::http1;

/// Line ends, and what is read as one.
const ENDS: &[&str] =
    &["%0d%0a", "%0a", "%0d", "%00", "%e5%98%8a%e5%98%8d", "%c4%8d%c4%8a", "%e2%80%a8", "%c2%85", "%0b", "%0c", "%250d%250a"];

/// Values that would be headers of a request, of an answer, or a line of the log.
pub fn ends(trial: &Trial<'_>) {
    for end in ENDS {
        for target in [
            format!("/told?q=a{end}X-Evil:%20poison&lang=en"),
            format!("/told?q=a&lang=en{end}{end}GET%20/evil%20HTTP/1.1{end}Host:%20x{end}{end}"),
            format!("/labelled?q=a{end}X-Evil:%20poison"),
            format!("/one?q=a{end}GET%20/evil%20HTTP/1.1"),
            format!("/nowhere{end}X-Evil:%20poison"),
        ] {
            trial.world.service.forget();
            if let Ok(answer) = trial.asked(&http1::request("GET", &target, trial.port, "")) {
                trial.expect(answer.header("x-evil").is_none(), || format!("{target}: a header of the answer"));
            }
            trial.expect(trial.world.service.seen("/evil HTTP").is_empty() && trial.world.service.seen("GET /evil").is_empty(), || {
                format!("{target}: a request of its own")
            });
            for seen in trial.world.service.seen("/") {
                let header = seen.head.lines().any(|line| line.to_ascii_lowercase().starts_with("x-evil:"));
                trial.expect(!header, || format!("{target}: a header of the request"));
            }
        }
    }
    // Headers of the caller that would be lines of a log.
    trial.get_with("/one?q=1", "User-Agent: a\x0b{\"status\":200}\r\nX-Forwarded-For: 1.2.3.4, {}\r\n");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let access = trial.world.gateway.access();
    let odd = access.lines().find(|line| !(line.starts_with('{') && line.ends_with('}')) || line.contains("\"X-Evil"));
    trial.expect(odd.is_none(), || format!("a line of the access log: {:.200}", odd.unwrap_or_default()));
}
