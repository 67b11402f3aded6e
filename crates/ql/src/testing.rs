//! Help for tests: random scripts, and the body of the fuzz target.

use fastrand::Rng;
use polywire_core::text::diagnostic::Source;
use polywire_doc::Datum;

use crate::plan::Plan;
use crate::syntax::ast::Value;
use crate::template::value::ValueTemplate;

/// Returns the value of JSON text. Braces in its texts are no references.
///
/// # Panics
/// The text is not JSON.
pub fn datum(json: &str) -> Datum {
    fn plain(value: &Value) -> Datum {
        match value {
            Value::Text(text) => Datum::text(text.as_str()),
            Value::Array(values) => Datum::list(values.iter().map(plain)),
            Value::Object(members) => Datum::object(members.iter().map(|(name, value)| (name.as_str(), plain(value)))),
            other => ValueTemplate::new(other).constant().expect("a scalar is constant"),
        }
    }
    plain(&crate::syntax::parse_value(json).unwrap_or_else(|error| panic!("{json}: {error}")))
}

/// Returns the JSON text of a value.
pub fn json(value: &Datum) -> String {
    String::from_utf8(value.to_json()).expect("JSON is text")
}

/// Checks a text, as fuzz body: no text makes the parser or the planner panic. A refused text has a
/// place for its error. A parsed one is printed as a script with the same meaning, and that as
/// itself.
///
/// # Panics
/// The text breaks one of these rules.
pub fn fuzz_script(text: &str) {
    let source = Source::new("fuzz", text);
    match crate::syntax::parse(&source) {
        Err(diagnostics) => {
            let first = &diagnostics.findings[0];
            assert!(first.at.range().end <= text.len() && !first.message.is_empty(), "{first:?}");
            assert!(text.is_char_boundary(first.at.start as usize) && text.is_char_boundary(first.at.end as usize), "{first:?}");
        }
        Ok(script) => {
            let printed = script.to_string();
            let again =
                crate::syntax::parse(&Source::new("printed", printed.as_str())).unwrap_or_else(|error| panic!("{error}\nin {printed}"));
            assert_eq!(again, script, "{printed}");
            assert_eq!(again.to_string(), printed);
        }
    }
    match Plan::new(&source, &Datum::default(), None) {
        Err(diagnostics) => assert!(diagnostics.is_error(), "{diagnostics}"),
        Ok(plan) => {
            let shown = crate::explain::text(&plan, &crate::execute::NoTables);
            assert!(plan.steps.is_empty() || !shown.is_empty());
        }
    }
}

/// Returns a random script that the grammar allows, with random gaps. The rules (docs/spec/ql.md 4)
/// may refuse it.
pub fn random_script(rng: &mut Rng) -> String {
    let mut maker = Maker { rng, out: String::new(), depth: 0 };
    for _ in 0..maker.rng.usize(..5) {
        maker.item();
    }
    if maker.rng.bool() {
        maker.result();
    }
    maker.out
}

struct Maker<'r> {
    rng: &'r mut Rng,
    out: String,
    depth: usize,
}

impl Maker<'_> {
    fn say(&mut self, words: &str) -> &mut Self {
        for word in words.split(' ') {
            self.out.push_str(word);
            self.gap();
        }
        self
    }

    fn add(&mut self, words: &str) {
        self.say(words);
    }

    /// A gap that a word may need.
    fn gap(&mut self) {
        let gap = self.rng.choice([" ", "  ", "\t", "\n", " \r\n  ", "\n\n "]).expect("there are some");
        self.out.push_str(gap);
    }

    fn one_of(&mut self, choices: &[fn(&mut Self)]) {
        let choice = self.rng.usize(..choices.len());
        choices[choice](self);
    }

    fn list(&mut self, make: fn(&mut Self)) {
        make(self);
        for _ in 0..self.rng.usize(..3) {
            self.say(",");
            make(self);
        }
    }

    fn maybe(&mut self, make: impl FnOnce(&mut Self)) {
        if self.rng.bool() {
            make(self);
        }
    }

    fn word(&mut self) {
        let word = self.rng.choice(["a", "b1", "$t", "x:y", "selected", "wh", "inner", ":z_9"]).expect("there are some");
        self.say(word);
    }

    fn name(&mut self) {
        let name = self.rng.choice(["a", "b.c", "t1.u.v", "$t"]).expect("there are some");
        self.say(name);
    }

    fn quoted(&mut self) {
        let text = self.rng.choice(["'it\"s'", "\"{a.b}\"", "''", "\"{^c}\"", "'{2|#x}\n y'", "\"x'y\""]).expect("there are some");
        self.say(text);
    }

    fn digits(&mut self) {
        let digits = self.rng.u64(..).to_string();
        self.say(&digits);
    }

    fn path(&mut self) {
        let path = self.rng.choice([
            "a",
            "b.c..d",
            "x[0].y",
            "'*'",
            "'.x'.y",
            "'v.w[0]'..z",
            "'p q'.r['s t']",
            "i[?(\"@.p>2\")].n",
            "m['1:2']",
            "n[('@.length-1')]",
        ]);
        self.say(path.expect("there are some"));
    }

    fn operand(&mut self) {
        self.one_of(&[Self::quoted, Self::digits, Self::path]);
    }

    fn value(&mut self) {
        self.depth += 1;
        match self.rng.usize(..if self.depth > 5 { 5 } else { 7 }) {
            0 => self.add("null"),
            1 => self.add("true"),
            2 => self.add("-007.50e+1"),
            3 => self.add("\"a\\n\\u00e9\\ud83d\\ude00\""),
            4 => self.add("'{a.b}'"),
            5 => {
                self.say("[");
                self.list(Self::value);
                self.say("]");
            }
            _ => {
                self.say("{");
                self.list(|this| {
                    this.say("'k' :");
                    this.value();
                });
                self.say("}");
            }
        }
        self.depth -= 1;
    }

    fn call(&mut self) {
        self.say("u.f (");
        self.maybe(|this| this.list(|this| this.one_of(&[Self::value, Self::path])));
        self.say(")");
    }

    fn tail(&mut self) {
        for word in ["timeout", "MINdelay", "maxDelay"] {
            self.maybe(|this| this.say(word).digits());
        }
    }

    fn origin(&mut self) {
        self.name();
        self.maybe(|this| this.say("as").name());
    }

    fn source(&mut self) {
        if self.rng.u8(..4) > 0 {
            return self.origin();
        }
        self.quoted();
        self.maybe(|this| this.add("each 'a.b'"));
        self.maybe(|this| this.add("using decoder 'csv'"));
        self.maybe(|this| this.say("as").name());
    }

    fn columns(&mut self) {
        self.list(|this| {
            this.one_of(&[Self::path, Self::path, Self::call]);
            this.maybe(|this| this.say("as").name());
        });
    }

    fn member(&mut self) {
        self.one_of(&[Self::quoted, Self::digits, Self::name]);
    }

    fn conditions(&mut self) {
        self.say("where");
        for n in 0..=self.rng.usize(..3) {
            if n > 0 {
                self.say("and");
            }
            match self.rng.usize(..if self.depth > 3 { 3 } else { 4 }) {
                0 => {
                    self.path();
                    self.say("=").operand();
                }
                1 => {
                    self.name();
                    self.say("in (").list(Self::member);
                    self.say(")");
                }
                2 => self.call(),
                _ => {
                    self.name();
                    self.say("in (").select();
                    self.say(")");
                }
            }
        }
    }

    fn select(&mut self) {
        self.depth += 1;
        self.say("select");
        self.one_of(&[Self::columns, |this| this.add("*")]);
        self.say("from").list(Self::source);
        self.maybe(Self::conditions);
        self.maybe(|this| this.say("limit").digits());
        self.maybe(|this| this.say("offset").digits());
        self.tail();
        self.depth -= 1;
    }

    fn pairs(&mut self) {
        self.list(|this| {
            this.one_of(&[Self::quoted, Self::name]);
            this.say("=").operand();
        });
    }

    fn create(&mut self) {
        self.say("create table").name();
        self.maybe(|this| this.add("via http"));
        for verb in ["select get from", "insert post to", "update do work at", "delete delete"] {
            if self.rng.bool() {
                continue;
            }
            self.say("on").say(verb).quoted();
            self.maybe(|this| this.say("with aliases").pairs());
            self.maybe(|this| this.add("with arrays 'a.b' , \"c\" text 'd'"));
            self.maybe(|this| this.say("using headers").pairs());
            self.maybe(|this| this.say("using defaults").pairs());
            self.maybe(|this| this.say("using patch").quoted());
            self.maybe(|this| this.add("using bodyTemplate 'b.ejs' type 'text/xml' foreach 'p'"));
            self.maybe(|this| this.add("using decoder 'protobuf' schema 's' message 'm'"));
            self.maybe(|this| this.add("using encoder 'json'"));
            self.maybe(|this| this.add("using soap '1.1' element '{urn:a}b'"));
            self.maybe(|this| this.add("auth using 'a'"));
            self.maybe(|this| this.say("resultset").quoted());
            self.maybe(|this| this.say("expires").digits());
            self.maybe(|this| this.add("using mapping 'ql'"));
        }
    }

    fn insert(&mut self) {
        self.say("insert");
        self.maybe(Self::quoted);
        self.say("into").origin();
        self.maybe(|this| {
            this.say("(").columns();
            this.say(")");
        });
        self.maybe(|this| {
            this.say("values (").list(Self::member);
            this.say(")");
        });
        self.maybe(|this| this.say("with parts").list(Self::member));
        self.tail();
    }

    fn rhs(&mut self) {
        self.one_of(&[
            Self::select,
            Self::select,
            Self::value,
            Self::call,
            Self::create,
            Self::insert,
            |this| {
                this.say("update").origin();
                this.say("with").quoted();
                this.tail();
            },
            |this| {
                this.say("delete from").origin();
                this.maybe(Self::conditions);
                this.tail();
            },
            |this| this.add("show tables"),
            |this| this.add("show routes"),
            |this| this.say("describe").origin(),
            |this| this.add("desc route '/a' using method get"),
        ]);
    }

    fn alternatives(&mut self) {
        self.rhs();
        self.maybe(|this| this.say("||").rhs());
    }

    fn logic(&mut self) {
        let logic = self.rng.choice(["a", "!a", "a && b || !c", "( a || b ) && ! ( c )", "a || b && c"]).expect("there are some");
        self.say(logic);
    }

    fn item(&mut self) {
        match self.rng.usize(..if self.depth > 2 { 5 } else { 8 }) {
            0 => self.add("/** about\n it */"),
            1 => self.out.push_str("-- a note\n"),
            2..=4 => {
                self.maybe(|this| {
                    this.word();
                    this.say("=");
                });
                self.alternatives();
                // Without it, a word that begins the next statement could belong to this one.
                self.say(";");
            }
            5 | 6 => {
                self.depth += 1;
                self.say("if (").logic();
                self.say(") {").item();
                self.say("throw ( oops )").item();
                self.say("}");
                self.maybe(|this| {
                    this.say("else {").item();
                    this.say("}");
                });
                self.depth -= 1;
            }
            _ => {
                self.depth += 1;
                self.say("try {").item();
                self.say("} catch (").logic();
                self.say(") {").item();
                self.say("}");
                self.maybe(|this| {
                    this.say("finally {").item();
                    this.say("}");
                });
                self.depth -= 1;
            }
        }
    }

    fn result(&mut self) {
        self.say("return");
        self.one_of(&[Self::alternatives, Self::word]);
        self.maybe(|this| {
            this.say("via route '/a/{b}?c={d}'");
            this.maybe(|this| this.add("using encoder 'protobuf' schema 's' message 'm'"));
            this.maybe(|this| this.add("with optional params"));
            this.maybe(|this| this.say("using defaults").pairs());
            this.say("using method post");
            this.maybe(|this| this.say("using headers").pairs());
        });
        self.maybe(|this| this.add(";"));
        self.maybe(|this| this.add("/* the end */"));
    }
}
