//! A file of descriptors as `.proto` text, in its syntax or edition, with its comments.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use polywire_core::bytes::Input;
use polywire_core::schema::language::SchemaLoss;
use polywire_core::{Error, Result};

use super::options::{Declared, Said};
use crate::descriptor::{
    Descriptor, EnumDescriptor, FeatureSet, FieldDescriptor, FileDescriptor, FileDescriptorSet, Location, Other, ReservedRange, edition,
    kind, label,
};
use crate::model::{MAX_NUMBER, candidates, json_name};

/// Writes the file of that index, with a line break at the end. Returns also the losses: options
/// that no file of the set declares have no text.
///
/// # Errors
/// There is no file of that index.
pub fn print(set: &FileDescriptorSet, index: usize) -> Result<(String, Vec<SchemaLoss>)> {
    let Some(file) = set.file.get(index) else { return Err(Error::internal("a file that the set does not have")) };
    let locations = file.source_code_info.iter().flat_map(|info| &info.location);
    let mut printing = Printing {
        symbols: symbols(set),
        declared: Declared::of(set),
        comments: locations.map(|location| (&location.path.0[..], location)).collect(),
        editions: file.syntax.as_deref() == Some("editions") || file.edition.is_some(),
        proto2: matches!(file.syntax.as_deref(), None | Some("" | "proto2")) && file.edition.is_none(),
        out: String::new(),
        losses: Vec::new(),
    };
    printing.file(file);
    let text = crate::source::layout::lay_out(&printing.out)
        .map_err(|finding| Error::internal(format!("text that cannot be laid out: {}", finding.message)))?;
    Ok((text, printing.losses))
}

/// Returns all names of a set.
fn symbols(set: &FileDescriptorSet) -> HashSet<String> {
    let mut symbols = HashSet::new();
    let join = |scope: &str, name: &Option<String>| {
        let name = name.as_deref().unwrap_or_default();
        if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") }
    };
    for file in &set.file {
        let package = file.package.as_deref().unwrap_or_default();
        symbols.extend(ancestors(package));
        let mut due: Vec<(String, &Descriptor)> = file.message_type.iter().map(|message| (package.to_string(), message)).collect();
        symbols.extend(file.extension.iter().map(|extension| join(package, &extension.name)));
        for declared in &file.enum_type {
            symbols.insert(join(package, &declared.name));
            symbols.extend(declared.value.iter().map(|value| join(package, &value.name)));
        }
        while let Some((scope, message)) = due.pop() {
            let full = join(&scope, &message.name);
            symbols.extend(message.field.iter().chain(&message.extension).map(|field| join(&full, &field.name)));
            symbols.extend(message.oneof_decl.iter().map(|oneof| join(&full, &oneof.name)));
            for declared in &message.enum_type {
                symbols.insert(join(&full, &declared.name));
                symbols.extend(declared.value.iter().map(|value| join(&full, &value.name)));
            }
            due.extend(message.nested_type.iter().map(|nested| (full.clone(), nested)));
            symbols.insert(full);
        }
    }
    symbols
}

/// Returns a name and those around it: `a.b.c`, `a.b`, `a`.
fn ancestors(name: &str) -> impl Iterator<Item = String> + '_ {
    let whole = (!name.is_empty()).then(|| name.to_string());
    whole.into_iter().chain(name.match_indices('.').map(|(at, _)| name[..at].to_string()))
}

/// Escapes bytes as in C, for defaults of `bytes` in descriptors.
pub(super) fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' => out.push_str("\\\""),
            b'\'' => out.push_str("\\'"),
            b'\\' => out.push_str("\\\\"),
            0x20..0x7f => out.push(char::from(*byte)),
            _ => _ = write!(out, "\\{byte:03o}"),
        }
    }
    out
}

/// Returns text as a string literal; letters of all scripts stay.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_ascii_control() => _ = write!(out, "\\{:03o}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A standard option: number, name, and kind of value.
type Standard = (u32, &'static str, OptionKind);

#[derive(Clone, Copy)]
enum OptionKind {
    Bool,
    Text,
    Names(&'static [(u64, &'static str)]),
}
use OptionKind::{Bool, Names, Text};

/// An options message of descriptor.proto, with its fields that are always known.
#[derive(Clone, Copy)]
struct Holder(&'static str, &'static [Standard]);

/// Options of files that only code generators use (descriptor.proto, `FileOptions`).
const FILE: Holder = Holder(
    "FileOptions",
    &[
        (1, "java_package", Text),
        (8, "java_outer_classname", Text),
        (9, "optimize_for", Names(&[(1, "SPEED"), (2, "CODE_SIZE"), (3, "LITE_RUNTIME")])),
        (10, "java_multiple_files", Bool),
        (11, "go_package", Text),
        (16, "cc_generic_services", Bool),
        (17, "java_generic_services", Bool),
        (18, "py_generic_services", Bool),
        (20, "java_generate_equals_and_hash", Bool),
        (27, "java_string_check_utf8", Bool),
        (31, "cc_enable_arenas", Bool),
        (36, "objc_class_prefix", Text),
        (37, "csharp_namespace", Text),
        (39, "swift_prefix", Text),
        (40, "php_class_prefix", Text),
        (41, "php_namespace", Text),
        (44, "php_metadata_namespace", Text),
        (45, "ruby_package", Text),
    ],
);

/// Options of messages (descriptor.proto, `MessageOptions`).
const MESSAGE: Holder =
    Holder("MessageOptions", &[(2, "no_standard_descriptor_accessor", Bool), (11, "deprecated_legacy_json_field_conflicts", Bool)]);

/// Options of fields (descriptor.proto, `FieldOptions`).
const FIELD: Holder = Holder(
    "FieldOptions",
    &[
        (1, "ctype", Names(&[(0, "STRING"), (1, "CORD"), (2, "STRING_PIECE")])),
        (5, "lazy", Bool),
        (6, "jstype", Names(&[(0, "JS_NORMAL"), (1, "JS_STRING"), (2, "JS_NUMBER")])),
        (10, "weak", Bool),
        (15, "unverified_lazy", Bool),
        (16, "debug_redact", Bool),
        (17, "retention", Names(&[(1, "RETENTION_RUNTIME"), (2, "RETENTION_SOURCE")])),
    ],
);

/// Options of enums (descriptor.proto, `EnumOptions`).
const ENUM: Holder = Holder("EnumOptions", &[(6, "deprecated_legacy_json_field_conflicts", Bool)]);

/// Options of values (descriptor.proto, `EnumValueOptions`).
const VALUE: Holder = Holder("EnumValueOptions", &[(3, "debug_redact", Bool)]);

/// Options of methods (descriptor.proto, `MethodOptions`).
const METHOD: Holder =
    Holder("MethodOptions", &[(34, "idempotency_level", Names(&[(0, "IDEMPOTENCY_UNKNOWN"), (1, "NO_SIDE_EFFECTS"), (2, "IDEMPOTENT")]))]);

/// Options of holders without such fields (descriptor.proto).
const SERVICE: Holder = Holder("ServiceOptions", &[]);
const ONEOF: Holder = Holder("OneofOptions", &[]);
const RANGE: Holder = Holder("ExtensionRangeOptions", &[]);
const FEATURES: Holder = Holder("FeatureSet", &[]);

struct Printing<'d> {
    symbols: HashSet<String>,
    declared: Option<Declared>,
    comments: HashMap<&'d [i32], &'d Location>,
    editions: bool,
    proto2: bool,
    out: String,
    losses: Vec<SchemaLoss>,
}

/// Options as `name = value`.
type Options = Vec<(String, String)>;

fn flag(options: &mut Options, name: &str, value: Option<bool>) {
    if let Some(value) = value {
        options.push((name.into(), value.to_string()));
    }
}

fn deeper(path: &[i32], field: i32, index: usize) -> Vec<i32> {
    [path, &[field, index as i32]].concat()
}

impl<'d> Printing<'d> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn lines(&mut self, comment: &str) {
        for line in comment.strip_suffix('\n').unwrap_or(comment).split('\n') {
            let line = line.trim_end();
            let _ = writeln!(self.out, "//{}{line}", if line.starts_with([' ', '/']) || line.is_empty() { "" } else { " " });
        }
    }

    /// Writes the comments before the declaration at a path.
    fn before(&mut self, path: &[i32]) {
        let Some(location) = self.comments.get(path).copied() else { return };
        for detached in &location.leading_detached_comments {
            self.lines(detached);
            self.out.push('\n');
        }
        if let Some(leading) = &location.leading_comments {
            self.lines(leading);
        }
    }

    /// Ends a line, with the comment behind it.
    fn end(&mut self, path: &[i32]) {
        let trailing = self.comments.get(path).and_then(|location| location.trailing_comments.as_deref());
        match trailing {
            Some(trailing) if trailing.trim_end().lines().count() <= 1 => {
                self.out.push_str("  ");
                self.lines(trailing.trim_end_matches('\n'));
            }
            Some(trailing) => {
                self.out.push('\n');
                self.lines(trailing);
            }
            None => self.out.push('\n'),
        }
    }

    /// Adds options that have no field of their own in a descriptor. Names are relative to a scope.
    fn others(&mut self, options: &mut Options, others: &[Other], Holder(holder, standard): Holder, at: &str, scope: &str) {
        for (index, other) in others.iter().enumerate() {
            let mut input = Input::new(&other.bytes, 0);
            let known = standard.iter().find(|(number, ..)| *number == other.number);
            let value = input.varint("a tag").ok().and_then(|_| match known?.2 {
                Bool => Some((input.varint("a bool").ok()? != 0).to_string()),
                Text => {
                    let length = input.varint("a length").ok()?;
                    let bytes = input.take(length, "text").ok()?;
                    Some(quoted(input.utf8(bytes).ok()?))
                }
                Names(names) => {
                    let number = input.varint("a number").ok()?;
                    names.iter().find(|(value, _)| *value == number).map(|(_, name)| (*name).to_string())
                }
            });
            if let (Some((_, name, _)), Some(value)) = (known, value) {
                options.push(((*name).to_string(), value));
                continue;
            }
            // An option is written in full where it first occurs.
            if others[..index].iter().any(|earlier| earlier.number == other.number) {
                continue;
            }
            match self.declared.as_ref().and_then(|declared| declared.say(holder, other.number, others)) {
                Some(Said { name, is_extension, values }) => {
                    let name = if is_extension { format!("({})", self.shown(&format!(".{name}"), scope)) } else { name };
                    let name = if holder == FEATURES.0 { format!("features.{name}") } else { name };
                    options.extend(values.into_iter().map(|value| (name.clone(), value)));
                }
                None => {
                    let what = format!("the option {} of {holder}, which no file of the set declares", other.number);
                    self.losses.push(SchemaLoss { at: at.to_string(), what });
                }
            }
        }
    }

    fn features(&mut self, options: &mut Options, features: Option<&FeatureSet>, at: &str, scope: &str) {
        let Some(features) = features else { return };
        let mut one = |name: &str, value: Option<i32>, names: &[(i32, &str)]| {
            if let Some(value) = value {
                match names.iter().find(|(number, _)| *number == value) {
                    Some((_, word)) => options.push((format!("features.{name}"), (*word).to_string())),
                    None => self.losses.push(SchemaLoss { at: at.to_string(), what: format!("the feature {name} = {value}") }),
                }
            }
        };
        one("field_presence", features.field_presence, &[(1, "EXPLICIT"), (2, "IMPLICIT"), (3, "LEGACY_REQUIRED")]);
        one("enum_type", features.enum_type, &[(1, "OPEN"), (2, "CLOSED")]);
        one("repeated_field_encoding", features.repeated_field_encoding, &[(1, "PACKED"), (2, "EXPANDED")]);
        one("utf8_validation", features.utf8_validation, &[(2, "VERIFY"), (3, "NONE")]);
        one("message_encoding", features.message_encoding, &[(1, "LENGTH_PREFIXED"), (2, "DELIMITED")]);
        one("json_format", features.json_format, &[(1, "ALLOW"), (2, "LEGACY_BEST_EFFORT")]);
        one("enforce_naming_style", features.enforce_naming_style, &[(1, "STYLE2024"), (2, "STYLE_LEGACY")]);
        let visibility = [(1, "EXPORT_ALL"), (2, "EXPORT_TOP_LEVEL"), (3, "LOCAL_ALL"), (4, "STRICT")];
        one("default_symbol_visibility", features.default_symbol_visibility, &visibility);
        self.others(options, &features.others, FEATURES, at, scope);
    }

    fn statements(&mut self, options: &Options) {
        for (name, value) in options {
            self.line(&format!("option {name} = {value};"));
        }
    }

    /// Writes ` [a = b, c = d]`, or nothing.
    fn bracketed(&mut self, options: &Options) {
        if !options.is_empty() {
            let options: Vec<String> = options.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let _ = write!(self.out, " [{}]", options.join(", "));
        }
    }

    /// Returns a type's name in a scope: the shortest that resolves to it.
    fn shown(&self, full: &str, scope: &str) -> String {
        let Some(name) = full.strip_prefix('.') else { return full.to_string() };
        let own: HashSet<String> = ancestors(name).collect();
        let known = |candidate: &str| self.symbols.contains(candidate) || own.contains(candidate);
        let starts = name.rmatch_indices('.').map(|(at, _)| at + 1).chain([0]);
        for start in starts {
            let suffix = &name[start..];
            let first = suffix.split('.').next().unwrap_or(suffix);
            let found = candidates(scope, first).find(|candidate| known(candidate));
            // The first part has to resolve to the very scope that the name continues in.
            if found.is_some_and(|found| found.len() == start + first.len() && name.starts_with(&found)) {
                return suffix.to_string();
            }
        }
        full.to_string()
    }

    fn file(&mut self, file: &'d FileDescriptor) {
        self.before(&[12]);
        match (file.syntax.as_deref(), file.edition) {
            (_, Some(edition::E2023)) => self.out.push_str("edition = \"2023\";"),
            (_, Some(edition::E2024)) => self.out.push_str("edition = \"2024\";"),
            (_, Some(other)) => _ = write!(self.out, "edition = \"{other}\";"),
            (Some("proto3"), None) => self.out.push_str("syntax = \"proto3\";"),
            _ => self.out.push_str("syntax = \"proto2\";"),
        }
        self.end(&[12]);
        let package = file.package.as_deref().unwrap_or_default();
        if !package.is_empty() {
            self.out.push('\n');
            self.before(&[2]);
            let _ = write!(self.out, "package {package};");
            self.end(&[2]);
        }
        let imports = file.dependency.iter().enumerate().map(|(index, path)| {
            let listed = |list: &[i32]| list.contains(&(index as i32));
            let word = match () {
                () if listed(&file.public_dependency) => "public ",
                () if listed(&file.weak_dependency) => "weak ",
                () => "",
            };
            (vec![3, index as i32], word, path)
        });
        let options = file.option_dependency.iter().enumerate().map(|(index, path)| (vec![15, index as i32], "option ", path));
        for (n, (path, word, import)) in imports.chain(options).enumerate() {
            if n == 0 {
                self.out.push('\n');
            }
            self.before(&path);
            let _ = write!(self.out, "import {word}{};", quoted(import));
            self.end(&path);
        }
        if let Some(options) = &file.options {
            let mut said = Options::new();
            let name = file.name.as_deref().unwrap_or_default();
            flag(&mut said, "deprecated", options.deprecated);
            self.features(&mut said, options.features.as_deref(), name, package);
            self.others(&mut said, &options.others, FILE, name, package);
            if !said.is_empty() {
                self.out.push('\n');
            }
            self.statements(&said);
        }
        for (index, declared) in file.enum_type.iter().enumerate() {
            self.enumeration(declared, package, &[5, index as i32]);
        }
        for (index, message) in file.message_type.iter().enumerate() {
            // Groups of extensions are written with these.
            if !is_group(&file.extension, message, package) {
                self.message(message, package, &[4, index as i32]);
            }
        }
        self.extensions(&file.extension, &file.message_type, package, &[7], &[4]);
        for (index, service) in file.service.iter().enumerate() {
            let path = [6, index as i32];
            self.out.push('\n');
            self.before(&path);
            let at = service.name.as_deref().unwrap_or_default();
            let scope = if package.is_empty() { at.to_string() } else { format!("{package}.{at}") };
            self.line(&format!("service {at} {{"));
            if let Some(options) = &service.options {
                let mut said = Options::new();
                flag(&mut said, "deprecated", options.deprecated);
                self.features(&mut said, options.features.as_deref(), at, &scope);
                self.others(&mut said, &options.others, SERVICE, at, &scope);
                self.statements(&said);
            }
            for (index, method) in service.method.iter().enumerate() {
                let path = deeper(&path, 2, index);
                self.before(&path);
                let name = method.name.as_deref().unwrap_or_default();
                let side = |this: &Self, ty: &Option<String>, stream: Option<bool>| {
                    let shown = this.shown(ty.as_deref().unwrap_or_default(), &scope);
                    if stream == Some(true) { format!("stream {shown}") } else { shown }
                };
                let input = side(self, &method.input_type, method.client_streaming);
                let output = side(self, &method.output_type, method.server_streaming);
                let mut said = Options::new();
                if let Some(options) = &method.options {
                    flag(&mut said, "deprecated", options.deprecated);
                    self.features(&mut said, options.features.as_deref(), name, &scope);
                    self.others(&mut said, &options.others, METHOD, name, &scope);
                }
                let _ = write!(self.out, "rpc {name}({input}) returns ({output})");
                if said.is_empty() {
                    self.out.push(';');
                } else {
                    self.line(" {");
                    self.statements(&said);
                    self.out.push('}');
                }
                self.end(&path);
            }
            self.line("}");
        }
    }

    fn message(&mut self, message: &'d Descriptor, scope: &str, path: &[i32]) {
        let name = message.name.as_deref().unwrap_or_default();
        self.out.push('\n');
        self.before(path);
        let visibility = match message.visibility {
            Some(1) => "local ",
            Some(2) => "export ",
            _ => "",
        };
        let _ = write!(self.out, "{visibility}message {name} {{");
        self.end(path);
        self.body(message, scope, path);
        self.line("}");
    }

    fn body(&mut self, message: &'d Descriptor, scope: &str, path: &[i32]) {
        let name = message.name.as_deref().unwrap_or_default();
        let full = if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") };
        if let Some(options) = &message.options {
            let mut said = Options::new();
            flag(&mut said, "message_set_wire_format", options.message_set_wire_format);
            flag(&mut said, "deprecated", options.deprecated);
            self.features(&mut said, options.features.as_deref(), &full, &full);
            self.others(&mut said, &options.others, MESSAGE, &full, &full);
            self.statements(&said);
        }
        let mut oneof = None;
        for (index, field) in message.field.iter().enumerate() {
            let own = field.oneof_index.filter(|_| field.proto3_optional != Some(true));
            if own != oneof {
                if oneof.is_some() {
                    self.line("}");
                }
                if let Some(number) = own {
                    let path = deeper(path, 8, number as usize);
                    self.before(&path);
                    let decl = message.oneof_decl.get(number as usize);
                    let name = decl.and_then(|oneof| oneof.name.as_deref()).unwrap_or_default();
                    let _ = write!(self.out, "oneof {name} {{");
                    self.end(&path);
                    if let Some(options) = decl.and_then(|decl| decl.options.as_deref()) {
                        let mut said = Options::new();
                        self.features(&mut said, options.features.as_deref(), &full, &full);
                        self.others(&mut said, &options.others, ONEOF, &full, &full);
                        self.statements(&said);
                    }
                }
                oneof = own;
            }
            self.field(field, &message.nested_type, &full, &deeper(path, 2, index), &[path, &[3]].concat());
        }
        if oneof.is_some() {
            self.line("}");
        }
        for (index, declared) in message.enum_type.iter().enumerate() {
            self.enumeration(declared, &full, &deeper(path, 4, index));
        }
        for (index, nested) in message.nested_type.iter().enumerate() {
            let entry = nested.options.as_ref().is_some_and(|options| options.map_entry == Some(true));
            if !entry && !is_group(&message.field, nested, &full) && !is_group(&message.extension, nested, &full) {
                self.message(nested, &full, &deeper(path, 3, index));
            }
        }
        self.extensions(&message.extension, &message.nested_type, &full, &[path, &[6]].concat(), &[path, &[3]].concat());
        for range in &message.extension_range {
            let last = range.end.unwrap_or(0).saturating_sub(1);
            let shown = shown_range(range.start.unwrap_or(0), last, MAX_NUMBER as i32);
            let mut said = Options::new();
            if let Some(options) = &range.options {
                self.features(&mut said, options.features.as_deref(), &full, &full);
                self.others(&mut said, &options.others, RANGE, &full, &full);
            }
            let _ = write!(self.out, "extensions {shown}");
            self.bracketed(&said);
            self.line(";");
        }
        let ranges = message.reserved_range.iter().map(|range| (range.start.unwrap_or(0), range.end.unwrap_or(0).saturating_sub(1)));
        self.reserved(ranges.collect(), MAX_NUMBER as i32, &message.reserved_name);
    }

    fn reserved(&mut self, ranges: Vec<(i32, i32)>, max: i32, names: &[String]) {
        if !ranges.is_empty() {
            let ranges: Vec<String> = ranges.into_iter().map(|(start, end)| shown_range(start, end, max)).collect();
            self.line(&format!("reserved {};", ranges.join(", ")));
        }
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| if self.editions { name.clone() } else { quoted(name) }).collect();
            self.line(&format!("reserved {};", names.join(", ")));
        }
    }

    fn extensions(&mut self, all: &'d [FieldDescriptor], types: &'d [Descriptor], scope: &str, path: &[i32], types_path: &[i32]) {
        let mut open: Option<&str> = None;
        for (index, field) in all.iter().enumerate() {
            let extendee = field.extendee.as_deref().unwrap_or_default();
            if open != Some(extendee) {
                if open.is_some() {
                    self.line("}");
                }
                let shown = self.shown(extendee, scope);
                self.line(&format!("\nextend {shown} {{"));
                open = Some(extendee);
            }
            self.field(field, types, scope, &[path, &[index as i32]].concat(), types_path);
        }
        if open.is_some() {
            self.line("}");
        }
    }

    fn field(&mut self, field: &'d FieldDescriptor, types: &'d [Descriptor], scope: &str, path: &[i32], types_path: &[i32]) {
        self.before(path);
        let name = field.name.as_deref().unwrap_or_default();
        let at = format!("{scope}.{name}");
        let type_name = field.type_name.as_deref().unwrap_or_default();
        let is = |ty: &Descriptor| {
            let short = ty.name.as_deref().unwrap_or_default();
            let outer = type_name.strip_prefix('.').and_then(|full| full.strip_suffix(short));
            outer.is_some_and(|outer| outer.strip_suffix('.').unwrap_or(outer) == scope)
        };
        let own = types.iter().position(is);
        let entry = own.map(|index| &types[index]).filter(|ty| ty.options.as_ref().is_some_and(|options| options.map_entry == Some(true)));
        let in_oneof = field.oneof_index.is_some() && field.proto3_optional != Some(true);
        let word = match field.label {
            _ if entry.is_some() || in_oneof => "",
            Some(label::REPEATED) => "repeated ",
            Some(label::REQUIRED) => "required ",
            _ if self.proto2 || field.proto3_optional == Some(true) => "optional ",
            _ => "",
        };
        let group = own.filter(|_| field.kind == Some(kind::GROUP));
        let shown = |this: &Self, field: &FieldDescriptor| match field.kind {
            Some(kind::DOUBLE) => "double".to_string(),
            Some(kind::FLOAT) => "float".into(),
            Some(kind::INT64) => "int64".into(),
            Some(kind::UINT64) => "uint64".into(),
            Some(kind::INT32) => "int32".into(),
            Some(kind::FIXED64) => "fixed64".into(),
            Some(kind::FIXED32) => "fixed32".into(),
            Some(kind::BOOL) => "bool".into(),
            Some(kind::STRING) => "string".into(),
            Some(kind::BYTES) => "bytes".into(),
            Some(kind::UINT32) => "uint32".into(),
            Some(kind::SFIXED32) => "sfixed32".into(),
            Some(kind::SFIXED64) => "sfixed64".into(),
            Some(kind::SINT32) => "sint32".into(),
            Some(kind::SINT64) => "sint64".into(),
            _ => this.shown(field.type_name.as_deref().unwrap_or_default(), scope),
        };
        let ty = match (entry, group) {
            (Some(entry), _) => {
                let part = |index: usize| entry.field.get(index).map_or_else(String::new, |part| shown(self, part));
                format!("map<{}, {}>", part(0), part(1))
            }
            (None, Some(index)) => format!("group {}", types[index].name.as_deref().unwrap_or_default()),
            (None, None) => shown(self, field),
        };
        let number = field.number.unwrap_or_default();
        let _ = if group.is_some() { write!(self.out, "{word}{ty} = {number}") } else { write!(self.out, "{word}{ty} {name} = {number}") };
        let mut said = Options::new();
        if let Some(default) = &field.default_value {
            said.push((
                "default".into(),
                match field.kind {
                    Some(kind::STRING) => quoted(default),
                    Some(kind::BYTES) => format!("\"{default}\""),
                    _ => default.clone(),
                },
            ));
        }
        if let Some(json) = field.json_name.as_ref().filter(|json| **json != json_name(name) && field.extendee.is_none()) {
            said.push(("json_name".into(), quoted(json)));
        }
        if let Some(options) = &field.options {
            flag(&mut said, "packed", options.packed);
            flag(&mut said, "deprecated", options.deprecated);
            self.features(&mut said, options.features.as_deref(), &at, scope);
            self.others(&mut said, &options.others, FIELD, &at, scope);
        }
        self.bracketed(&said);
        match group {
            Some(index) => {
                self.line(" {");
                self.body(&types[index], scope, &[types_path, &[index as i32]].concat());
                self.out.push('}');
            }
            None => self.out.push(';'),
        }
        self.end(path);
    }

    fn enumeration(&mut self, declared: &'d EnumDescriptor, scope: &str, path: &[i32]) {
        let name = declared.name.as_deref().unwrap_or_default();
        let at = if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") };
        self.out.push('\n');
        self.before(path);
        let visibility = match declared.visibility {
            Some(1) => "local ",
            Some(2) => "export ",
            _ => "",
        };
        let _ = write!(self.out, "{visibility}enum {name} {{");
        self.end(path);
        if let Some(options) = &declared.options {
            let mut said = Options::new();
            flag(&mut said, "allow_alias", options.allow_alias);
            flag(&mut said, "deprecated", options.deprecated);
            self.features(&mut said, options.features.as_deref(), &at, &at);
            self.others(&mut said, &options.others, ENUM, &at, &at);
            self.statements(&said);
        }
        for (index, value) in declared.value.iter().enumerate() {
            let path = deeper(path, 2, index);
            self.before(&path);
            let name = value.name.as_deref().unwrap_or_default();
            let _ = write!(self.out, "{name} = {}", value.number.unwrap_or_default());
            let mut said = Options::new();
            if let Some(options) = &value.options {
                flag(&mut said, "deprecated", options.deprecated);
                self.features(&mut said, options.features.as_deref(), &at, &at);
                self.others(&mut said, &options.others, VALUE, &at, &at);
            }
            self.bracketed(&said);
            self.out.push(';');
            self.end(&path);
        }
        let ranges = declared.reserved_range.iter().map(|ReservedRange { start, end, .. }| (start.unwrap_or(0), end.unwrap_or(0)));
        self.reserved(ranges.collect(), i32::MAX, &declared.reserved_name);
        self.line("}");
    }
}

/// Returns whether a message is the body of one of these groups.
fn is_group(fields: &[FieldDescriptor], message: &Descriptor, scope: &str) -> bool {
    let name = message.name.as_deref().unwrap_or_default();
    let full = if scope.is_empty() { format!(".{name}") } else { format!(".{scope}.{name}") };
    fields.iter().any(|field| field.kind == Some(kind::GROUP) && field.type_name.as_deref() == Some(&full))
}

fn shown_range(start: i32, end: i32, max: i32) -> String {
    match end {
        end if end == start => start.to_string(),
        end if end >= max => format!("{start} to max"),
        end => format!("{start} to {end}"),
    }
}
