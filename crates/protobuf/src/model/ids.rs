//! Handles of a pool's contents.

macro_rules! id {
    ($(#[$doc:meta] $name:ident)*) => {$(
        #[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Returns the position in the pool's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

id! {
    /// Handle of a file.
    FileId
    /// Handle of a message.
    MessageId
    /// Handle of an enum.
    EnumId
    /// Handle of an extension.
    ExtensionId
}

impl MessageId {
    pub(crate) const fn at(index: u32) -> MessageId {
        MessageId(index)
    }
}
