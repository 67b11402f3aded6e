//! Shared parts of the tests of the language, the codec and the generator: random protocols, and
//! the bodies of the fuzz targets.
//!
//! Compiled only with the feature `testing`. All output is a function of a seed.

pub use fastrand::Rng;

use crate::protocol::parse::{self, Parsed};
use crate::protocol::syntax::{Entry, File, TypeBody};
use crate::protocol::{NoFiles, compile, format};

/// White space between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A blank between tokens.
    Plain,
    /// Line breaks anywhere.
    Ragged,
    /// Line breaks and comments anywhere.
    Commented,
}

/// Returns a random protocol that passes all checks, and the names of its messages. It has no
/// external types.
pub fn protocol(rng: &mut Rng, layout: Layout) -> (String, Vec<String>) {
    let mut maker = Maker { rng, tokens: Vec::new(), known: Vec::new(), messages: Vec::new() };
    let count = maker.rng.usize(1..12);
    for n in 0..count {
        maker.declaration(n);
    }
    maker.plain_message(count);
    let Maker { tokens, messages, rng, .. } = maker;
    (joined(rng, &tokens, layout), messages)
}

/// Joins tokens with random white space.
fn joined(rng: &mut Rng, tokens: &[String], layout: Layout) -> String {
    let mut text = String::new();
    for (n, token) in tokens.iter().enumerate() {
        if n > 0 {
            let comment = ["(* c *)", "(** more\n    words *)", "(* \"*)\" (* in *) *)", "(**)"][rng.usize(..4)];
            match (layout, rng.u8(..20)) {
                (Layout::Plain, _) => text.push(' '),
                (_, 0..3) => text.push_str("\n  "),
                (_, 3) => text.push_str("\n\n\n"),
                (Layout::Commented, 4) => text.push_str(&format!(" {comment} ")),
                (Layout::Commented, 5) => text.push_str(&format!(" {comment}\n")),
                (Layout::Commented, 6) => text.push_str(&format!("\n {comment}\n")),
                (Layout::Commented, 7) => text.push_str(&format!("\n\n{comment} {comment}\n ")),
                _ => text.push(' '),
            }
        }
        text.push_str(token);
    }
    text
}

/// Kind of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A record type or plain message, which a variant or a subset can use.
    Record,
    /// Any other declaration.
    Other,
}

struct Known {
    name: String,
    arity: usize,
    sort: Sort,
    /// Its fields, if a subset can use it.
    fields: Vec<String>,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    tokens: Vec<String>,
    known: Vec<Known>,
    messages: Vec<String>,
}

impl Maker<'_> {
    fn put(&mut self, tokens: &[&str]) {
        self.tokens.extend(tokens.iter().map(|token| (*token).to_string()));
    }

    fn declaration(&mut self, n: usize) {
        match self.rng.u8(..10) {
            0..2 => self.plain_message(n),
            2..4 => self.union(n),
            4 => self.application(n),
            5 => self.subset(n),
            _ => self.ty(n),
        }
    }

    fn plain_message(&mut self, n: usize) {
        let name = format!("m{n}");
        self.put(&["message", &name]);
        if self.rng.u8(..5) == 0 {
            self.put(&["[@", "autolazy", "]"]);
        }
        self.put(&["="]);
        let fields = self.record(0);
        self.messages.push(name.clone());
        self.known.push(Known { name, arity: 0, sort: Sort::Record, fields });
    }

    fn union(&mut self, n: usize) {
        let name = format!("m{n}");
        self.put(&["message", &name, "="]);
        for variant in 0..self.rng.usize(1..4) {
            if variant > 0 {
                self.put(&["|"]);
            }
            self.put(&[&format!("V{variant}")]);
            let records: Vec<usize> = (0..self.known.len()).filter(|n| self.known[*n].sort == Sort::Record).collect();
            if !records.is_empty() && self.rng.bool() {
                let of = records[self.rng.usize(..records.len())];
                self.applied(of, 0);
            } else {
                self.record(0);
            }
        }
        self.messages.push(name.clone());
        self.known.push(Known { name, arity: 0, sort: Sort::Other, fields: Vec::new() });
    }

    fn application(&mut self, n: usize) {
        let records: Vec<usize> = (0..self.known.len()).filter(|n| self.known[*n].sort == Sort::Record).collect();
        if records.is_empty() {
            return self.plain_message(n);
        }
        let name = format!("m{n}");
        self.put(&["message", &name, "="]);
        let of = records[self.rng.usize(..records.len())];
        self.applied(of, 0);
        self.messages.push(name.clone());
        let fields = if self.known[of].arity > 0 { self.known[of].fields.clone() } else { Vec::new() };
        self.known.push(Known { name, arity: 0, sort: Sort::Record, fields });
    }

    fn subset(&mut self, n: usize) {
        let sources: Vec<usize> =
            (0..self.known.len()).filter(|n| self.known[*n].arity == 0 && !self.known[*n].fields.is_empty()).collect();
        if sources.is_empty() {
            return self.plain_message(n);
        }
        let name = format!("m{n}");
        let source = &self.known[sources[self.rng.usize(..sources.len())]];
        let (from, mut fields) = (source.name.clone(), source.fields.clone());
        self.rng.shuffle(&mut fields);
        fields.truncate(self.rng.usize(1..=fields.len()));
        self.put(&["message", &name, "=", "{|", &from, "|"]);
        if fields.len() < self.known.iter().find(|known| known.name == from).map_or(0, |known| known.fields.len()) && self.rng.bool() {
            self.put(&["not"]);
            for (n, field) in fields.iter().enumerate() {
                if n > 0 {
                    self.put(&[";"]);
                }
                self.put(&[field]);
            }
        } else {
            for (n, field) in fields.iter().enumerate() {
                if n > 0 {
                    self.put(&[";"]);
                }
                self.put(&[field]);
                self.marker();
                if self.rng.u8(..4) == 0 {
                    self.put(&[":"]);
                    self.simple(0, 2);
                }
            }
        }
        self.put(&["|}"]);
        self.messages.push(name.clone());
        self.known.push(Known { name, arity: 0, sort: Sort::Other, fields: Vec::new() });
    }

    fn ty(&mut self, n: usize) {
        let name = format!("t{n}");
        let arity = if self.rng.bool() { 0 } else { self.rng.usize(1..4) };
        self.put(&["type", &name]);
        for parameter in 0..arity {
            self.put(&["'", &format!("p{parameter}")]);
        }
        self.put(&["="]);
        let mut known = Known { name, arity, sort: Sort::Other, fields: Vec::new() };
        match self.rng.u8(..5) {
            0 => self.simple(arity, 3),
            1 | 2 => {
                for constructor in 0..self.rng.usize(1..5) {
                    if constructor > 0 {
                        self.put(&["|"]);
                    }
                    self.put(&[&format!("C{constructor}")]);
                    for _ in 0..self.rng.usize(..3) {
                        self.simple(arity, 2);
                    }
                }
            }
            _ => {
                known.fields = self.record(arity);
                known.sort = Sort::Record;
            }
        }
        self.known.push(known);
        match self.rng.u8(..8) {
            0 => self.put(&["options", "\"ocaml.pp\"", "=", "\"pp \\\"x\\\"\""]),
            1 => self.put(&["options", "\"ocaml.pp\"", "=", "\"pp\"", "\"ocaml.type_equals\"", "=", "\"X.t\""]),
            _ => {}
        }
    }

    fn record(&mut self, arity: usize) -> Vec<String> {
        let fields: Vec<String> = (0..self.rng.usize(1..6)).map(|n| format!("f{n}")).collect();
        self.put(&["{"]);
        for (n, field) in fields.iter().enumerate() {
            if n > 0 {
                self.put(&[";"]);
            }
            if self.rng.u8(..8) == 0 {
                self.put(&["mutable"]);
            }
            self.put(&[field]);
            self.marker();
            self.put(&[":"]);
            self.simple(arity, 3);
        }
        if self.rng.bool() {
            self.put(&[";"]);
        }
        self.put(&["}"]);
        fields
    }

    fn marker(&mut self) {
        match self.rng.u8(..10) {
            0 => self.put(&["[@", "lazy", "]"]),
            1 => self.put(&["[", "@", "eager", "]"]),
            _ => {}
        }
    }

    fn simple(&mut self, arity: usize, depth: u32) {
        let kinds = if depth == 0 { 4 } else { 10 };
        match self.rng.u8(..kinds) {
            0..3 => self.primitive(),
            3 if arity > 0 => {
                let parameter = self.rng.usize(..arity);
                self.put(&["'", &format!("p{parameter}")]);
            }
            3 => self.primitive(),
            4 => {
                self.put(&["["]);
                self.simple(arity, depth - 1);
                self.put(&["]"]);
            }
            5 => {
                self.put(&["[|"]);
                self.simple(arity, depth - 1);
                self.put(&["|]"]);
            }
            6 => {
                self.put(&["("]);
                self.simple(arity, depth - 1);
                for _ in 0..self.rng.usize(1..3) {
                    self.put(&["*"]);
                    self.simple(arity, depth - 1);
                }
                self.put(&[")"]);
            }
            _ if self.known.is_empty() => self.primitive(),
            _ => {
                let of = self.rng.usize(..self.known.len());
                self.applied_in(of, arity, depth - 1);
            }
        }
    }

    fn applied(&mut self, of: usize, arity: usize) {
        self.applied_in(of, arity, 2);
    }

    fn applied_in(&mut self, of: usize, arity: usize, depth: u32) {
        let (name, count) = (self.known[of].name.clone(), self.known[of].arity);
        self.put(&[&name]);
        for n in 0..count {
            self.put(&[if n == 0 { "<" } else { "," }]);
            self.simple(arity, depth.min(1));
        }
        if count > 0 {
            self.put(&[">"]);
        }
    }

    fn primitive(&mut self) {
        let (name, default): (&str, &[&str]) = match self.rng.u8(..6) {
            0 => ("bool", &["true"]),
            1 => ("byte", &["0x1f"]),
            2 => ("int", &["-", "3"]),
            3 => ("long", &["77L"]),
            4 => ("float", &["1.5e3"]),
            _ => ("string", &["\"a\\\"b\\xff\""]),
        };
        self.put(&[name]);
        if self.rng.u8(..4) == 0 {
            self.put(&["[@", "default"]);
            self.put(default);
            self.put(&["]"]);
        }
    }
}

/// Removes the documentation from a tree.
pub fn without_docs(mut file: File) -> File {
    let fields = |fields: &mut Vec<crate::protocol::syntax::Field>| fields.iter_mut().for_each(|field| field.doc.clear());
    for entry in &mut file.entries {
        match entry {
            Entry::Include(_) => {}
            Entry::Type(ty) => {
                ty.doc.clear();
                match &mut ty.body {
                    Some(TypeBody::Record(record)) => fields(record),
                    Some(TypeBody::Sum(constructors)) => constructors.iter_mut().for_each(|constructor| constructor.doc.clear()),
                    _ => {}
                }
            }
            Entry::Message(message) => {
                use crate::protocol::syntax::{MessageBody, VariantBody};
                message.doc.clear();
                match &mut message.body {
                    Some(MessageBody::Record(record)) => fields(record),
                    Some(MessageBody::Union(variants)) => {
                        for variant in variants {
                            variant.doc.clear();
                            if let VariantBody::Record(record) = &mut variant.body {
                                fields(record);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    file
}

/// Body of the fuzz target of the language. For any bytes, the parser and the checks must return,
/// and places must lie in the text. A text that can be formatted must keep its meaning, and
/// formatting it again must change nothing.
///
/// # Panics
/// One of these properties does not hold.
pub fn language(bytes: &[u8]) {
    match compile("fuzz", bytes, &mut NoFiles) {
        Ok(protocol) => {
            for (id, node) in protocol.nodes() {
                assert!(node.kind.parts().iter().all(|part| part < &id), "a type comes before its parts");
            }
        }
        Err(diagnostics) => {
            assert!(diagnostics.is_error());
            for finding in &diagnostics.findings {
                let text = &diagnostics.sources[finding.at.source as usize].text;
                assert!(text.get(finding.at.range()).is_some(), "a place outside of the text: {finding:?}");
            }
            assert!(!diagnostics.to_string().is_empty());
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let before = parse::parse(text, 0);
    let Ok(formatted) = format::format("fuzz", text) else {
        assert!(!before.findings.is_empty());
        return;
    };
    assert!(before.findings.is_empty());
    let after = parse::parse(&formatted, 0);
    assert!(after.findings.is_empty(), "{text}\n---\n{formatted}\n{:?}", after.findings);
    assert_eq!(said(&before, text), said(&after, &formatted), "{text}\n---\n{formatted}");
    assert_eq!(without_docs(before.file), without_docs(after.file), "{text}\n---\n{formatted}");
    let again = format::format("fuzz", &formatted).expect("what was formatted can be read");
    assert_eq!(again, formatted, "{text}");
}

/// Returns the comments without white space.
fn said(parsed: &Parsed, text: &str) -> Vec<String> {
    parsed.comments.iter().map(|comment| text[comment.start as usize..comment.end as usize].split_whitespace().collect()).collect()
}
