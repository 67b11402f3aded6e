//! Rules that verdicts name. Their sections are of Apache's repository,
//! <https://github.com/apache/thrift>: its documents, and the audit of its compiler, `t_audit.cpp`.

use polywire_core::schema::language::Rule;

macro_rules! rules {
    ($($name:ident = $id:literal, $section:literal, $text:literal;)*) => {
        $(pub(super) const $name: Rule = Rule { id: $id, section: $section, text: $text };)*
    };
}

rules! {
    NUMBERS = "field-number", "doc/specs/idl.md: Field ID", "a field is known by its number alone; one whose name both sides know must keep its number";
    REMOVED = "removed-field", "t_audit.cpp", "readers step over the value of a field that was removed: it is lost to them";
    MIDDLE = "field-in-the-middle", "t_audit.cpp", "a number between those in use may be that of a field which was removed earlier, with another type";
    KIND = "wire-type", "doc/specs/thrift-binary-protocol.md: Struct", "readers step over a field of another type, and cannot read elements of another type";
    TEXT = "text", "doc/specs/thrift-binary-protocol.md: Binary encoding", "string and binary are the same on the wire, but a string has to be UTF-8";
    REQUIRED = "required", "doc/specs/idl.md: Field Requiredness", "a struct without a required field is refused";
    UNION = "union", "doc/specs/idl.md: Union", "a union has exactly one field, which the reader has to know";
    ENUM_NUMBERS = "enum-number", "doc/specs/idl.md: Enum", "a value of an enum is known by its number alone; readers of a number without a name take it for nothing or for the bare number";
    DEFAULTS = "defaults", "doc/specs/idl.md: Semantics of Default Values", "a field that was not written is read as the reader's default";
    NAMES = "names", "doc/specs/thrift-binary-protocol.md: Struct", "names are not on the wire: programs have to be changed, messages not";
    TYPES = "removed-type", "t_audit.cpp", "a type that the other version does not declare is read by nobody there";
    METHODS = "methods", "doc/specs/thrift-rpc.md: Message", "a method is called by its name, and one that a server does not know is refused";
    ONEWAY = "oneway", "doc/specs/thrift-rpc.md: Message", "a oneway call has no reply: the caller waits for one that never comes, or takes it for that of its next call";
    RESULT = "result", "doc/specs/thrift-rpc.md: Response struct", "a result that is neither a value nor an exception that the caller knows is refused";
    EXCEPTIONS = "exceptions", "t_audit.cpp", "a caller catches an exception by its type";
    BASE = "base", "t_audit.cpp", "a service that extends another one has the methods of that";
    CONSTANTS = "constants", "t_audit.cpp", "constants are not on the wire, but each program keeps the value of its version";
    NAMESPACES = "namespaces", "doc/specs/idl.md: Namespace", "a namespace is not on the wire: programs have to be changed, messages not";
}
