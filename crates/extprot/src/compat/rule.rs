//! Rules that verdicts name. Section numbers are those of docs/spec/extprot.md.

use polywire_core::schema::language::Rule;

macro_rules! rules {
    ($($name:ident = $id:literal, $section:literal, $text:literal;)*) => {
        $(pub(super) const $name: Rule = Rule { id: $id, section: $section, text: $text };)*

        /// All rules, in the order of the documentation.
        pub const RULES: &[Rule] = &[$($name),*];
    };
}

rules! {
    WIDENING = "widening", "5.4", "a primitive is read from its own wire type and from those of narrower ones";
    FIRST_ELEMENT = "first-element", "5.2", "a primitive is read from a tuple or message that begins with it, and one level deep only";
    FIRST_ONLY = "one-constructor", "7.1", "a primitive or a message is read from a sum type or union only if that has a single constructor, with arguments";
    EXACT_PROMOTION = "exact-promotion", "5.1, 5.3", "a bare primitive stands for the first element only if its wire type is exactly that element's, and all others have defaults";
    MISSING = "missing-value", "5.1, 5.3", "a field or element that the writer does not know must have a default";
    UNKNOWN_TAG = "unknown-constructor", "5.1, 5.3", "a constructor or variant whose number the reader does not have is refused";
    NUMBERING = "numbering", "7.1", "a constructor or variant is known by its number alone; one whose name both sides know must keep its number";
    MOVED = "position", "4.3", "fields are known by their position alone; a field that both sides know must keep its place";
    SHAPE = "shape", "7.1", "a list is read from a list or array only, and nothing else from one";
    SUBSET = "subset", "5.7", "a subset is read from a message or tuple, never from a bare value";
    VIEW = "view", "5.7", "a view is read from the messages that it views; the types that it gives to fields must read theirs";
    EXTERNAL = "external", "7.1", "of a message of another module nothing is known but its path, which must stay the same";
    NAMES = "names", "7", "names are not on the wire: programs have to be changed, messages not";
    DEFAULTS = "defaults", "7", "a value that was not written is read as the reader's default";
    RANGE = "range", "5.4", "a value is converted where the reader's type is another one";
    TAG_IGNORED = "ignored-tag", "5.3", "a tuple is read from any constructor, whatever its number";
    REMOVED = "removed-message", "3", "a message of one version that the other does not declare is read by nobody there";
}
