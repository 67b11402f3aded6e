//! Files of columns as an output: the schema that their columns have.

use std::io::Cursor;
use std::path::Path;

use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::Files;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::{Bad, Stream};
use polywire_core::{Error, Schema};
use polywire_schema::infer::Inference;

use crate::args::convert::ConvertArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::schema::text;
use crate::{diagnostics, stderr};

/// Bytes of an input that is read once from which a schema is inferred: 8 MiB.
const SAMPLE: usize = 8 << 20;

/// The schema of columns.
pub struct Chosen {
    /// Schema of the messages.
    pub schema: Schema,
    /// True if no message has a field that the schema does not have.
    pub is_all: bool,
}

/// Returns the schema that the arguments or the input give, unless messages are converted in
/// another shape than they have there.
pub fn given(args: &ConvertArgs, input: &Input, is_only: bool) -> Result<Option<Chosen>, Failure> {
    let is_reshaped =
        args.select.is_some() || args.open.is_some() || args.each.each.is_some() || args.shape.join || args.shape.shape().is_some();
    if args.shape.slurp {
        return Err(Error::usage("--slurp with a file of columns as the output").expected("messages, which are rows").into());
    }
    if is_reshaped {
        return Ok(None);
    }
    if let Some(path) = &args.schema.schema {
        let schema = read(path, args)?;
        return Ok(Some(Chosen { schema, is_all: false }));
    }
    let own = input.columns().filter(|_| is_only);
    Ok(own.map(|(schema, is_all)| Chosen { schema: schema.clone(), is_all }))
}

/// Reads the schema that `--schema` and `--type` name, in any language.
fn read(path: &Path, args: &ConvertArgs) -> Result<Schema, Failure> {
    let opened = text::open(Some(path), None)?;
    let mut files = Files::new().including(args.schema.include.clone());
    let read = opened.reader.read(&opened.text(), &mut files).map_err(|diagnostics| text::refused(&diagnostics))?;
    diagnostics::print(&Diagnostics { sources: read.sources, findings: read.warnings });
    let mut schema = read.schema;
    if let Some(name) = &args.schema.ty {
        let is_it = |known: &str| known == name || known.rsplit('.').next() == Some(name);
        let found = schema.types.iter().find(|named| is_it(&named.name)).map(|named| named.name.clone());
        let missing = || Error::usage(format!("the type `{name}`")).expected("a type of the schema");
        schema.root = Some(found.ok_or_else(|| Failure::about(missing(), Some(&opened.name)))?);
    }
    Ok(schema)
}

/// Gathers the schema of messages.
#[derive(Default)]
pub struct Gathered(Inference);

impl Gathered {
    /// Adds the messages of an input on up to `threads` threads. Returns false if one of them is
    /// broken: those before it count. The conversion meets that message, too, and reports it.
    pub fn add(&mut self, input: &mut Input, walker: &mut Walker, threads: usize) -> bool {
        self.0.add_stream(&mut input.stream, walker, threads).is_ok()
    }

    /// Adds the good messages of an input, as far as bad ones can be stepped over.
    pub fn add_good(&mut self, input: &mut Input, walker: &mut Walker) {
        // The conversion reports the bad ones.
        let _ = self.0.add_good(&mut input.stream, walker, &mut Bad::new(u64::MAX, |_, _| Ok(())));
    }

    /// Returns both.
    pub fn merge(self, other: Gathered) -> Gathered {
        Gathered(self.0.merge(other.0))
    }

    /// Returns the schema of all messages, and says so.
    pub fn all(self) -> Chosen {
        stderr::say(format_args!("the columns are those of the schema that {} have; --schema gives another one", self.count()));
        Chosen { schema: self.0.finish(None), is_all: true }
    }

    /// Returns the schema of the first messages of an input that is read once, and says so. They
    /// stay in the input.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn first(mut self, input: &mut Input, walker: &mut Walker) -> Result<Chosen, Failure> {
        let (start, is_all) = input.stream.peek(SAMPLE).map_err(|error| Failure::about(error, Some(&input.name)))?;
        let sample = Stream::new(Cursor::new(start.to_vec()));
        let mut sample = if is_all { sample } else { sample.only_ended() };
        let _ = self.0.add_good(&mut sample, walker, &mut Bad::new(u64::MAX, |_, _| Ok(())));
        if is_all {
            return Ok(self.all());
        }
        stderr::say(format_args!(
            "the columns are those of the schema that {} have, in the first 8 MiB of {}; \
             fields that only later messages have go to the column `_rest`; --schema gives another schema",
            self.count(),
            input.name
        ));
        Ok(Chosen { schema: self.0.finish(None), is_all: false })
    }

    fn count(&self) -> String {
        match self.0.samples() {
            1 => "the one message".into(),
            count => format!("{count} messages"),
        }
    }
}
