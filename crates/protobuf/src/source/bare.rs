//! Descriptors without places and comments.

use crate::descriptor::FileDescriptorSet;

/// Returns the set without places and comments, as `protoc` writes it by default.
#[must_use]
pub fn bare(set: &FileDescriptorSet) -> FileDescriptorSet {
    let mut set = set.clone();
    for file in &mut set.file {
        file.source_code_info = None;
    }
    set
}
