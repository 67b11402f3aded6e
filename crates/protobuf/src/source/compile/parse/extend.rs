//! Extensions.

use super::Parsed;
use super::cursor::Parser;
use crate::descriptor::{Descriptor, FieldDescriptor};

impl Parser<'_> {
    /// Reads `extend` in a message or at top level. `field` and `nested` are the numbers of the
    /// lists of extensions and of messages at `above`.
    pub(super) fn extend(
        &mut self,
        above: &[i32],
        field: i32,
        nested: i32,
        extensions: &mut Vec<FieldDescriptor>,
        messages: &mut Vec<Descriptor>,
    ) -> Parsed {
        let path = [above, &[field]].concat();
        let location = self.open(&path, &[]);
        self.next();
        let first = self.now;
        let extendee = self.type_name()?;
        let last = self.last;
        self.end("{", location)?;
        loop {
            if self.at_end() {
                return Err(self.expected("'}' at the end of extensions"));
            }
            let own = [&path[..], &[extensions.len() as i32]].concat();
            let place = self.open(&own, &[]);
            let named = self.open(&own, &[2]);
            self.start_at(named, first);
            self.end_at(named, last);
            let mut extension = FieldDescriptor { extendee: Some(extendee.clone()), ..FieldDescriptor::default() };
            let read = self
                .label(&mut extension, &own)
                .and_then(|()| self.field(&mut extension, messages, &[above, &[nested]].concat(), &own, place));
            self.close(place);
            extensions.push(extension);
            if read.is_err() {
                self.skip_statement();
            }
            if self.try_end("}", None) {
                break;
            }
        }
        self.close(location);
        Ok(())
    }
}
