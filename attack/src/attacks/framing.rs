//! Routes that would frame their answers themselves.

use crate::trial::Trial;

/// Headers of a connection, as a route sets them: such routes are not served.
pub fn routes(trial: &Trial<'_>) {
    for header in ["Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Trailer", "TE", "Keep-Alive"] {
        let answer = trial.get(&format!("/framing/{header}"));
        trial.refused(answer, &[404], header);
    }
    // A name that a caller makes.
    for name in ["Content-Length", "transfer-encoding", "Connection", "Content-Length:", "X\r\nContent-Length", "Transfer-Encoding "] {
        let script = format!("return 1 via route '/x' using method get using headers '{name}' = '0'");
        if let Some(answer) = trial.script(&script) {
            let lengths = answer.head.to_ascii_lowercase().matches("content-length").count()
                + answer.head.to_ascii_lowercase().matches("transfer-encoding").count();
            trial.expect(lengths == 1, || format!("{name:?} by a script: {}", answer.head));
        }
    }
}
