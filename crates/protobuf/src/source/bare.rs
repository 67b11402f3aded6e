//! Descriptors without what only people read.

use crate::descriptor::FileDescriptorSet;

/// The set without places and comments, as `protoc` writes it unless told otherwise.
#[must_use]
pub fn bare(set: &FileDescriptorSet) -> FileDescriptorSet {
    let mut set = set.clone();
    for file in &mut set.file {
        file.source_code_info = None;
    }
    set
}
