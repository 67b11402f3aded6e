//! The productions that every built-in grammar has (EXI 1.0, 8.4), and the width of their codes.

use crate::bits::width;
use crate::options::Options;

/// A production behind the first part of an event code, or the group of comments and
/// instructions, which have a third part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Second {
    End,
    Attribute,
    Namespace,
    SelfContained,
    Element,
    Text,
    Reference,
    Doctype,
    Remark,
}

/// The productions behind one first part. Those that the options exclude have no code (8.3).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seconds {
    list: [Second; 8],
    count: u8,
    pub width: u32,
}

impl Seconds {
    fn of(all: &[(Second, bool)]) -> Seconds {
        let mut seconds = Seconds { list: [Second::End; 8], count: 0, width: 0 };
        for &(second, kept) in all {
            if kept {
                seconds.list[usize::from(seconds.count)] = second;
                seconds.count += 1;
            }
        }
        seconds.width = width(usize::from(seconds.count));
        seconds
    }

    /// Returns the production of a code.
    #[inline(always)]
    pub fn get(&self, code: u32) -> Option<Second> {
        self.list[..usize::from(self.count)].get(code as usize).copied()
    }

    /// Returns the code of a production.
    pub fn code(&self, second: Second) -> Option<u32> {
        self.list[..usize::from(self.count)].iter().position(|known| *known == second).map(|code| code as u32)
    }

    /// Returns whether there are any productions.
    pub fn any(&self) -> bool {
        self.count > 0
    }
}

/// The productions that all grammars of a stream start with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    /// In a start tag, behind the names that were learned.
    pub start: Seconds,
    /// In content.
    pub content: Seconds,
    /// Before the root element, beside the element itself.
    pub before: Seconds,
    /// Behind the root element, and between the elements of a fragment.
    pub outside: Seconds,
    /// Comments are kept, or instructions.
    pub comments: bool,
    pub instructions: bool,
}

impl Grammar {
    pub fn of(options: &Options) -> Grammar {
        let keep = options.preserve;
        let remark = (Second::Remark, keep.comments || keep.instructions);
        let sc = options.self_contained && !options.alignment.has_blocks();
        Grammar {
            start: Seconds::of(&[
                (Second::End, true),
                (Second::Attribute, true),
                (Second::Namespace, keep.prefixes),
                (Second::SelfContained, sc),
                (Second::Element, true),
                (Second::Text, true),
                (Second::Reference, keep.doctypes),
                remark,
            ]),
            content: Seconds::of(&[(Second::Element, true), (Second::Text, true), (Second::Reference, keep.doctypes), remark]),
            before: Seconds::of(&[(Second::Doctype, keep.doctypes), remark]),
            outside: Seconds::of(&[remark]),
            comments: keep.comments,
            instructions: keep.instructions,
        }
    }

    /// Returns the width of the third part of a comment's or an instruction's code.
    pub fn third(&self) -> u32 {
        u32::from(self.comments && self.instructions)
    }
}
