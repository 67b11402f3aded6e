//! The events of a stream (EXI 1.0, 4), as readers emit them.

use polywire_core::{Budget, Result, Span};

use crate::options::Options;

/// The name of an element or attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// Number of the name. Two names of one stream that have the same number are equal.
    pub id: u32,
    /// Namespace, or empty.
    pub uri: &'a str,
    /// Name within it.
    pub local: &'a str,
    /// Prefix, if the stream has one here. A [`Events::namespace`] after the element's start may
    /// give another one.
    pub prefix: Option<&'a str>,
}

/// The value of `xsi:type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// Text.
    Text(&'a str),
    /// A name. Without a prefix, the receiver has to find one for the namespace.
    Name(Name<'a>),
}

/// A receiver of events. Every `at` is the place of the event in the stream: the bytes that have
/// any of its bits. Where values stand apart from structure, it is the place of the block.
///
/// The budget is the walk's. The reader spends it on depth and on bytes that the stream does not
/// have itself; a receiver spends it on what it makes of the events.
pub trait Events {
    /// The stream has a header, by whose options its body is read.
    ///
    /// # Errors
    /// The receiver's own.
    fn header(&mut self, options: &Options, at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (options, at, budget);
        Ok(())
    }

    /// An element starts. Its namespaces, attributes and content follow.
    ///
    /// # Errors
    /// The receiver's own, as in all methods.
    fn start(&mut self, name: Name<'_>, at: Span, budget: &mut Budget) -> Result<()>;

    /// The innermost element ends.
    ///
    /// # Errors
    /// The receiver's own.
    fn end(&mut self, at: Span, budget: &mut Budget) -> Result<()>;

    /// The innermost element, which has just started, is self-contained: what is declared around it
    /// does not hold in it, and may be declared again.
    ///
    /// # Errors
    /// The receiver's own.
    fn self_contained(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (at, budget);
        Ok(())
    }

    /// The innermost element declares a prefix. `own` means that it is the element's own prefix.
    ///
    /// # Errors
    /// The receiver's own.
    fn namespace(&mut self, prefix: &str, uri: &str, own: bool, at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (prefix, uri, own, at, budget);
        Ok(())
    }

    /// The innermost element has an attribute.
    ///
    /// # Errors
    /// The receiver's own.
    fn attribute(&mut self, name: Name<'_>, value: Value<'_>, at: Span, budget: &mut Budget) -> Result<()>;

    /// Text.
    ///
    /// # Errors
    /// The receiver's own.
    fn text(&mut self, text: &str, at: Span, budget: &mut Budget) -> Result<()>;

    /// Text, at `at`, and the end of the innermost element right behind it, at `end`: both events
    /// in one call, which costs less. The decoder makes it of some of these pairs, and not of all.
    ///
    /// # Errors
    /// The receiver's own.
    #[inline]
    fn leaf(&mut self, text: &str, at: Span, end: Span, budget: &mut Budget) -> Result<()> {
        self.text(text, at, budget)?;
        self.end(end, budget)
    }

    /// A comment.
    ///
    /// # Errors
    /// The receiver's own.
    fn comment(&mut self, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (text, at, budget);
        Ok(())
    }

    /// A processing instruction.
    ///
    /// # Errors
    /// The receiver's own.
    fn instruction(&mut self, target: &str, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (target, text, at, budget);
        Ok(())
    }

    /// A document type: its name, public identifier, system identifier, and internal subset. Empty
    /// texts stand for parts that are missing.
    ///
    /// # Errors
    /// The receiver's own.
    fn doctype(&mut self, parts: [&str; 4], at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (parts, at, budget);
        Ok(())
    }

    /// A reference to an entity.
    ///
    /// # Errors
    /// The receiver's own.
    fn reference(&mut self, name: &str, at: Span, budget: &mut Budget) -> Result<()> {
        let _ = (name, at, budget);
        Ok(())
    }
}

/// Takes all events, and does nothing with them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ignore;

impl Events for Ignore {
    fn start(&mut self, _: Name<'_>, _: Span, _: &mut Budget) -> Result<()> {
        Ok(())
    }

    fn end(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        Ok(())
    }

    fn attribute(&mut self, _: Name<'_>, _: Value<'_>, _: Span, _: &mut Budget) -> Result<()> {
        Ok(())
    }

    fn text(&mut self, _: &str, _: Span, _: &mut Budget) -> Result<()> {
        Ok(())
    }
}
