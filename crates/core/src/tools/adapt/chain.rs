//! The adapters that one walk takes, in their order.

use crate::error::Result;
use crate::format::declaration::{Format, Repeats};
use crate::limits::Budget;
use crate::tools::adapt::arrange::Spare;
use crate::tools::adapt::pick::Pick;
use crate::tools::adapt::{Arrange, Doubles, Hits, Order, Projection, Select, Unique, Whole};
use crate::value::tree::Tree;
use crate::walk::read::Reader;
use crate::walk::sink::{Needs, Sink};

/// One message of one format, and how it is walked.
pub(crate) struct Chain<'c, 'm> {
    pub(crate) format: &'static Format,
    pub(crate) reader: &'c mut dyn Reader,
    pub(crate) doubles: Doubles,
    /// Paths to keep, and the marks for those that named something.
    pub(crate) projection: Option<(&'c Projection, &'c mut Hits)>,
    pub(crate) msg: &'m [u8],
    pub(crate) base: u64,
    pub(crate) budget: &'c mut Budget,
    /// Memory for a message that is held back.
    pub(crate) spare: &'c mut Spare,
}

impl<'m> Chain<'_, 'm> {
    /// Walks the message into `sink`, as `needs` asks.
    pub(crate) fn walk(mut self, needs: Needs, sink: &mut dyn Sink<'m>) -> Result<()> {
        let mut whole;
        let sink: &mut dyn Sink<'m> = if needs.has(Needs::WHOLE_TEXT) {
            whole = Whole::new(sink);
            &mut whole
        } else {
            sink
        };
        let order = match (self.format.repeats, self.doubles) {
            (Repeats::List, _) if needs.has(Needs::GROUPED) && !self.reader.groups_fields() => Order::Group,
            (Repeats::Doubled, Doubles::First) => Order::First,
            (Repeats::Doubled, Doubles::Last) => Order::Last,
            _ => Order::Keep,
        };
        let by_slot = needs.has(Needs::SCHEMA_ORDER);
        if order == Order::Keep && !by_slot {
            return self.checked(sink);
        }
        let mut arrange = Arrange::reusing(order, by_slot, self.spare);
        self.checked(&mut arrange)?;
        arrange.finish_to(sink, self.spare)
    }

    fn checked(&mut self, sink: &mut dyn Sink<'m>) -> Result<()> {
        if self.format.repeats == Repeats::Doubled && self.doubles == Doubles::Refuse && !self.reader.has_unique_keys() {
            self.selected(&mut Unique::new(sink))
        } else {
            self.selected(sink)
        }
    }

    fn selected(&mut self, sink: &mut dyn Sink<'m>) -> Result<()> {
        let repeats = self.repeats();
        match &mut self.projection {
            None => self.reader.walk(self.msg, self.base, sink, self.budget),
            Some((projection, hits)) if projection.has_positions() => {
                let mut tree = Tree::new();
                let mut select = Select::new(&mut tree, projection);
                self.reader.walk(self.msg, self.base, &mut select, self.budget)?;
                select.finish()?;
                Pick { projection, repeats, hits }.emit(&tree, sink)
            }
            Some((projection, hits)) => {
                let mut select = Select::new(sink, projection).marking(Some(hits));
                self.reader.walk(self.msg, self.base, &mut select, self.budget)?;
                select.finish()
            }
        }
    }

    /// Returns whether the reader emits fields of one name one by one that are a list.
    pub(crate) fn repeats(&self) -> bool {
        self.format.repeats == Repeats::List && !self.reader.groups_fields()
    }
}
