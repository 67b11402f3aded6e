//! Filters: compiled from text, and run over values.

use std::sync::Arc;

use jaq_core::load::{Arena, File, Loader, lex, parse, parse as parse_text, span};
use jaq_core::{Compiler, Ctx, Vars};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::{Error, ErrorKind, Fault};

use crate::cut::{Cut, Cutter};
use crate::funs;
use crate::guard::{self, Memory};
use crate::host::{Data, Host, Kind};
use crate::plan::Plan;
use crate::value::{Val, ValError, ValSink};
use crate::wanted::Wanted;

/// Levels of brackets in a filter's text. The parser calls itself for each.
const NESTED: usize = 500;

/// Bytes of the longest text of a filter.
const LONGEST: usize = 1 << 20;

/// Parts of the names of all functions that ask the host for something.
const TALK: [&str; 4] = ["input", "debug", "stderr", "halt"];

/// A compiled filter.
///
/// ```
/// use polywire_jq::{Alone, End, Filter, Memory, Val};
///
/// let filter = Filter::compile(".a + $n", "filter", &["n"]).unwrap();
/// let mut results = Vec::new();
/// let input = Val::object([(Val::text("a"), Val::from(1isize))]);
/// let end = filter.run(input, &[Val::from(2isize)], &Alone, Memory::default(), &mut |value| {
///     results.push(value);
///     Ok::<(), ()>(())
/// });
/// assert!(matches!(end, Ok(End::Done)));
/// assert_eq!(results, [Val::from(3isize)]);
/// ```
pub struct Filter {
    filter: jaq_core::Filter<Kind>,
    wanted: Option<Wanted>,
    plan: Option<Plan>,
    cut: Option<Cut>,
    talks: bool,
}

/// The way in which a filter ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All of its results came.
    Done,
    /// `halt` or `halt_error` ended it, with an exit code.
    Halted(i32),
}

/// The reason why a filter failed.
#[derive(Debug)]
pub enum Stopped<E> {
    /// The filter raised an error on this input.
    Raised(Raised),
    /// The filter passed a bound of memory or of the stack.
    Bound(Error),
    /// The receiver of its results failed.
    Receiver(E),
}

/// An error that a filter raised: a text, or any other value.
#[derive(Debug, Clone)]
pub struct Raised(Val);

impl Raised {
    /// Returns the value.
    pub fn value(&self) -> &Val {
        &self.0
    }

    /// Returns the error for people. The fault is the data's, as the filter works on others.
    pub fn error(&self) -> Error {
        let text = match self.0.as_str() {
            Some(text) => text.to_string(),
            None => format!("{} (not a string)", self.0),
        };
        Error::new(ErrorKind::Unsupported, Fault::Data).seen(text)
    }
}

impl Filter {
    /// Compiles a filter. `variables` are the names of its variables, without `$`.
    ///
    /// # Errors
    /// The text is no filter, or names what there is not. `name` is that of the text, for people.
    pub fn compile(text: &str, name: &str, variables: &[&str]) -> Result<Filter, Diagnostics> {
        let compiling = Compiling { text, name };
        compiling.bounded()?;
        let located = compiling.located();
        let text = located.as_deref().unwrap_or(text);
        let arena = Arena::default();
        let loader = Loader::new(funs::defs());
        let modules = loader.load(&arena, File { path: (), code: text }).map_err(|errors| compiling.unread(text, errors))?;
        let variables: Vec<String> = variables.iter().map(|name| format!("${name}")).collect();
        let compiler = Compiler::default().with_funs(funs::funs()).with_global_vars(variables.iter().map(String::as_str));
        let filter = compiler.compile(modules).map_err(|errors| compiling.unknown(text, errors))?;
        let term: Option<parse::Term<&str>> = parse_text(text, |parser| parser.term());
        let wanted = term.as_ref().and_then(Wanted::of);
        let plan = term.as_ref().and_then(Plan::of);
        let cut = plan.as_ref().and_then(Cut::of);
        Ok(Filter { filter, wanted, plan, cut, talks: TALK.iter().any(|word| text.contains(word)) })
    }

    /// Returns a sink for the values that the filter gets as inputs: it skips the parts that the
    /// filter does not look at.
    pub fn sink(&self) -> ValSink {
        self.wanted.clone().map_or_else(ValSink::new, |wanted| ValSink::of_wanted(Arc::new(wanted)))
    }

    /// Returns a sink for the elements of the list that the filter gets as its input.
    pub fn elements_sink(&self) -> ValSink {
        let elements = self.wanted.clone().and_then(Wanted::of_elements);
        elements.map_or_else(ValSink::new, |wanted| ValSink::of_wanted(Arc::new(wanted)))
    }

    /// Returns the same filter, always run by the interpreter, for comparisons.
    #[must_use]
    pub fn interpreted(self) -> Filter {
        Filter { plan: None, cut: None, ..self }
    }

    /// Returns whether a plan runs the filter, and not the interpreter.
    pub fn is_planned(&self) -> bool {
        self.plan.is_some()
    }

    /// Returns what runs the filter without making values, if it only takes them out of messages.
    pub fn cutter(&self) -> Option<Cutter<'_>> {
        self.cut.as_ref().map(Cutter::new)
    }

    /// Returns whether the filter may ask its host for inputs, have it print something, or end the
    /// run. Without that, messages can be filtered apart from each other.
    pub fn talks(&self) -> bool {
        self.talks
    }

    /// Returns whether messages are read only in part.
    pub fn reads_parts(&self) -> bool {
        self.wanted.is_some()
    }

    /// Runs the filter over `input`, and hands each result to `receive`. The values of its
    /// variables are in the order of their names.
    ///
    /// # Errors
    /// The filter raised an error, passed a bound, or `receive` failed. Results before it were
    /// received.
    pub fn run<E>(
        &self,
        input: Val,
        variables: &[Val],
        host: &dyn Host,
        memory: Memory,
        receive: &mut dyn FnMut(Val) -> Result<(), E>,
    ) -> Result<End, Stopped<E>> {
        let mut failed = None;
        let end = self.hand_on(input, variables, host, memory, &mut |value| receive(value).map_err(|error| failed = Some(error)));
        match (end, failed) {
            (_, Some(error)) => Err(Stopped::Receiver(error)),
            (Ok(end), None) => Ok(end),
            (Err(Stopped::Raised(raised)), None) => Err(Stopped::Raised(raised)),
            (Err(Stopped::Bound(error)), None) => Err(Stopped::Bound(error)),
            (Err(Stopped::Receiver(())), None) => Err(Stopped::Bound(Error::internal("a receiver failed without an error"))),
        }
    }

    /// Runs as [`Filter::run`]. The interpreter is compiled once for all receivers.
    fn hand_on(
        &self,
        input: Val,
        variables: &[Val],
        host: &dyn Host,
        memory: Memory,
        receive: &mut dyn FnMut(Val) -> Result<(), ()>,
    ) -> Result<End, Stopped<()>> {
        let run = || {
            if let Some(plan) = &self.plan {
                let mut results = Vec::new();
                let end = plan.run(&input, &mut results);
                // Values that nobody else has are changed and given back more cheaply.
                drop(input);
                for value in results {
                    receive(value).map_err(Stopped::Receiver)?;
                }
                return end.map(|()| End::Done).map_err(|error| Stopped::Raised(raised(error)));
            }
            let data = Data::new(&self.filter.lut, host);
            let context = Ctx::<Kind>::new(data, Vars::new(variables.iter().cloned()));
            for result in self.filter.id.run((context, input)) {
                match result {
                    Ok(value) => receive(value).map_err(Stopped::Receiver)?,
                    Err(exception) => match exception.get_err() {
                        Ok(error) => return Err(Stopped::Raised(raised(error))),
                        Err(exception) => match exception.get_halt() {
                            Ok(code) => return Ok(End::Halted(code)),
                            Err(_) => return Err(Stopped::Raised(Raised(Val::text("break")))),
                        },
                    },
                }
            }
            Ok(End::Done)
        };
        guard::caught(memory, guard::whole(), run).unwrap_or_else(|bound| Err(Stopped::Bound(bound)))
    }
}

fn raised(error: ValError) -> Raised {
    Raised(error.into_val())
}

/// The text of a filter that is being compiled.
struct Compiling<'t> {
    text: &'t str,
    name: &'t str,
}

impl Compiling<'_> {
    fn found(&self, findings: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics { sources: vec![Source::new(self.name, self.text)], findings }
    }

    /// Returns the place of a part of `text`.
    fn place(&self, text: &str, part: &str) -> Place {
        let mut range = span(text, part);
        // Parts that end the text have no bytes.
        range.end = range.end.min(self.text.len());
        range.start = range.start.min(range.end);
        Place { source: 0, start: range.start as u32, end: range.end as u32 }
    }

    /// Fails for a text that is too long or too deep for the parser.
    fn bounded(&self) -> Result<(), Diagnostics> {
        let fail = |at: usize, what: String| {
            let at = Place { source: 0, start: at as u32, end: at as u32 + 1 };
            Err(self.found(vec![Diagnostic::error("filter_too_large", at, what)]))
        };
        if self.text.len() > LONGEST {
            return fail(0, format!("a filter of more than {LONGEST} bytes"));
        }
        let (mut depth, mut run) = (0usize, 0usize);
        for (at, byte) in self.text.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            // Signs before a value nest as brackets do.
            run = if byte == b'-' { run + 1 } else { run * usize::from(byte == b' ') };
            if depth + run > NESTED {
                return fail(at, format!("more than {NESTED} brackets within each other"));
            }
        }
        Ok(())
    }

    /// Returns the text with each `$__loc__` replaced by what it stands for, if there is one.
    fn located(&self) -> Option<String> {
        const NAME: &str = "$__loc__";
        if !self.text.contains(NAME) {
            return None;
        }
        let mut out = String::new();
        let mut rest = self.text;
        while let Some(at) = rest.find(NAME) {
            let line = 1 + self.text[..self.text.len() - rest.len() + at].matches('\n').count();
            out.push_str(&rest[..at]);
            // The short form of an entry names it.
            let before = rest[..at].trim_end();
            let name = if before.ends_with('{') || before.ends_with(',') && inside_object(&out) { "__loc__:" } else { "" };
            out.push_str(&format!("{name}{{\"file\":\"<top-level>\",\"line\":{line}}}"));
            rest = &rest[at + NAME.len()..];
        }
        out.push_str(rest);
        Some(out)
    }

    fn unread(&self, text: &str, errors: jaq_core::load::Errors<&str, ()>) -> Diagnostics {
        use jaq_core::load::Error;
        let mut findings = Vec::new();
        for (_, error) in errors {
            match error {
                Error::Io(errors) => findings.extend(errors.into_iter().map(|(path, message)| {
                    Diagnostic::error("no_module", self.place(text, path), message).hint("put the definitions into the filter, or its file")
                })),
                Error::Lex(errors) => findings.extend(errors.into_iter().map(|(expected, at)| self.lexed(text, &expected, at))),
                Error::Parse(errors) => findings.extend(errors.into_iter().map(|(expected, at)| {
                    let seen = if at.is_empty() { "the end".to_string() } else { format!("`{}`", start(at)) };
                    let hint = if at == "?//" { "alternatives of patterns are not known; test the value instead" } else { "" };
                    Diagnostic::error("filter_syntax", self.place(text, start(at)), format!("expected {}, saw {seen}", expected.as_str()))
                        .hint(hint)
                })),
            }
        }
        self.found(findings)
    }

    fn lexed(&self, text: &str, expected: &lex::Expect<&str>, at: &str) -> Diagnostic {
        let end = at.chars().next().map_or(0, char::len_utf8);
        Diagnostic::error("filter_syntax", self.place(text, &at[..end]), format!("expected {}", expected.as_str()))
    }

    fn unknown(&self, text: &str, errors: jaq_core::compile::Errors<&str, ()>) -> Diagnostics {
        let findings = errors.into_iter().flat_map(|(_, errors)| errors);
        let findings = findings.map(|(name, kind)| {
            let what = match kind {
                jaq_core::compile::Undefined::Filter(count) => {
                    format!("no filter `{name}/{count}`: it is not defined with {count} arguments")
                }
                kind => format!("no {} `{name}`", kind.as_str()),
            };
            // A name in a definition of the library has no place in the text.
            let is_ours = text.as_bytes().as_ptr_range().contains(&name.as_ptr());
            let at = if is_ours { self.place(text, name) } else { Place::default() };
            Diagnostic::error("filter_undefined", at, what)
        });
        self.found(findings.collect())
    }
}

/// Returns whether a text ends inside of an object.
fn inside_object(text: &str) -> bool {
    let mut open = Vec::new();
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' => {
                open.pop();
            }
            _ => {}
        }
    }
    open.last() == Some(&b'{')
}

/// Returns the first word of a text.
fn start(text: &str) -> &str {
    let end = text.char_indices().find(|(at, char)| *at > 0 && (char.is_whitespace() || *at > 20)).map_or(text.len(), |(at, _)| at);
    &text[..end]
}
