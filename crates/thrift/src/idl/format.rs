//! The one layout of the IDL: a definition's contents indented by two spaces, one to a line, with a
//! comma behind each. Comments stay where they are.

use polywire_core::text::diagnostic::Diagnostic;

use super::lex::{Comment, Kind, Words};
use super::parse::{Layout, layout};

/// Formats a text.
///
/// # Errors
/// The first mistake of syntax.
pub(crate) fn format(text: &str) -> Result<String, Box<Diagnostic>> {
    let (words, layout) = layout(text)?;
    let mut printer = Printer { text, words: &words, out: String::new(), indent: 0, fresh: true, cut: false };
    printer.run(&layout);
    Ok(printer.out)
}

struct Printer<'t> {
    text: &'t str,
    words: &'t Words,
    out: String,
    indent: usize,
    /// True at the start of a line.
    fresh: bool,
    /// True behind a comment that ends with its line.
    cut: bool,
}

impl Printer<'_> {
    fn run(&mut self, layout: &Layout) {
        let has = |list: &[usize], at: usize| list.binary_search(&at).is_ok();
        let mut was_block = false;
        for (index, word) in self.words.words.iter().enumerate() {
            let end = word.kind == Kind::End;
            let definition = has(&layout.definitions, index) || end;
            let close = has(&layout.closes, index);
            let starts = definition || close || has(&layout.items, index);
            if starts && index > 0 && !has(&layout.opens, index - 1) {
                self.separator(index, layout);
            }
            let first = index.checked_sub(1).map_or(0, |before| self.words.words[before].comments);
            let last = index.checked_sub(1).map_or(0, |before| self.words.words[before].at.end as usize);
            let mut from = last;
            let indent = if definition { 0 } else { 1 };
            let mut broken = false;
            for comment in &self.words.comments[first..word.comments] {
                let gap = &self.text[from..comment.at.start as usize];
                from = comment.at.end as usize;
                if index > 0 && !broken && !gap.contains('\n') {
                    self.behind(comment);
                    continue;
                }
                if starts && !broken && !self.fresh {
                    self.line();
                }
                broken = true;
                self.indent = if starts { indent } else { 2 };
                self.blank(gap, starts && index > 0 && !has(&layout.opens, index - 1) || from != last && starts);
                self.alone(comment);
            }
            if has(&layout.separators, index) {
                continue;
            }
            if end {
                if !self.fresh {
                    self.line();
                }
                break;
            }
            let block = definition && self.is_block(index, layout);
            if starts {
                if !self.fresh {
                    self.line();
                }
                let gap = &self.text[from..word.at.start as usize];
                // Definitions with contents stand apart.
                if definition && !broken && index > 0 && (block || was_block) {
                    self.empty_line();
                } else {
                    self.blank(gap, !close && (broken || index > 0 && !has(&layout.opens, index - 1)));
                }
                self.indent = if definition || close { 0 } else { 1 };
                if definition {
                    was_block = block;
                }
            } else if self.cut && !self.fresh {
                self.line();
                self.indent = 2;
            } else if !self.fresh && self.spaced(index, layout) {
                self.out.push(' ');
            }
            self.start();
            self.out.push_str(&self.text[word.at.range()]);
        }
    }

    /// Writes the comma behind a field, a name or a method.
    fn separator(&mut self, index: usize, layout: &Layout) {
        let mut item = index;
        // The last start before this word, of an item in brackets.
        while item > 0 {
            item -= 1;
            if layout.items.binary_search(&item).is_ok() {
                if !self.out.trim_end().ends_with(',') && !self.fresh && !self.cut {
                    self.out.push(',');
                }
                return;
            }
            if layout.definitions.binary_search(&item).is_ok() || layout.closes.binary_search(&item).is_ok() {
                return;
            }
        }
    }

    /// Reports whether a definition has contents in brackets.
    fn is_block(&self, start: usize, layout: &Layout) -> bool {
        let next = layout.definitions.partition_point(|at| *at <= start);
        let end = layout.definitions.get(next).copied().unwrap_or(self.words.words.len());
        layout.opens.iter().any(|open| (start..end).contains(open))
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.fresh = true;
        self.cut = false;
    }

    fn empty_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Keeps one of the empty lines in a gap.
    fn blank(&mut self, gap: &str, may: bool) {
        if may && self.fresh && gap.matches('\n').count() > 1 {
            self.empty_line();
        }
    }

    fn start(&mut self) {
        if self.fresh {
            self.out.extend(std::iter::repeat_n("  ", self.indent));
            self.fresh = false;
        }
    }

    /// Writes a comment behind a word, on its line.
    fn behind(&mut self, comment: &Comment) {
        if self.fresh {
            self.start();
        } else {
            self.out.push(' ');
        }
        self.out.push_str(self.text[comment.at.range()].trim_end());
        self.cut = !comment.block;
    }

    /// Writes a comment on lines of its own.
    fn alone(&mut self, comment: &Comment) {
        if !self.fresh {
            self.line();
        }
        for (number, line) in self.text[comment.at.range()].lines().enumerate() {
            let line = line.trim();
            if number > 0 {
                self.line();
            }
            if !line.is_empty() {
                self.start();
                if number > 0 {
                    self.out.push_str(if line.starts_with('*') { " " } else { "   " });
                }
                self.out.push_str(line);
            }
        }
        self.line();
    }

    /// Reports whether a space stands before a word that does not begin a line.
    fn spaced(&self, index: usize, layout: &Layout) -> bool {
        let text = |at: usize| &self.text[self.words.words[at].at.range()];
        let literal = |at: usize| self.words.words[at].kind == Kind::Literal;
        let (before, word) = (text(index - 1), text(index));
        if literal(index - 1) && literal(index) {
            return true;
        }
        let opens = layout.opens.binary_search(&index).is_ok();
        let calls = layout.calls.binary_search(&index).is_ok();
        if !literal(index) && (matches!(word, "," | ";" | ":" | ")" | ">" | "]" | "<") || calls || (word == "}" && !opens)) {
            return false;
        }
        if word == "{" && !opens {
            return before == "=" || before == ":" || before == ",";
        }
        literal(index - 1) || !matches!(before, "(" | "<" | "[" | "@" | "{")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layout() {
        let text = "// head\n\n\nnamespace   py a.b\ninclude 'x.thrift'\nenum E{A=1;B}\nstruct S{\n// one\n1:required i32 a=5,  // behind\n\n\n2: list < string > b ( x = 'y' )\n\
                    /* two\n   * lines */\n3: map<i32,E> c = { 1 : 2 }\n}\nservice T extends U{ void ping ( ) ,\nS get(1: i32 a, 2: E b)throws(1: X x);}\nconst i32 N = 0x10;// last\n";
        let expected = "// head\n\nnamespace py a.b\ninclude 'x.thrift'\n\nenum E {\n  A = 1,\n  B,\n}\n\nstruct S {\n  // one\n  1: required i32 a = 5, // behind\n\n  \
                        2: list<string> b (x = 'y'),\n  /* two\n   * lines */\n  3: map<i32, E> c = {1: 2},\n}\n\nservice T extends U {\n  void ping(),\n  \
                        S get(1: i32 a, 2: E b) throws (1: X x),\n}\n\nconst i32 N = 0x10 // last\n";
        let once = format(text).unwrap();
        assert_eq!(once, expected);
        assert_eq!(format(&once).unwrap(), once);
        assert_eq!(format("struct A {").unwrap_err().code, "syntax");
        assert_eq!((format("").unwrap(), format("// x\n").unwrap()), (String::new(), "// x\n".to_string()));
    }
}
