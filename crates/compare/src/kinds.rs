//! Descriptions of the kinds of messages, for the headings of their tables.

use polywire_core::Tree;
use polywire_core::value::{Entry, View};
use polywire_core::{Open, Scalar};

use crate::messages::Messages;

/// Messages that are looked at.
const SAMPLES: usize = 50;

/// Names that a description lists.
const NAMES: usize = 4;

/// Bytes of the longest text that a description has.
const LONGEST: usize = 40;

/// Returns what messages of a kind have in common: the first field whose text is always the same,
/// and the names of the first fields.
pub(crate) fn description(messages: &Messages) -> String {
    let mut walker = messages.walker(messages.dialect().clone());
    let mut names: Vec<String> = Vec::new();
    let mut constants: Vec<(String, String)> = Vec::new();
    for index in 0..messages.len().min(SAMPLES) {
        let (bytes, base) = messages.get(index);
        let mut tree = Tree::new();
        if walker.walk(bytes, base, &mut tree).is_err() {
            break;
        }
        let Some(root) = tree.root() else { break };
        // The document of an entry in a format of elements is a record around it.
        let mut value = root;
        let mut entries: Vec<Entry<'_, '_>> = value.entries().collect();
        while let [Entry::Field(_, inner)] = entries.as_slice()
            && matches!(inner.view(), View::Open(Open::Record { .. } | Open::Map(_)))
        {
            value = *inner;
            entries = value.entries().collect();
        }
        let texts: Vec<(String, String)> = entries
            .iter()
            .filter_map(|entry| match (entry, entry.value().view()) {
                (Entry::Field(name, _), View::Scalar(Scalar::Text(text))) if text.get().len() <= LONGEST => {
                    Some(((*name).to_string(), text.get().to_string()))
                }
                _ => None,
            })
            .collect();
        if index == 0 {
            let fields = entries.iter().filter_map(|entry| match entry {
                Entry::Field(name, _) => Some((*name).to_string()),
                _ => None,
            });
            names = fields.collect();
            constants = texts;
        } else {
            constants.retain(|constant| texts.contains(constant));
        }
    }
    let more = if names.len() > NAMES { " …" } else { "" };
    names.truncate(NAMES);
    let fields = format!("{}{more}", names.join(", "));
    match (constants.first().filter(|_| messages.len() > 1), names.is_empty()) {
        (Some((name, text)), _) => format!("{name} = {text:?}; fields {fields}"),
        (None, false) => format!("fields {fields}"),
        (None, true) => "values without names".to_string(),
    }
}
