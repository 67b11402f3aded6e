//! The one layout of NSDL: a statement to a line, those of a service indented by two spaces. There
//! are no semicolons. Options have lines of their own, and a long list has a line for each item.
//! Comments stay where they are.

use polywire_core::text::diagnostic::Diagnostic;

use super::lex::{Comment, Kind, Words};
use super::parse::{Layout, List, layout};

/// Longest line of a list that is not broken.
const WIDTH: usize = 100;

/// Formats a text.
///
/// # Errors
/// The first mistake of syntax.
pub(super) fn format(text: &str) -> Result<String, Box<Diagnostic>> {
    let (words, layout) = layout(text)?;
    let mut printer = Printer { text, words: &words, out: String::new(), indent: 0, fresh: true, cut: false, noted: false };
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
    /// True behind a comment.
    noted: bool,
}

impl Printer<'_> {
    fn run(&mut self, layout: &Layout) {
        let mut starts = layout.lines.clone();
        for list in layout.lists.iter().filter(|list| self.is_broken(list, layout)) {
            let indent = layout.lines[..layout.lines.partition_point(|(at, _)| *at < list.open)].last().map_or(0, |(_, indent)| *indent);
            starts.extend(list.items.iter().map(|item| (*item, indent + 2)));
            starts.push((list.close, indent));
        }
        starts.sort_unstable();
        for (index, word) in self.words.words.iter().enumerate() {
            let end = word.kind == Kind::End;
            let start = starts.binary_search_by_key(&index, |(at, _)| *at).ok().map(|found| starts[found].1);
            let start = start.or(end.then_some(0));
            let before = index.checked_sub(1).map(|before| self.words.words[before]);
            let mut from = before.map_or(0, |before| before.at.end as usize);
            let opened = before.is_none_or(|before| matches!(&self.text[before.at.range()], "{" | "("));
            let mut alone = false;
            for comment in &self.words.comments[before.map_or(0, |before| before.comments)..word.comments] {
                let gap = &self.text[from..comment.at.start as usize];
                from = comment.at.end as usize;
                // A comment right before the first word of a line belongs to it.
                let leads = start.is_some() && !end && comment.block && !self.text[from..word.at.start as usize].contains('\n');
                if before.is_some() && !alone && !leads && !gap.contains('\n') {
                    self.behind(comment);
                    continue;
                }
                self.line();
                // The closing bracket is less indented than the comments before it.
                let closes = !end && &self.text[word.at.range()] == "}";
                self.indent = start.map_or(self.indent, |start| start + usize::from(closes));
                let apart = Some(index) == layout.service && !alone;
                self.blank(gap, apart, !opened || alone);
                self.alone(comment);
                alone = true;
            }
            if layout.separators.binary_search(&index).is_ok() {
                continue;
            }
            if end {
                self.line();
                break;
            }
            let gap = &self.text[from..word.at.start as usize];
            match start {
                Some(indent) => {
                    self.line();
                    self.indent = indent;
                    let closes = matches!(&self.text[word.at.range()], "}" | ")");
                    self.blank(gap, Some(index) == layout.service && !alone, !closes && (!opened || alone));
                }
                None if self.cut => self.line(),
                None if !self.fresh && (self.noted || self.spaced(index)) => self.out.push(' '),
                None => {}
            }
            self.start();
            self.noted = false;
            self.out.push_str(&self.text[word.at.range()]);
        }
    }

    /// Reports whether a list has a line for each item: it has comments, or is too long for one.
    fn is_broken(&self, list: &List, layout: &Layout) -> bool {
        let words = &self.words.words;
        if words[list.open].comments != words[list.close].comments {
            return true;
        }
        let line = layout.lines.partition_point(|(at, _)| *at <= list.open);
        let (first, indent) = layout.lines[line - 1];
        let last = layout.lines.get(line).map_or(words.len() - 1, |(next, _)| *next);
        let word = |at: usize| words[at].at.range().len() + usize::from(at > first && self.spaced(at));
        let flat: usize = (first..last).filter(|at| layout.separators.binary_search(at).is_err()).map(word).sum();
        2 * indent + flat > WIDTH
    }

    /// Ends the line, if it has begun.
    fn line(&mut self) {
        if !self.fresh {
            self.out.push('\n');
        }
        (self.fresh, self.cut, self.noted) = (true, false, false);
    }

    /// Keeps one of the empty lines in a gap.
    fn blank(&mut self, gap: &str, apart: bool, may: bool) {
        if (apart || may && gap.matches('\n').count() > 1) && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
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
        if self.cut {
            self.line();
        }
        if self.fresh {
            self.start();
        } else {
            self.out.push(' ');
        }
        self.out.push_str(self.text[comment.at.range()].trim_end());
        (self.cut, self.noted) = (!comment.block, true);
    }

    /// Writes a comment on lines of its own.
    fn alone(&mut self, comment: &Comment) {
        for (number, line) in self.text[comment.at.range()].lines().enumerate() {
            let line = line.trim();
            if number > 0 {
                self.out.push('\n');
                self.fresh = true;
            }
            if !line.is_empty() {
                self.start();
                if number > 0 {
                    self.out.push_str(if line.starts_with('*') { " " } else { "   " });
                }
                self.out.push_str(line);
            }
        }
        self.fresh = false;
        self.line();
    }

    /// Reports whether a space stands before a word that does not begin a line.
    fn spaced(&self, index: usize) -> bool {
        let text = |at: usize| &self.text[self.words.words[at].at.range()];
        !matches!(text(index), "," | ")" | "(" | "[" | "]") && !matches!(text(index - 1), "(" | "[" | "@")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layout() {
        let text = "// head\n\n\nmodule  a.b ;\n@Timeout( 5 )service S{ // behind\n\n\nconst int N=0x1f;enum E ( A,B , C ) // all\n\n\n\
                    /* two\n   * lines */\nstruct P(int a,  P[ ] [] b)extends Q\n@Oneway @Direction ( both ) void set(long id)throws X , Y;\n\
                    // in the list\nvoid get ( int a, // first\nint b )\ninclude \"x.etch\" mixin a.C\n# last\n}\n";
        let expected = "// head\n\nmodule a.b\n\n@Timeout(5)\nservice S { // behind\n  const int N = 0x1f\n  enum E(A, B, C) // all\n\n  \
                        /* two\n   * lines */\n  struct P(int a, P[][] b) extends Q\n  @Oneway\n  @Direction(both)\n  \
                        void set(long id) throws X, Y\n  // in the list\n  void get(\n      int a, // first\n      int b\n  )\n  \
                        include \"x.etch\"\n  mixin a.C\n  # last\n}\n";
        let once = format(text).unwrap();
        assert_eq!(once, expected);
        assert_eq!(format(&once).unwrap(), once);
        assert_eq!(format("module a service S {").unwrap_err().code, "syntax");
        assert_eq!((format("").unwrap(), format("// x\n").unwrap()), (String::new(), "// x\n".to_string()));
        // A text that is included has statements alone.
        assert_eq!(format("extern A;extern B").unwrap(), "extern A\nextern B\n");
    }

    #[test]
    fn long_lists_are_broken() {
        let parameters: Vec<String> = (0..20).map(|n| format!("int number{n}")).collect();
        let text = format!("module a service S {{ void m({}) throws E }}", parameters.join(", "));
        let once = format(&text).unwrap();
        assert!(once.contains("  void m(\n      int number0,\n      int number1,\n"), "{once}");
        assert!(once.ends_with("      int number19\n  ) throws E\n}\n"), "{once}");
        assert_eq!(format(&once).unwrap(), once);
    }

    /// Comments stand anywhere, and stay in their order. A text that is formatted stays as it is.
    #[test]
    fn comments_stay() {
        let words =
            ["module", "a", "service", "S", "{", "@", "Oneway", "void", "m", "(", "int", "[", "]", "x", ",", "int", "y", ")", ";", "}"];
        for at in 0..=words.len() {
            for comment in ["/* one */", "/* one\n two */", "// one\n", "\n# one\n\n\n// two\n", "\n/* one */ /* two */\n"] {
                let text = format!("{} {comment} {}", words[..at].join(" "), words[at..].join(" "));
                let once = format(&text).unwrap_or_else(|error| panic!("{text}: {}", error.message));
                assert_eq!(format(&once).unwrap(), once, "{text}");
                let shown = |text: &str| -> Vec<String> {
                    let (words, layout) = layout(text).unwrap();
                    let kept = (0..words.words.len()).filter(|at| layout.separators.binary_search(at).is_err());
                    let words = kept.map(|at| text[words.words[at].at.range()].to_owned());
                    words.collect()
                };
                assert_eq!(shown(&once), shown(&text));
                assert_eq!(once.matches("one").count(), 1);
                assert_eq!(once.matches("two").count(), comment.matches("two").count(), "{once}");
            }
        }
    }
}
