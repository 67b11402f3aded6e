//! Modules, imports and assignments.

use polywire_core::text::diagnostic::Diagnostic;
use smol_str::SmolStr;

use super::{By, Parsed, Parser};
use crate::lex::Kind;
use crate::syntax::{Assignment, AssignmentKind, Import, Module, Name, Parameter, Span, Tagging, Type, TypeKind};

/// Macros of old specifications that modules use without a definition of their own.
const KNOWN_MACROS: &[&str] = &[
    "ABSTRACT-BIND",
    "ABSTRACT-ERROR",
    "ABSTRACT-OPERATION",
    "ABSTRACT-UNBIND",
    "AGENT-CAPABILITIES",
    "ALGORITHM",
    "APPLICATION-CONTEXT",
    "APPLICATION-SERVICE-ELEMENT",
    "ATTRIBUTE",
    "ATTRIBUTE-SYNTAX",
    "BIND",
    "ERROR",
    "EXTENSION",
    "EXTENSION-ATTRIBUTE",
    "EXTENSIONS",
    "MODULE-COMPLIANCE",
    "MODULE-IDENTITY",
    "NOTIFICATION-GROUP",
    "NOTIFICATION-TYPE",
    "OBJECT-CLASS",
    "OBJECT-GROUP",
    "OBJECT-IDENTITY",
    "OBJECT-TYPE",
    "OPERATION",
    "PORT",
    "REFINE",
    "SECURITY-CATEGORY",
    "TEXTUAL-CONVENTION",
    "TRAP-TYPE",
    "UNBIND",
];

impl Parser<'_> {
    /// Parses all modules of the text.
    pub(super) fn modules(&mut self) -> Vec<Module> {
        self.find_macros();
        let mut modules = Vec::new();
        while !self.is_done() {
            let start = self.at;
            if !self.find_module() {
                if modules.is_empty() {
                    let at = self.place(self.peek());
                    self.found.push(
                        Diagnostic::error("no_module", at, "this text has no module")
                            .hint("a module is `Name DEFINITIONS ::= BEGIN … END` (X.680 13.1)"),
                    );
                } else {
                    let at = self.place(self.peek());
                    self.caution("text_outside", at, "words behind the last module are left out", "put them into a comment");
                }
                break;
            }
            if self.at > start {
                let at = self.place(self.words.words[start]);
                self.caution("text_outside", at, "words outside of modules are left out", "put them into a comment");
            }
            match self.module().by("X.680 13.1") {
                Ok(module) => modules.push(module),
                Err(error) => {
                    self.found.push(*error);
                    self.at = self.at.max(start + 1);
                }
            }
        }
        modules
    }

    fn find_macros(&mut self) {
        for at in self.at..self.end.saturating_sub(2) {
            let [name, word, assign] = [0, 1, 2].map(|next| self.words.words[at + next]);
            if word.kind == Kind::Upper && name.kind == Kind::Upper && assign.kind == Kind::Assign && self.text(word) == "MACRO" {
                let name = self.text(name).into();
                self.macros.push(name);
            }
        }
    }

    /// Goes to the name of the next module.
    fn find_module(&mut self) -> bool {
        let start = self.at;
        let Some(mut at) = (start..self.end).find(|at| {
            let word = self.words.words[*at];
            word.kind == Kind::Upper && self.text(word) == "DEFINITIONS"
        }) else {
            return false;
        };
        if at > start && self.words.words[at - 1].kind == Kind::Text {
            at -= 1;
        }
        if at > start && self.words.words[at - 1].kind == Kind::Sign('}') {
            while at > start && self.words.words[at].kind != Kind::Sign('{') {
                at -= 1;
            }
        }
        self.at = at.saturating_sub(1).max(start);
        true
    }

    fn module(&mut self) -> Parsed<Module> {
        let name = match self.peek().kind {
            Kind::Upper => self.name(),
            Kind::Lower => {
                let name = self.name();
                self.caution(
                    "odd_name",
                    name.at,
                    format!("the module name `{}` starts with a lower-case letter", name.text),
                    "X.680 12.5 wants an upper-case letter",
                );
                name
            }
            _ => return Err(self.expected("the name of a module")),
        };
        let oid = if self.is_sign('{') { Some(self.balanced()?) } else { None };
        self.eat_kind(Kind::Text);
        self.expect("DEFINITIONS")?;
        // TAG, XER, PER INSTRUCTIONS: the default encoding reference (X.680 13.3).
        self.instructions = Some(self.peek_text()).filter(|name| self.is_word(1, "INSTRUCTIONS") && *name != "TAG").map(SmolStr::new);
        if self.is_word(1, "INSTRUCTIONS") {
            self.at += 2;
        }
        let mut tagging = Tagging::Explicit;
        for (keyword, meant) in [("EXPLICIT", Tagging::Explicit), ("IMPLICIT", Tagging::Implicit), ("AUTOMATIC", Tagging::Automatic)] {
            if self.eat(keyword) {
                tagging = meant;
                self.expect("TAGS")?;
            }
        }
        let extensible = self.eat("EXTENSIBILITY");
        if extensible {
            self.expect("IMPLIED")?;
        }
        if !self.eat_kind(Kind::Assign) {
            return Err(self.expected("`::=`"));
        }
        self.expect("BEGIN")?;
        let mut module = Module {
            name,
            oid,
            instructions: self.instructions.clone(),
            tagging,
            extensible,
            exports: None,
            imports: Vec::new(),
            assignments: Vec::new(),
        };
        if self.eat("EXPORTS") {
            module.exports = self.exports()?;
        }
        if self.eat("IMPORTS") {
            module.imports = self.imports()?;
        }
        if self.is("EXPORTS") {
            let at = self.take_place();
            self.caution("odd_order", at, "EXPORTS comes behind IMPORTS", "X.680 13.1 has it before");
            module.exports = self.exports()?;
        }
        loop {
            if self.eat("END") {
                break;
            }
            if self.is("ENCODING-CONTROL") {
                if self.is_word(1, "JER") {
                    self.no_instruction();
                }
                while !self.is("END") && !self.is_done() {
                    self.at += 1;
                }
                continue;
            }
            if self.is_done() {
                let at = self.place(self.peek());
                self.caution("no_end", at, format!("module `{}` has no END", module.name.text), "X.680 13.1 wants it");
                break;
            }
            if self.is_sign(';') {
                let at = self.take_place();
                self.caution("odd_semicolon", at, "a semicolon between assignments", "leave it out");
                continue;
            }
            let start = self.at;
            match self.assignment().by("X.680 16") {
                Ok(assignment) => module.assignments.push(assignment),
                Err(error) => {
                    self.found.push(*error);
                    self.depth = 0;
                    self.at = self.at.max(start + 1);
                    self.find_assignment();
                }
            }
        }
        Ok(module)
    }

    fn exports(&mut self) -> Parsed<Option<Vec<Name>>> {
        if self.eat("ALL") {
            self.expect_sign(';')?;
            return Ok(None);
        }
        let mut names = Vec::new();
        while !self.eat_sign(';') {
            match self.peek().kind {
                Kind::Upper if self.is("IMPORTS") && !names.is_empty() => {
                    let at = self.place(self.peek());
                    self.caution("no_semicolon", at, "EXPORTS ends without a semicolon", "write `;` before IMPORTS");
                    break;
                }
                Kind::Upper | Kind::Lower => names.push(self.name()),
                _ => return Err(self.expected("an exported name")),
            }
            self.empty_braces()?;
            self.eat_sign(',');
        }
        Ok(Some(names))
    }

    /// Takes the braces that mark an imported or exported name as parameterized (X.683 9.1).
    fn empty_braces(&mut self) -> Parsed<()> {
        if self.eat_sign('{') {
            self.expect_sign('}')?;
        }
        Ok(())
    }

    fn imports(&mut self) -> Parsed<Vec<Import>> {
        let mut imports = Vec::new();
        loop {
            if self.eat_sign(';') {
                return Ok(imports);
            }
            if self.is("END") || self.is_assignment(self.at) {
                let at = self.place(self.peek());
                self.caution("no_semicolon", at, "IMPORTS ends without a semicolon", "write `;` before the first assignment");
                return Ok(imports);
            }
            let mut symbols = Vec::new();
            while !self.is("FROM") {
                match self.peek().kind {
                    Kind::Upper | Kind::Lower => symbols.push(self.name()),
                    _ => return Err(self.expected("an imported name, or FROM")),
                }
                self.empty_braces()?;
                if !self.eat_sign(',') && !self.is("FROM") {
                    if !matches!(self.peek().kind, Kind::Upper | Kind::Lower) {
                        return Err(self.expected("`,` or FROM"));
                    }
                    let at = self.place(self.peek());
                    self.caution("no_comma", at, "imported names without a comma between", "write `,`");
                }
            }
            self.at += 1;
            let from = match self.peek().kind {
                Kind::Upper | Kind::Lower => self.name(),
                _ => return Err(self.expected("the name of a module")),
            };
            let mut oid = None;
            if self.is_sign('{') {
                oid = Some(self.balanced()?);
            } else if self.peek().kind == Kind::Lower {
                // A value reference, unless it is the first name of the next list (X.680 13.16).
                let next = self.ahead(1);
                if next.kind == Kind::Sign(';') || matches!(next.kind, Kind::Upper | Kind::Lower) && !self.is_word(1, "FROM") {
                    let start = self.at;
                    self.at += 1;
                    oid = Some(self.span_from(start));
                }
            }
            if self.eat("WITH") && !self.eat("SUCCESSORS") {
                self.expect("DESCENDANTS")?;
            }
            if self.is_sign(',') {
                let at = self.take_place();
                self.caution("odd_comma", at, "a comma between imported modules", "leave it out");
            }
            imports.push(Import { symbols, from, oid });
        }
    }

    /// Returns whether an assignment starts at a word: a name, and `::=` behind a parameter list or
    /// a governor at most.
    fn is_assignment(&self, at: usize) -> bool {
        let word = |at: usize| if at < self.end { self.words.words[at].kind } else { Kind::End };
        if !matches!(word(at), Kind::Upper | Kind::Lower) {
            return false;
        }
        let mut depth = 0usize;
        for next in at + 1..(at + 200).min(self.end) {
            match word(next) {
                Kind::Assign if depth == 0 => return true,
                Kind::Sign('{' | '(' | '[') => depth += 1,
                Kind::Sign('}' | ')' | ']') if depth > 0 => depth -= 1,
                Kind::Sign('.') | Kind::UpperField | Kind::LowerField => {}
                Kind::Upper if depth == 0 && self.is_heading(next) => return false,
                Kind::Lower if depth == 0 && word(next - 1) != Kind::Sign('.') => return false,
                Kind::Upper | Kind::Lower if depth == 0 => {}
                _ if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Returns whether a word cannot be inside of a governor.
    fn is_heading(&self, at: usize) -> bool {
        matches!(self.text(self.words.words[at]), "END" | "BEGIN" | "FROM" | "IMPORTS" | "EXPORTS" | "MACRO")
    }

    /// Goes to the next assignment that starts a line, or to `END`.
    fn find_assignment(&mut self) {
        while !self.is_done() {
            if self.is("END") {
                return;
            }
            let at = self.at;
            if self.peek().first && (self.is_assignment(at) || self.is_macro_use(at)) {
                return;
            }
            self.at += 1;
        }
    }

    /// Returns whether a value is assigned by a macro at a word: `name MACRO-NAME …`.
    fn is_macro_use(&self, at: usize) -> bool {
        let [name, used] = [0, 1].map(|next| self.words.words.get(at + next).copied());
        let (Some(name), Some(used)) = (name, used) else { return false };
        name.kind == Kind::Lower && used.kind == Kind::Upper && self.is_macro(self.text(used))
    }

    fn is_macro(&self, name: &str) -> bool {
        self.macros.iter().any(|known| known == name) || KNOWN_MACROS.contains(&name)
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let start = self.at;
        let name = match self.peek().kind {
            Kind::Upper | Kind::Lower => self.name(),
            _ => return Err(self.expected("an assignment")),
        };
        let upper = name.text.starts_with(|first: char| first.is_ascii_uppercase());
        if self.is("MACRO") && self.ahead(1).kind == Kind::Assign {
            self.skip_macro()?;
            return Ok(Assignment { name, parameters: Vec::new(), kind: AssignmentKind::Macro, span: self.span_from(start) });
        }
        let parameters = if self.is_sign('{') { self.parameters().by("X.683 8.2")? } else { Vec::new() };
        let kind = if !upper && self.peek().kind == Kind::Assign && self.ahead(1).kind == Kind::Sign('{') {
            self.caution(
                "no_governor",
                name.at,
                format!("the value `{}` has no type; OBJECT IDENTIFIER is assumed", name.text),
                "write the type before `::=`",
            );
            let at = self.take_place();
            let empty = Span { start: self.at as u32, end: self.at as u32 };
            let governor = Type { at, span: empty, tags: Vec::new(), json: Vec::new(), kind: TypeKind::Oid, constraints: Vec::new() };
            AssignmentKind::Value { governor, value: self.value()? }
        } else if self.eat_kind(Kind::Assign) {
            if !upper {
                self.caution(
                    "odd_name",
                    name.at,
                    format!("the type `{}` starts with a lower-case letter", name.text),
                    "X.680 12.2 wants an upper-case letter",
                );
            }
            self.type_assignment()?
        } else {
            self.governed(upper)?
        };
        Ok(Assignment { name, parameters, kind, span: self.span_from(start) })
    }

    /// Parses a type or class behind `Name ::=`.
    fn type_assignment(&mut self) -> Parsed<AssignmentKind> {
        if self.is("CLASS") {
            return Ok(AssignmentKind::Class(self.class().by("X.681 9.3")?));
        }
        let start = self.at;
        let used = self.peek_text();
        if self.peek().kind == Kind::Upper && self.is_macro(used) {
            let next = self.ahead(1);
            let ends = next.kind == Kind::End || self.is_word(1, "END") || next.first && self.is_assignment(self.at + 1);
            if !ends && !matches!(next.kind, Kind::Sign('.' | '{' | '(')) {
                self.find_assignment();
                self.note_macro(start);
                return Ok(AssignmentKind::Macro);
            }
        }
        Ok(AssignmentKind::Type(self.ty()?))
    }

    /// Parses governor and value or set behind a name.
    fn governed(&mut self, upper: bool) -> Parsed<AssignmentKind> {
        let start = self.at;
        let used = self.peek_text();
        let by_macro = !upper
            && self.peek().kind == Kind::Upper
            && self.is_macro(used)
            && !matches!(self.ahead(1).kind, Kind::Assign | Kind::Sign('.' | '{' | '('));
        if by_macro {
            while self.peek().kind != Kind::Assign {
                if self.is_done() || self.is("END") {
                    return Err(self.expected("`::=`"));
                }
                if self.is_sign('{') {
                    self.balanced()?;
                } else {
                    self.at += 1;
                }
            }
            self.at += 1;
            self.old_value()?;
            self.note_macro(start);
            return Ok(AssignmentKind::Macro);
        }
        let governor = self.ty()?;
        if !self.eat_kind(Kind::Assign) {
            return Err(self.expected("`::=`"));
        }
        if upper && self.is_sign('{') {
            let set = self.balanced()?;
            return Ok(AssignmentKind::Set { governor, set });
        }
        if matches!(&governor.kind, TypeKind::Reference(reference) if self.is_macro(&reference.name.text) && reference.arguments.is_none())
            && self.peek().kind == Kind::Lower
            && !self.ahead(1).first
            && !matches!(self.ahead(1).kind, Kind::Sign(':' | '.' | '{') | Kind::End)
        {
            self.old_value()?;
            self.note_macro(start);
            return Ok(AssignmentKind::Macro);
        }
        let value = self.value()?;
        Ok(AssignmentKind::Value { governor, value })
    }

    /// Steps over a value of X.208, whose alternatives have no colon: `localValue 5`.
    fn old_value(&mut self) -> Parsed<()> {
        self.value()?;
        while !self.is_done() && !self.peek().first && !self.is("END") {
            if self.is_sign('{') {
                self.balanced()?;
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    fn note_macro(&mut self, start: usize) {
        let word = self.words.words[start];
        let name = self.text(word).to_string();
        let at = self.place(word);
        self.caution(
            "macro",
            at,
            format!("a use of the macro `{name}` is stepped over"),
            "macros are of X.208, which was withdrawn; a class of X.681 takes their place",
        );
    }

    /// Steps over `MACRO ::= BEGIN … END`, or `MACRO ::= Name`.
    fn skip_macro(&mut self) -> Parsed<()> {
        let start = self.at - 1;
        self.at += 2;
        if !self.eat("BEGIN") {
            self.expect_name(Kind::Upper, "BEGIN, or the name of a macro")?;
            return Ok(());
        }
        let mut depth = 1u32;
        while depth > 0 {
            if self.is_done() {
                let word = self.words.words[start];
                return Err(Box::new(
                    Diagnostic::error("no_end", self.place(word), format!("macro `{}` has no END", self.text(word))).hint("X.208 A.1"),
                ));
            }
            if self.is("BEGIN") {
                depth += 1;
            } else if self.is("END") {
                depth -= 1;
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Parses dummy parameters (X.683 8.3).
    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect_sign('{')?;
        let mut parameters = Vec::new();
        while !self.eat_sign('}') {
            let colon = (0..).map(|ahead| (ahead, self.ahead(ahead).kind));
            let governed = colon
                .take_while(|(_, kind)| !matches!(kind, Kind::Sign(',') | Kind::End | Kind::Assign))
                .any(|(ahead, kind)| kind == Kind::Sign(':') && ahead > 0);
            let governor = if governed {
                let governor = self.ty()?;
                self.expect_sign(':')?;
                Some(governor)
            } else {
                None
            };
            let name = match self.peek().kind {
                Kind::Upper | Kind::Lower => self.name(),
                _ => return Err(self.expected("the name of a parameter")),
            };
            parameters.push(Parameter { governor, name });
            if !self.is_sign('}') {
                self.expect_sign(',')?;
            }
        }
        Ok(parameters)
    }
}
