//! `create table` (docs/spec/ql.md 3, `create` and `verb`), and the clauses that are ours.

use super::ast::{BodyClause, CodecClause, Create, Pair, Quoted, ShapeClause, SoapClause, Verb, VerbKind, Word};
use super::cursor::{Cursor, Fit, Miss};

/// Methods, and the word behind each.
const METHODS: &[(&str, Option<&str>)] =
    &[("get", Some("from")), ("post", Some("to")), ("put", Some("to")), ("delete", None), ("patch", None)];

impl Cursor<'_> {
    pub(super) fn create(&mut self) -> Fit<Create> {
        self.token("create")?;
        self.wide();
        self.token("table")?;
        self.wide();
        let name = self.name("the name of a table")?;
        let connector = self.maybe(|this| {
            this.wide();
            this.token("via")?;
            this.wide();
            // `via route` behind a returned `create table t` is the route.
            let word = this.word("the name of a connector")?;
            if word.text == "route" { Err(Miss) } else { Ok(word) }
        })?;
        let mut verbs = Vec::new();
        loop {
            let verb = self.maybe(|this| {
                this.wide();
                this.verb()
            })?;
            match verb {
                Some(verb) => verbs.push(verb),
                None => return Ok(Create { name, connector, verbs }),
            }
        }
    }

    fn verb(&mut self) -> Fit<Verb> {
        let start = self.at;
        self.token("on")?;
        self.wide();
        let kind = self.verb_kind()?;
        self.wide();
        let (method, connector_form) = match self.maybe(Cursor::method)? {
            Some(method) => (method, false),
            None => (self.connector_method()?, true),
        };
        self.wide();
        let uri = self.quoted()?;
        let mut verb = Verb {
            kind,
            method,
            connector_form,
            uri,
            aliases: Vec::new(),
            headers: Vec::new(),
            expect: Vec::new(),
            defaults: Vec::new(),
            patch: None,
            body: None,
            auth: None,
            resultset: None,
            expires: None,
            decoder: None,
            encoder: None,
            soap: None,
            mapping: None,
            shape: ShapeClause::default(),
            pages: None,
            batches: Vec::new(),
            shared: None,
            at: self.since(start),
        };
        self.ours(&mut verb)?;
        verb.aliases = self.clause(Cursor::aliases_clause)?.unwrap_or_default();
        self.ours(&mut verb)?;
        verb.headers = self.clause(Cursor::headers_clause)?.unwrap_or_default();
        self.ours(&mut verb)?;
        if connector_form {
            verb.expect = self.clause(Cursor::expect_clause)?.unwrap_or_default();
        }
        verb.defaults = self.clause(Cursor::defaults_clause)?.unwrap_or_default();
        self.ours(&mut verb)?;
        verb.patch = self.clause(|this| this.quoted_clause(&["using", "patch"]))?;
        self.ours(&mut verb)?;
        verb.body = self.clause(Cursor::body_clause)?;
        self.ours(&mut verb)?;
        verb.auth = self.clause(Cursor::auth_clause)?;
        self.ours(&mut verb)?;
        verb.resultset = self.clause(|this| this.quoted_clause(&["resultset"]))?;
        self.ours(&mut verb)?;
        verb.expires = self.clause(|this| {
            this.wide();
            this.token("expires")?;
            this.wide();
            this.count()
        })?;
        self.ours(&mut verb)?;
        verb.at = self.since(start);
        Ok(verb)
    }

    fn clause<T>(&mut self, read: impl FnOnce(&mut Self) -> Fit<T>) -> Fit<Option<T>> {
        self.maybe(read)
    }

    fn verb_kind(&mut self) -> Fit<VerbKind> {
        for kind in VerbKind::ALL {
            if self.accept(kind.name()) {
                return Ok(kind);
            }
        }
        Err(Miss)
    }

    fn method(&mut self) -> Fit<Word> {
        let start = self.at;
        for (method, behind) in METHODS {
            if self.accept(method) {
                let word = Word { text: (*method).into(), at: self.since(start) };
                if let Some(behind) = behind {
                    self.wide();
                    self.token(behind)?;
                }
                return Ok(word);
            }
        }
        Err(Miss)
    }

    /// Reads a method without a word behind it.
    pub(super) fn http_method(&mut self) -> Fit<Word> {
        let start = self.at;
        for method in ["get", "post", "put", "delete", "patch"] {
            if self.accept(method) {
                return Ok(Word { text: method.into(), at: self.since(start) });
            }
        }
        Err(Miss)
    }

    fn connector_method(&mut self) -> Fit<Word> {
        self.token("do")?;
        self.wide();
        let word = self.word("what the connector is to do")?;
        self.wide();
        self.token("at")?;
        Ok(word)
    }

    /// Reads words of a clause, with the gap before them.
    pub(super) fn words(&mut self, words: &[&'static str]) -> Fit<()> {
        for word in words {
            self.wide();
            self.token(word)?;
        }
        self.wide();
        Ok(())
    }

    pub(super) fn quoted_clause(&mut self, words: &[&'static str]) -> Fit<Quoted> {
        self.words(words)?;
        self.quoted()
    }

    fn aliases_clause(&mut self) -> Fit<Vec<Pair>> {
        self.words(&["with", "aliases"])?;
        self.pairs()
    }

    pub(super) fn headers_clause(&mut self) -> Fit<Vec<Pair>> {
        self.words(&["using", "headers"])?;
        self.pairs()
    }

    pub(super) fn defaults_clause(&mut self) -> Fit<Vec<Pair>> {
        self.words(&["using", "defaults"])?;
        self.pairs()
    }

    fn expect_clause(&mut self) -> Fit<Vec<(Word, bool)>> {
        self.words(&["expect"])?;
        self.list(|this| {
            let required = this.accept("^");
            this.wide();
            Ok((this.word("a name")?, required))
        })
    }

    fn auth_clause(&mut self) -> Fit<Quoted> {
        self.wide();
        if !self.accept("authenticate") {
            self.token("auth")?;
        }
        self.words(&["using"])?;
        self.quoted()
    }

    fn body_clause(&mut self) -> Fit<BodyClause> {
        let template = self.quoted_clause(&["using", "bodyTemplate"])?;
        let media = self.quoted_clause(&["type"])?;
        let foreach = self.maybe(|this| this.quoted_clause(&["foreach"]))?;
        Ok(BodyClause { template, media, foreach })
    }

    pub(super) fn pairs(&mut self) -> Fit<Vec<Pair>> {
        self.list(|this| {
            let start = this.at;
            let name = match this.peek() {
                Some('\'' | '"') => this.quoted()?,
                _ => {
                    let path = this.path()?;
                    Word { text: path.text, at: this.since(start) }
                }
            };
            this.wide();
            this.token("=")?;
            this.wide();
            Ok(Pair { name, value: this.operand()? })
        })
    }

    /// Reads clauses that the old grammar does not have: between its clauses, in any order, each
    /// once.
    fn ours(&mut self, verb: &mut Verb) -> Fit<()> {
        loop {
            if verb.decoder.is_none() {
                verb.decoder = self.maybe(|this| this.codec_clause("decoder"))?;
                if verb.decoder.is_some() {
                    continue;
                }
            }
            if verb.encoder.is_none() {
                verb.encoder = self.maybe(|this| this.codec_clause("encoder"))?;
                if verb.encoder.is_some() {
                    continue;
                }
            }
            if verb.soap.is_none() {
                verb.soap = self.maybe(Cursor::soap_clause)?;
                if verb.soap.is_some() {
                    continue;
                }
            }
            if verb.mapping.is_none() {
                verb.mapping = self.maybe(|this| this.quoted_clause(&["using", "mapping"]))?;
                if verb.mapping.is_some() {
                    continue;
                }
            }
            if verb.shape.is_empty() {
                verb.shape = self.maybe(Cursor::shape_clause)?.unwrap_or_default();
                if !verb.shape.is_empty() {
                    continue;
                }
            }
            if verb.pages.is_none() {
                verb.pages = self.maybe(Cursor::pages_clause)?;
                if verb.pages.is_some() {
                    continue;
                }
            }
            if verb.batches.is_empty() {
                verb.batches = self.maybe(Cursor::batches_clause)?.unwrap_or_default();
                if !verb.batches.is_empty() {
                    continue;
                }
            }
            if verb.shared.is_none() {
                verb.shared = self.maybe(Cursor::shared_clause)?;
                if verb.shared.is_some() {
                    continue;
                }
            }
            return Ok(());
        }
    }

    /// Reads `using`, the word, and a format with its schema.
    pub(super) fn codec_clause(&mut self, word: &'static str) -> Fit<CodecClause> {
        let format = self.quoted_clause(&["using", word])?;
        let schema = self.maybe(|this| this.quoted_clause(&["schema"]))?;
        let message = self.maybe(|this| this.quoted_clause(&["message"]))?;
        Ok(CodecClause { format, schema, message })
    }

    fn soap_clause(&mut self) -> Fit<SoapClause> {
        let version = self.quoted_clause(&["using", "soap"])?;
        let element = self.maybe(|this| this.quoted_clause(&["element"]))?;
        let order = self.maybe(|this| {
            this.words(&["order"])?;
            this.list(Cursor::quoted)
        })?;
        Ok(SoapClause { version, element, order: order.unwrap_or_default() })
    }

    /// Reads `with arrays … numbers … text …`, of which any may be left out, in this order.
    fn shape_clause(&mut self) -> Fit<ShapeClause> {
        self.wide();
        self.token("with")?;
        let mut part = |word: &'static str| {
            let paths = self.maybe(|this| {
                this.words(&[word])?;
                this.list(Cursor::quoted)
            })?;
            Ok(paths.unwrap_or_default())
        };
        let shape = ShapeClause { arrays: part("arrays")?, numbers: part("numbers")?, text: part("text")? };
        if shape.is_empty() { self.miss("arrays") } else { Ok(shape) }
    }
}
