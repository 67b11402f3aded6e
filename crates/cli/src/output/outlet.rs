//! An output under way: stdout, a file, or a file that takes another one's place when it is whole.

use std::fs::{File, Permissions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use polywire_core::Error;
use polywire_core::format::payload::Encoding;
use tempfile::NamedTempFile;

use crate::args::output::Compress;
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// The place of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file or device, which is written as the result comes.
    File(PathBuf),
    /// A file that is there, or changes, only when the result is whole. It keeps these permissions.
    Whole(PathBuf, Option<Permissions>),
}

/// An output under way. Without [`Outlet::finish`] a [`Target::Whole`] stays as it was.
pub struct Outlet {
    /// Compresses into `sink`'s file, or is it.
    writer: Writer,
    whole: Option<(NamedTempFile, PathBuf, Option<Permissions>)>,
    /// Path of a file, for messages to people.
    name: Option<String>,
    /// True if a person may be waiting for each message.
    pub is_terminal: bool,
    /// True for stdout, if it gets the bytes as they are.
    pub is_plain_stdout: bool,
}

enum Writer {
    Plain(Box<dyn Write>),
    Compressed(Box<dyn Encoding>),
}

impl Outlet {
    /// Opens an output.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn open(target: &Target, compress: Compress) -> Result<Outlet, Failure> {
        let (mut name, mut whole, mut is_terminal) = (None, None, false);
        let failed = |path: &Path, error: &io::Error| Failure::Error(Error::io("creating", error), Some(path.display().to_string()));
        let sink: Box<dyn Write> = match target {
            Target::Stdout => {
                is_terminal = io::stdout().is_terminal();
                Box::new(stdout::stdout().map_err(|error| unwritten(&error))?)
            }
            Target::File(path) => {
                name = Some(path.display().to_string());
                Box::new(File::create(path).map_err(|error| failed(path, &error))?)
            }
            Target::Whole(path, permissions) => {
                name = Some(path.display().to_string());
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
                let permissions = permissions.clone().or_else(|| Some(path.metadata().ok()?.permissions()));
                let made = temporary(folder, permissions.clone()).and_then(|file| Ok((file.reopen()?, file)));
                let (file, temporary) = made.map_err(|error| failed(path, &error))?;
                whole = Some((temporary, path.clone(), permissions));
                Box::new(file)
            }
        };
        let writer = match compress {
            Compress::None => Writer::Plain(sink),
            Compress::By(codec, level) => {
                let Some(encoder) = &codec.encoder else { return Err(Error::internal("a codec that is not written").into()) };
                Writer::Compressed((encoder.encode)(sink, level).map_err(|error| unwritten(&error))?)
            }
        };
        let is_plain_stdout = *target == Target::Stdout && matches!(compress, Compress::None);
        Ok(Outlet { writer, whole, name, is_terminal, is_plain_stdout })
    }

    /// Writes the end, and puts a [`Target::Whole`] in its place.
    ///
    /// # Errors
    /// The output cannot be written. A file in its place then stays.
    pub fn finish(self) -> Result<(), Failure> {
        let about = |error: &io::Error| Failure::about(Error::io("writing the output", error), self.name.as_deref());
        match self.writer {
            Writer::Plain(mut plain) => plain.flush(),
            Writer::Compressed(compressed) => compressed.finish(),
        }
        .map_err(|error| about(&error))?;
        let Some((temporary, path, permissions)) = self.whole else { return Ok(()) };
        let file = temporary.as_file();
        permissions.map_or(Ok(()), |kept| file.set_permissions(kept)).and_then(|()| file.sync_all()).map_err(|error| about(&error))?;
        temporary.persist(&path).map(|_| ()).map_err(|error| about(&error.error))
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Writer::Plain(plain) => plain.write(bytes),
            Writer::Compressed(compressed) => compressed.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Plain(plain) => plain.flush(),
            Writer::Compressed(compressed) => compressed.flush(),
        }
    }
}

/// Makes a file in `folder` that goes away unless it is put in a place. Nobody may read it who may
/// not read what it becomes: a file with `permissions`, or any new file.
fn temporary(folder: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".polywire-");
    #[cfg(unix)]
    let permissions = permissions.or_else(|| Some(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder)
}
