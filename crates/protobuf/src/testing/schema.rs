//! Random schemas, as texts.

use std::fmt::Write;

use fastrand::Rng;

const SCALARS: &[&str] = &[
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64", "bool",
    "string", "bytes",
];

const KNOWN: &[&str] = &[
    "Timestamp",
    "Duration",
    "FieldMask",
    "Struct",
    "Value",
    "ListValue",
    "Any",
    "Empty",
    "DoubleValue",
    "FloatValue",
    "Int64Value",
    "UInt64Value",
    "Int32Value",
    "UInt32Value",
    "BoolValue",
    "StringValue",
    "BytesValue",
];

#[derive(Clone, Copy, PartialEq)]
enum Syntax {
    Proto2,
    Proto3,
    Edition,
}

/// Returns a random schema in proto2, proto3 or edition 2023. Its messages are `M0` to `M3` in the
/// package `t`, and each may contain each.
pub fn schema(rng: &mut Rng) -> String {
    let syntax = [Syntax::Proto2, Syntax::Proto3, Syntax::Edition][rng.usize(..3)];
    let mut text = match syntax {
        Syntax::Proto2 => "syntax = \"proto2\";\n",
        Syntax::Proto3 => "syntax = \"proto3\";\n",
        Syntax::Edition => "edition = \"2023\";\n",
    }
    .to_string();
    text.push_str("package t;\n");
    for file in ["any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"] {
        let _ = writeln!(text, "import \"google/protobuf/{file}.proto\";");
    }
    if syntax == Syntax::Edition && rng.bool() {
        text.push_str("option features.field_presence = IMPLICIT;\n");
    }
    for n in 0..2 {
        let _ = write!(text, "enum E{n} {{");
        let closed = syntax == Syntax::Edition && n == 1;
        if closed {
            text.push_str(" option features.enum_type = CLOSED;");
        }
        let mut number = 0;
        for m in 0..rng.usize(1..5) {
            let _ = write!(text, " E{n}_V{m} = {number};");
            number = if rng.u8(..4) == 0 { -rng.i32(1..100) - m as i32 * 100 } else { number.abs() + rng.i32(1..4) };
        }
        text.push_str(" }\n");
    }
    for n in 0..4 {
        let _ = writeln!(text, "message M{n} {{");
        let mut number = 1;
        for m in 0..rng.usize(0..9) {
            number += if rng.u8(..5) == 0 { rng.u32(1..3000) } else { rng.u32(1..3) };
            let name = name(rng, m);
            match rng.u8(..10) {
                0 => {
                    let key = SCALARS[rng.usize(2..14)];
                    let value = ty(rng, syntax, true);
                    let _ = writeln!(text, "  map<{key}, {value}> {name} = {number};");
                }
                1 => {
                    let _ = writeln!(text, "  oneof o{m} {{");
                    for k in 0..rng.usize(1..4) {
                        let ty = ty(rng, syntax, false);
                        let _ = writeln!(text, "    {ty} {name}{k} = {number};");
                        number += 1;
                    }
                    text.push_str("  }\n");
                }
                2 if syntax == Syntax::Proto2 => {
                    let label = ["optional", "repeated"][rng.usize(..2)];
                    let _ = writeln!(text, "  {label} group G{m}{n} = {number} {{ optional int32 a = 1; repeated string b = 2; }}");
                }
                kind => field(rng, syntax, &mut text, &name, number, kind),
            }
        }
        if syntax == Syntax::Proto2 {
            text.push_str("  extensions 5000 to 5010;\n");
        }
        text.push_str("}\n");
    }
    if syntax == Syntax::Proto2 {
        let _ = writeln!(
            text,
            "extend M0 {{ optional {} extra = 5000; repeated {} more = 5001; }}",
            ty(rng, syntax, false),
            ty(rng, syntax, false)
        );
    }
    text
}

fn field(rng: &mut Rng, syntax: Syntax, text: &mut String, name: &str, number: u32, kind: u8) {
    let mut ty = ty(rng, syntax, false);
    let repeated = kind < 6;
    let mut options = Vec::new();
    if rng.u8(..8) == 0 {
        options.push(format!("json_name = \"{}\"", ["camel", "with-dash", "ünï"][rng.usize(..3)].to_string() + &number.to_string()));
    }
    let is_scalar = SCALARS.contains(&&*ty) || ty.starts_with('E');
    let packable = is_scalar && !matches!(&*ty, "string" | "bytes");
    let label = match (syntax, repeated) {
        (_, true) => "repeated ",
        (Syntax::Proto2, _) => ["optional ", "optional ", "optional ", "required "][rng.usize(..4)],
        (Syntax::Proto3, _) => ["", "optional "][rng.usize(..2)],
        (Syntax::Edition, _) => "",
    };
    match syntax {
        Syntax::Edition if !repeated && rng.u8(..3) == 0 => {
            let presence = ["EXPLICIT", "LEGACY_REQUIRED", "EXPLICIT"][rng.usize(..3)];
            options.push(format!("features.field_presence = {presence}"));
        }
        // A closed enum needs a feature, as it is not the default.
        Syntax::Edition if !repeated && ty == "E1" => options.push("features.field_presence = EXPLICIT".to_string()),
        Syntax::Edition if repeated && packable && rng.bool() => {
            options.push(format!("features.repeated_field_encoding = {}", ["PACKED", "EXPANDED"][rng.usize(..2)]));
        }
        Syntax::Edition if ty == "string" && rng.bool() => options.push("features.utf8_validation = NONE".to_string()),
        _ if syntax != Syntax::Edition && repeated && packable && rng.bool() => options.push(format!("packed = {}", rng.bool())),
        _ => {}
    }
    if syntax == Syntax::Edition && ty.starts_with('M') && rng.u8(..3) == 0 {
        options.push("features.message_encoding = DELIMITED".to_string());
    }
    if label == "required " && ty.starts_with('M') {
        // A message that requires itself cannot exist.
        ty = "int32".to_string();
    }
    if options.iter().any(|option| option.ends_with("LEGACY_REQUIRED")) && ty.starts_with('M') {
        ty = "int32".to_string();
        options.retain(|option| !option.ends_with("DELIMITED"));
    }
    let options = if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) };
    let _ = writeln!(text, "  {label}{ty} {name} = {number}{options};");
}

fn ty(rng: &mut Rng, syntax: Syntax, in_map: bool) -> String {
    match rng.u8(..12) {
        0 => format!("M{}", rng.u8(..4)),
        1 if in_map || syntax == Syntax::Edition => "E0".to_string(),
        1 | 2 => format!("E{}", rng.u8(..2)),
        3 => format!("google.protobuf.{}", KNOWN[rng.usize(..KNOWN.len())]),
        _ => SCALARS[rng.usize(..SCALARS.len())].to_string(),
    }
}

fn name(rng: &mut Rng, n: usize) -> String {
    match rng.u8(..4) {
        0 => format!("f{n}"),
        1 => format!("some_name_{n}"),
        2 => format!("_under__{n}x"),
        _ => format!("mixedCase{n}_x"),
    }
}
