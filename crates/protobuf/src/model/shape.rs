//! Checks that messages named as well-known types have their fields.

use super::ids::MessageId;
use super::kind::{Cardinality, Kind};
use super::pool::Pool;
use super::well_known::WellKnown;

impl WellKnown {
    /// Returns whether the message has the fields that the JSON form needs. A message that only has
    /// the name is a message like others.
    pub(super) fn has_shape(self, pool: &Pool, id: MessageId) -> bool {
        use Cardinality::{Map, Repeated, Singular};
        let message = &pool[id];
        let has = |number: u32, cardinality: Cardinality, kind: Kind| {
            message.by_number(number).is_some_and(|field| field.cardinality == cardinality && field.kind == kind)
        };
        let other = |number: u32, cardinality: Cardinality, name: &str| {
            message
                .by_number(number)
                .is_some_and(|field| field.cardinality == cardinality && matches!(field.kind, Kind::Message(id) if &*pool[id].name == name))
        };
        let fields = message.fields.len();
        match self {
            WellKnown::Any => fields == 2 && has(1, Singular, Kind::String) && has(2, Singular, Kind::Bytes),
            WellKnown::Timestamp | WellKnown::Duration => fields == 2 && has(1, Singular, Kind::Int64) && has(2, Singular, Kind::Int32),
            WellKnown::FieldMask => fields == 1 && has(1, Repeated, Kind::String),
            WellKnown::Struct => {
                let entry = message.by_number(1).and_then(|field| pool.map_entry(field));
                let sound = entry.is_some_and(|(key, value)| {
                    key.kind == Kind::String && matches!(value.kind, Kind::Message(id) if &*pool[id].name == "google.protobuf.Value")
                });
                fields == 1 && sound && message.by_number(1).is_some_and(|field| field.cardinality == Map)
            }
            WellKnown::Value => {
                let null = message.by_number(1).is_some_and(|field| {
                    field.cardinality == Singular
                        && matches!(field.kind, Kind::Enum(id) if pool[id].well_known == Some(WellKnown::NullValue))
                });
                fields == 6
                    && null
                    && has(2, Singular, Kind::Double)
                    && has(3, Singular, Kind::String)
                    && has(4, Singular, Kind::Bool)
                    && other(5, Singular, "google.protobuf.Struct")
                    && other(6, Singular, "google.protobuf.ListValue")
                    && message.oneofs.len() == 1
            }
            WellKnown::ListValue => fields == 1 && other(1, Repeated, "google.protobuf.Value"),
            WellKnown::NullValue => false,
            WellKnown::Empty => fields == 0,
            WellKnown::DoubleValue => fields == 1 && has(1, Singular, Kind::Double),
            WellKnown::FloatValue => fields == 1 && has(1, Singular, Kind::Float),
            WellKnown::Int64Value => fields == 1 && has(1, Singular, Kind::Int64),
            WellKnown::UInt64Value => fields == 1 && has(1, Singular, Kind::UInt64),
            WellKnown::Int32Value => fields == 1 && has(1, Singular, Kind::Int32),
            WellKnown::UInt32Value => fields == 1 && has(1, Singular, Kind::UInt32),
            WellKnown::BoolValue => fields == 1 && has(1, Singular, Kind::Bool),
            WellKnown::StringValue => fields == 1 && has(1, Singular, Kind::String),
            WellKnown::BytesValue => fields == 1 && has(1, Singular, Kind::Bytes),
        }
    }
}
