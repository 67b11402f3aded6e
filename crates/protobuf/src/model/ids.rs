//! Handles of what a pool holds.

macro_rules! id {
    ($(#[$doc:meta] $name:ident)*) => {$(
        #[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Position in the pool's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

id! {
    /// A file of a pool.
    FileId
    /// A message of a pool.
    MessageId
    /// An enum of a pool.
    EnumId
    /// An extension of a pool.
    ExtensionId
}

impl MessageId {
    pub(crate) const fn at(index: u32) -> MessageId {
        MessageId(index)
    }
}
