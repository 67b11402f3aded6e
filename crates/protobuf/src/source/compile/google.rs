//! The files of Google that every program has, in texts of our own: names, numbers and types.

/// Path of the file that declares options.
pub(super) const DESCRIPTOR: &str = "google/protobuf/descriptor.proto";

/// Returns the text of a file by the path that imports name.
pub(in super::super) fn text(path: &str) -> Option<&'static str> {
    Some(match path.strip_prefix("google/protobuf/")? {
        "any.proto" => include_str!("../google/any.proto"),
        "api.proto" => include_str!("../google/api.proto"),
        "compiler/plugin.proto" => include_str!("../google/plugin.proto"),
        "cpp_features.proto" => include_str!("../google/cpp_features.proto"),
        "descriptor.proto" => include_str!("../google/descriptor.proto"),
        "duration.proto" => include_str!("../google/duration.proto"),
        "empty.proto" => include_str!("../google/empty.proto"),
        "field_mask.proto" => include_str!("../google/field_mask.proto"),
        "go_features.proto" => include_str!("../google/go_features.proto"),
        "java_features.proto" => include_str!("../google/java_features.proto"),
        "source_context.proto" => include_str!("../google/source_context.proto"),
        "struct.proto" => include_str!("../google/struct.proto"),
        "timestamp.proto" => include_str!("../google/timestamp.proto"),
        "type.proto" => include_str!("../google/type.proto"),
        "wrappers.proto" => include_str!("../google/wrappers.proto"),
        _ => return None,
    })
}
