//! Forms that encoding instructions of JER give types (X.697 14 to 19).

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Addition, Alternative, Component, Structure};

/// Form of a type's values in JER.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Json {
    /// True if an OCTET STRING is Base64 (X.697 15).
    pub base64: bool,
    /// Texts of enumerators, root and additions, if they are not their names (X.697 18).
    pub names: Option<Arc<[SmolStr]>>,
}

impl Component {
    /// Returns the name of the member in JER.
    pub fn written(&self) -> &SmolStr {
        self.json_name.as_ref().unwrap_or(&self.name)
    }
}

impl Alternative {
    /// Returns the name of the member in JER.
    pub fn written(&self) -> &SmolStr {
        self.json_name.as_ref().unwrap_or(&self.name)
    }
}

impl Structure {
    /// Returns all components in the order of the text: the root up to the marker, the additions,
    /// the rest of the root.
    pub fn components(&self) -> impl Iterator<Item = &Component> + Clone {
        let (one, two) = self.root.split_at((self.first as usize).min(self.root.len()));
        let additions = self.additions.iter().flat_map(|addition| match addition {
            Addition::Component(component) => std::slice::from_ref(component),
            Addition::Group(group, _) => group.as_slice(),
        });
        one.iter().chain(additions).chain(two)
    }
}
