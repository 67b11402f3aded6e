//! The options of a declaration, by its path.

use super::names::join;
use super::unit::{Holder, Unit};
use crate::descriptor::{Descriptor, EnumDescriptor, FileDescriptor, Message};

/// Returns the options at a path, such as `[4, 0, 2, 3, 8]`. Makes them if there are none.
pub(super) fn options_at<'d>(file: &'d mut FileDescriptor, path: &[i32]) -> Option<&'d mut dyn Message> {
    let at = |index: i32| index as usize;
    Some(match *path {
        [8] => &mut **file.options.get_or_insert_default(),
        [4, index, ref rest @ ..] => return of_message(file.message_type.get_mut(at(index))?, rest),
        [5, index, ref rest @ ..] => return of_enum(file.enum_type.get_mut(at(index))?, rest),
        [6, index, 3] => &mut **file.service.get_mut(at(index))?.options.get_or_insert_default(),
        [6, index, 2, method, 4] => &mut **file.service.get_mut(at(index))?.method.get_mut(at(method))?.options.get_or_insert_default(),
        [7, index, 8] => &mut **file.extension.get_mut(at(index))?.options.get_or_insert_default(),
        _ => return None,
    })
}

fn of_message<'d>(message: &'d mut Descriptor, path: &[i32]) -> Option<&'d mut dyn Message> {
    let at = |index: i32| index as usize;
    Some(match *path {
        [7] => &mut **message.options.get_or_insert_default(),
        [2, index, 8] => &mut **message.field.get_mut(at(index))?.options.get_or_insert_default(),
        [6, index, 8] => &mut **message.extension.get_mut(at(index))?.options.get_or_insert_default(),
        [5, index, 3] => &mut **message.extension_range.get_mut(at(index))?.options.get_or_insert_default(),
        [8, index, 2] => &mut **message.oneof_decl.get_mut(at(index))?.options.get_or_insert_default(),
        [3, index, ref rest @ ..] => return of_message(message.nested_type.get_mut(at(index))?, rest),
        [4, index, ref rest @ ..] => return of_enum(message.enum_type.get_mut(at(index))?, rest),
        _ => return None,
    })
}

fn of_enum<'d>(declared: &'d mut EnumDescriptor, path: &[i32]) -> Option<&'d mut dyn Message> {
    Some(match *path {
        [3] => &mut **declared.options.get_or_insert_default(),
        [2, index, 3] => &mut **declared.value.get_mut(index as usize)?.options.get_or_insert_default(),
        _ => return None,
    })
}

/// Returns the scope in which names of a declaration's options are looked up: the one around it.
/// `path` is that of the options.
pub(super) fn scope(unit: &Unit, holder: Holder, path: &[i32]) -> String {
    let mut scope = unit.package().to_string();
    // The last pair is the declaration itself. A range has no name, so that its message counts.
    let pairs = path.len() / 2;
    let around = pairs.saturating_sub(if holder == Holder::Range { 2 } else { 1 });
    let mut end = 2;
    for _ in 0..around {
        let part = &path[..end];
        let name = match part {
            [6, index] => unit.file.service.get(*index as usize).and_then(|service| service.name.as_deref()),
            _ => super::unit::message_at(&unit.file, part).and_then(|message| message.name.as_deref()),
        };
        if let Some(name) = name {
            scope = join(&scope, name);
        }
        end += 2;
    }
    scope
}
