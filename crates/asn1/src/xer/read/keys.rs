//! Values that choose rows of tables, found before the components are read.

use super::super::markup::{Markup, Tag, TagKind};
use super::Walk;
use super::values::{hex_into, put_whole};
use crate::model::TypeId;
use crate::walk::plan::Structure;
use crate::walk::{Op, Plan, octets};

/// Deepest choice within choices that chooses a row.
const DEEPEST_KEY: u32 = 8;

impl<'m> Walk<'_, 'm> {
    /// Looks for the components that choose rows, as they may come behind the values that need
    /// them. Mistakes are left to be found when the components are read.
    pub(super) fn find_keys(&mut self, known: &Structure) {
        let mut left = known.components.iter().filter(|component| component.is_key).count();
        let depth = self.budget.limits().depth;
        let mut markup = self.markup;
        while left > 0 {
            let Ok(tag) = markup.tag() else { return };
            if tag.kind == TagKind::End {
                return;
            }
            let component = known.named(tag.name, 0).map(|index| (index, &known.components[index as usize]));
            if let Some((index, component)) = component.filter(|(_, component)| component.is_key) {
                left -= 1;
                self.octets.clear();
                if key(self.plan, markup, tag, component.ty, self.octets, DEEPEST_KEY).is_some() {
                    self.keys.begin(index);
                    self.keys.put(self.octets);
                    self.keys.end();
                }
            }
            if markup.skip(tag, depth).is_err() {
                return;
            }
        }
    }
}

/// Appends the contents octets of X.690 of the value in an element, whose start tag was read; those
/// of a choice follow the index of its alternative.
fn key(plan: &Plan, mut markup: Markup<'_>, tag: Tag<'_>, ty: TypeId, out: &mut Vec<u8>, depth: u32) -> Option<()> {
    if tag.kind == TagKind::Empty {
        // An empty string is a value too.
        return matches!(plan.node(ty).op, Op::Text(_) | Op::Octets).then_some(());
    }
    match plan.node(ty).op {
        Op::Boolean => match markup.tag().ok()?.name {
            "true" => out.push(0xff),
            "false" => out.push(0),
            _ => return None,
        },
        Op::Enumerated(index) => {
            let known = &plan.enumerations[index as usize];
            octets::put_integer(known.items[known.named(markup.tag().ok()?.name)? as usize].1, out);
        }
        Op::Choice(index) if depth > 0 => {
            let choice = plan.choice(index);
            let tag = markup.tag().ok()?;
            let found = choice.named(tag.name)?;
            out.push(found as u8);
            return key(plan, markup, tag, choice.alternatives[found as usize].ty, out, depth - 1);
        }
        op => {
            let mut made = String::new();
            let text = match markup.characters(&mut made, matches!(op, Op::Text(_))).ok()? {
                Some(text) => text,
                None => &made,
            };
            match op {
                Op::Integer => return put_whole(text.trim(), out),
                Op::Oid => return octets::put_oid_text(text.trim(), false, out),
                Op::RelativeOid => return octets::put_oid_text(text.trim(), true, out),
                Op::Octets => return hex_into(text, out).then_some(()),
                Op::Text(_) => out.extend_from_slice(text.as_bytes()),
                _ => return None,
            }
        }
    }
    Some(())
}
