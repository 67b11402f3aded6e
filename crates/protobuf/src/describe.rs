//! Descriptors of a plan: its messages as other libraries take them.

use polywire_core::format::Description;

use crate::descriptor::{
    Descriptor, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, FieldOptions, FileDescriptor, FileDescriptorSet, MessageOptions,
    OneofDescriptor, kind, label,
};
use crate::model::{Cardinality, Kind, Presence};
use crate::plan::{Enum, Field, Message, Plan};

/// Returns the messages of a plan as a `FileDescriptorSet` of one file, and the root's name there.
/// Numbers, types and the layout on the wire are those of the plan. Names are not: messages of
/// many files have to share one. `None` if a message is a MessageSet.
pub(crate) fn describe(plan: &Plan) -> Option<Description> {
    if plan.messages.iter().any(|message| message.message_set) {
        return None;
    }
    let mut entries = vec![false; plan.messages.len()];
    let maps = plan.messages.iter().flat_map(|message| &message.fields).filter(|field| field.cardinality == Cardinality::Map);
    maps.filter_map(Field::message).for_each(|entry| entries[entry as usize] = true);
    let file = FileDescriptor {
        name: Some("plan.proto".into()),
        syntax: Some("proto2".into()),
        message_type: plan
            .messages
            .iter()
            .zip(entries)
            .enumerate()
            .map(|(index, (message, entry))| described(index, message, entry))
            .collect(),
        enum_type: plan.enums.iter().enumerate().map(|(index, own)| numbers(index, own)).collect(),
        ..FileDescriptor::default()
    };
    let mut bytes = Vec::new();
    FileDescriptorSet { file: vec![file], others: Vec::new() }.write(&mut bytes);
    Some(Description { bytes, name: format!("M{}", plan.root) })
}

fn described(index: usize, message: &Message, entry: bool) -> Descriptor {
    let oneof = |n: u32| OneofDescriptor { name: Some(format!("o{n}")), ..OneofDescriptor::default() };
    // A oneof of the plan may have no member left, which no descriptor may have.
    let mut used: Vec<u32> = message.fields.iter().filter_map(|field| field.oneof).collect();
    used.sort_unstable();
    used.dedup();
    Descriptor {
        name: Some(format!("M{index}")),
        field: message.fields.iter().map(|field| one(field, &used)).collect(),
        oneof_decl: used.iter().copied().map(oneof).collect(),
        options: entry.then(|| Box::new(MessageOptions { map_entry: Some(true), ..MessageOptions::default() })),
        ..Descriptor::default()
    }
}

fn one(field: &Field, oneofs: &[u32]) -> FieldDescriptor {
    let (number, type_name) = match field.kind {
        Kind::Double => (kind::DOUBLE, None),
        Kind::Float => (kind::FLOAT, None),
        Kind::Int64 => (kind::INT64, None),
        Kind::UInt64 => (kind::UINT64, None),
        Kind::Int32 => (kind::INT32, None),
        Kind::Fixed64 => (kind::FIXED64, None),
        Kind::Fixed32 => (kind::FIXED32, None),
        Kind::Bool => (kind::BOOL, None),
        Kind::String => (kind::STRING, None),
        Kind::Bytes => (kind::BYTES, None),
        Kind::UInt32 => (kind::UINT32, None),
        Kind::SFixed32 => (kind::SFIXED32, None),
        Kind::SFixed64 => (kind::SFIXED64, None),
        Kind::SInt32 => (kind::SINT32, None),
        Kind::SInt64 => (kind::SINT64, None),
        Kind::Enum(id) => (kind::ENUM, Some(format!(".E{}", id.index()))),
        Kind::Message(id) => (kind::MESSAGE, Some(format!(".M{}", id.index()))),
        Kind::Group(id) => (kind::GROUP, Some(format!(".M{}", id.index()))),
    };
    let label = match (field.is_repeated(), field.presence) {
        (true, _) => label::REPEATED,
        (false, Presence::Required) => label::REQUIRED,
        (false, _) => label::OPTIONAL,
    };
    FieldDescriptor {
        name: Some(format!("f{}", field.number)),
        number: i32::try_from(field.number).ok(),
        label: Some(label),
        kind: Some(number),
        type_name,
        oneof_index: field.oneof.and_then(|oneof| oneofs.binary_search(&oneof).ok()).and_then(|at| i32::try_from(at).ok()),
        options: field.packable.then(|| Box::new(FieldOptions { packed: Some(field.packed), ..FieldOptions::default() })),
        ..FieldDescriptor::default()
    }
}

fn numbers(index: usize, own: &Enum) -> EnumDescriptor {
    let value = |(at, number): (usize, i32)| EnumValueDescriptor {
        name: Some(format!("E{index}_{at}")),
        number: Some(number),
        ..EnumValueDescriptor::default()
    };
    EnumDescriptor { name: Some(format!("E{index}")), value: own.numbers().enumerate().map(value).collect(), ..EnumDescriptor::default() }
}
