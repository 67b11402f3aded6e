//! Programs that some suites need.

use std::path::{Path, PathBuf};

/// Where the programs are that suites need beside the library.
pub struct Tools {
    /// The command line, for suites that a served protocol is judged by.
    pub polywire: Option<PathBuf>,
    /// Folder that `tools/setup.sh suites` fills.
    pub installed: PathBuf,
    /// Folder of this workspace.
    pub home: PathBuf,
}

impl Tools {
    /// Returns a program that `tools/setup.sh suites` installs, if it is there.
    pub fn installed(&self, path: impl AsRef<Path>) -> Result<PathBuf, String> {
        let program = self.installed.join(path);
        if program.exists() { Ok(program) } else { Err(format!("{} is not there; tools/setup.sh suites installs it", program.display())) }
    }

    /// Returns a program of this workspace, which lies beside the one that runs.
    pub fn beside(&self, name: &str) -> Result<PathBuf, String> {
        let here = std::env::current_exe().map_err(|error| error.to_string())?;
        let program = here.with_file_name(name);
        if program.exists() { Ok(program) } else { Err(format!("{} is not built", program.display())) }
    }

    /// Returns the command line, if one was named.
    pub fn polywire(&self) -> Result<&Path, String> {
        self.polywire.as_deref().ok_or_else(|| "no command line was named (--polywire PROGRAM)".to_string())
    }
}
