//! A whole text: its language, imports, package, and what stands at top level.

use super::super::lex::MAX_FAULTS;
use super::super::unit::{Holder, Syntax, Unit};
use super::cursor::{Parser, shortened};
use super::{Failed, Parsed};
use crate::descriptor::{FileDescriptor, SourceCodeInfo, edition};
use polywire_core::text::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Reads the text, and returns the faults beside what was read.
    pub fn file(mut self, name: &str) -> (Unit, Vec<Diagnostic>) {
        let mut file = FileDescriptor { name: Some(name.to_string()), ..FileDescriptor::default() };
        let root = self.open(&[], &[]);
        let declared = if self.at("syntax") || self.at("edition") { self.language(&mut file) } else { Ok(()) };
        if declared.is_ok() {
            let mut options = None;
            while !self.at_end() && self.lexer.faults.len() < MAX_FAULTS {
                if self.statement(&mut file, &mut options).is_err() {
                    self.skip_statement();
                    if self.at("}") {
                        self.wrong(self.now, "unmatched `}`", "remove it, or write the `{` that it closes");
                        self.next();
                    }
                }
            }
        }
        self.close(root);
        let info = SourceCodeInfo { location: self.locations, ..SourceCodeInfo::default() };
        file.source_code_info = Some(Box::new(info));
        let unit = Unit {
            source: self.lexer.source,
            syntax: self.syntax,
            file,
            spans: self.spans,
            options: self.sets,
            imports: Vec::new(),
            option_imports: Vec::new(),
            index: None,
        };
        (unit, self.lexer.faults)
    }

    /// Reads `syntax = "…";` or `edition = "…";`.
    fn language(&mut self, file: &mut FileDescriptor) -> Parsed {
        let location = self.open(&[12], &[]);
        let by_edition = self.at("edition");
        self.next();
        self.word("=")?;
        let at = self.now;
        let said = self.utf8("a string that names the language")?;
        self.end(";", location)?;
        self.close(location);
        self.syntax = match (by_edition, &said[..]) {
            (false, "proto2") => Syntax::Proto2,
            (false, "proto3") => Syntax::Proto3,
            (true, "2023") => Syntax::E2023,
            (true, "2024") => Syntax::E2024,
            (true, _) => {
                self.wrong(at, format!("unknown edition \"{}\"", shortened(&said)), "editions are \"2023\" and \"2024\"");
                return Err(Failed);
            }
            (false, _) => {
                let hint = "the syntaxes are \"proto2\" and \"proto3\"; later ones are named by `edition = \"2023\";`";
                self.wrong(at, format!("unknown syntax \"{}\"", shortened(&said)), hint);
                return Err(Failed);
            }
        };
        // Descriptors leave proto2 out.
        file.syntax = match self.syntax {
            Syntax::Proto2 => None,
            Syntax::Proto3 => Some(said),
            _ => Some("editions".into()),
        };
        file.edition = match self.syntax {
            Syntax::E2023 => Some(edition::E2023),
            Syntax::E2024 => Some(edition::E2024),
            _ => None,
        };
        Ok(())
    }

    fn statement(&mut self, file: &mut FileDescriptor, options: &mut Option<usize>) -> Parsed {
        if self.try_end(";", None) {
            return Ok(());
        }
        let visibility = self.visibility()?;
        match self.text(self.now) {
            "message" => {
                let index = file.message_type.len() as i32;
                let message = self.message(&[4, index], visibility)?;
                file.message_type.push(message);
            }
            "enum" => {
                let index = file.enum_type.len() as i32;
                let declared = self.enumeration(&[5, index], visibility)?;
                file.enum_type.push(declared);
            }
            "service" => {
                let index = file.service.len() as i32;
                let service = self.service(&[6, index])?;
                file.service.push(service);
            }
            "extend" => return self.extend(&[], 7, 4, &mut file.extension, &mut file.message_type),
            "import" => return self.import(file),
            "package" => return self.package(file),
            "option" => return self.option_statement(Holder::File, &[8], options),
            _ => return Err(self.expected("a message, enum, service, extend, import, package or option")),
        }
        Ok(())
    }

    /// Reads `export` or `local` in front of a declaration.
    pub(super) fn visibility(&mut self) -> Parsed<Option<i32>> {
        if self.syntax < Syntax::E2024 {
            return Ok(None);
        }
        let said = match self.text(self.now) {
            "local" => 1,
            "export" => 2,
            _ => return Ok(None),
        };
        self.next();
        if self.at("message") || self.at("enum") { Ok(Some(said)) } else { Err(self.expected("'message' or 'enum'")) }
    }

    fn package(&mut self, file: &mut FileDescriptor) -> Parsed {
        if file.package.take().is_some() {
            self.wrong(self.now, "a second package", "a file has one package");
        }
        let location = self.open(&[2], &[]);
        self.next();
        let name = self.path_name("the name of the package")?;
        if name.starts_with('.') {
            self.wrong(self.last, "a package with a point in front", "write the package's full name without it");
        }
        file.package = Some(name);
        self.end(";", location)?;
        self.close(location);
        Ok(())
    }

    fn import(&mut self, file: &mut FileDescriptor) -> Parsed {
        let first = self.now;
        self.next();
        if self.at("option") {
            if self.syntax < Syntax::E2024 {
                self.wrong(self.now, "an import for options only", "these begin with edition 2024; write `import` alone");
            }
            let location = self.open(&[15], &[file.option_dependency.len() as i32]);
            self.start_at(location, first);
            self.next();
            let path = self.utf8("the path of a file in quotes")?;
            file.option_dependency.push(path);
            self.end(";", location)?;
            self.close(location);
            return Ok(());
        }
        let index = file.dependency.len() as i32;
        let location = self.open(&[3], &[index]);
        self.start_at(location, first);
        if !file.option_dependency.is_empty() {
            self.wrong(first, "an import behind one for options only", "move it in front of the first `import option`");
        }
        if self.at("public") {
            let word = self.open(&[10], &[file.public_dependency.len() as i32]);
            self.next();
            self.close(word);
            file.public_dependency.push(index);
        } else if self.at("weak") {
            if self.syntax >= Syntax::E2024 {
                self.wrong(self.now, "a weak import, which edition 2024 does not have", "write `import option` if only options need it");
            }
            let word = self.open(&[11], &[file.weak_dependency.len() as i32]);
            self.next();
            self.close(word);
            file.weak_dependency.push(index);
        }
        let path = self.utf8("the path of a file in quotes")?;
        file.dependency.push(path);
        self.end(";", location)?;
        self.close(location);
        Ok(())
    }
}
