//! Rules that verdicts name. Section numbers are those of docs/spec/usds.md; `profile` is
//! docs/usds-profile.md.

use polywire_core::schema::language::Rule;

const fn rule(id: &'static str, section: &'static str, text: &'static str) -> Rule {
    Rule { id, section, text }
}

pub(super) const POSITION: Rule = rule(
    "position",
    "4",
    "fields stand in the order of their ids, with nothing between them: both sides must have the same ones in the same places",
);
pub(super) const TYPE: Rule =
    rule("type", "4", "a value has no type on the wire: its bytes are taken for what the reader's dictionary says");
pub(super) const PRESENCE: Rule = rule(
    "presence",
    "profile",
    "a structure starts with one bit for each field that may be null, in whole bytes; a bit that the reader does not know must be 0",
);
pub(super) const TAG_ID: Rule = rule("tag-id", "5.5", "a root, or a member of a polymorph, is known by the id of its tag alone");
pub(super) const ROOT: Rule = rule("root", "2.5", "a body has only those tags at the top that the reader's dictionary has as roots");
pub(super) const ENUMERATOR: Rule =
    rule("enumerator", "profile", "an enumerator is known by its number alone; a number that the reader does not know is refused");
pub(super) const MEMBER: Rule = rule("member", "profile", "a polymorph is one of the members that the reader's dictionary lists");
pub(super) const ENCODING: Rule = rule("encoding", "4", "text that the reader's dictionary declares to be UTF-8 must be that");
pub(super) const SIGNATURE: Rule =
    rule("signature", "5.6", "the first byte of a body tells its revision, which must be one that the reader's dictionary has bytes for");
pub(super) const IDENTITY: Rule = rule(
    "identity",
    "2.6, 5.3",
    "a head names the dictionary by id and version; who knows only another one refuses the document, unless its dictionary travels with it",
);
pub(super) const SAME_IDENTITY: Rule = rule(
    "same-identity",
    "5.3",
    "a dictionary that travels in a document is ignored by a reader that knows one of the same id and version",
);
pub(super) const NAMES: Rule = rule("names", "4", "names are not on the wire: programs have to be changed, messages not");
pub(super) const DEFAULTS: Rule =
    rule("defaults", "profile", "a default is what a writer takes for a field that it was not given; readers never do");

/// All rules, in the order of the documentation.
pub const RULES: &[Rule] =
    &[POSITION, TYPE, PRESENCE, TAG_ID, ROOT, ENUMERATOR, MEMBER, ENCODING, SIGNATURE, IDENTITY, SAME_IDENTITY, NAMES, DEFAULTS];
