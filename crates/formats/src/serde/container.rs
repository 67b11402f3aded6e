//! serde's traits of sequences and structs, written once for the serializers that write bytes
//! without events.

/// Implements serde's traits of sequences, tuples and structs for a container by its own functions
/// `element`, `field` and `finish`. The attribute is that of a field's function: a long struct has
/// as many calls of it.
macro_rules! containers {
    (@sequence [$($generics:tt)*] $container:ty, $trait:ident $method:ident) => {
        impl<$($generics)*> serde_core::ser::$trait for $container {
            type Ok = ();
            type Error = polywire_core::Error;

            #[inline]
            fn $method<T: serde_core::Serialize + ?Sized>(&mut self, value: &T) -> polywire_core::Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> polywire_core::Result<()> {
                self.finish()
            }
        }
    };
    (@fields $inline:meta; [$($generics:tt)*] $container:ty, $trait:ident) => {
        impl<$($generics)*> serde_core::ser::$trait for $container {
            type Ok = ();
            type Error = polywire_core::Error;

            #[$inline]
            fn serialize_field<T: serde_core::Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> polywire_core::Result<()> {
                self.field(name, value)
            }

            #[inline]
            fn end(self) -> polywire_core::Result<()> {
                self.finish()
            }
        }
    };
    (#[$inline:meta] impl[$($generics:tt)*] $container:ty) => {
        $crate::serde::container::containers!(@sequence [$($generics)*] $container, SerializeSeq serialize_element);
        $crate::serde::container::containers!(@sequence [$($generics)*] $container, SerializeTuple serialize_element);
        $crate::serde::container::containers!(@sequence [$($generics)*] $container, SerializeTupleStruct serialize_field);
        $crate::serde::container::containers!(@sequence [$($generics)*] $container, SerializeTupleVariant serialize_field);
        $crate::serde::container::containers!(@fields $inline; [$($generics)*] $container, SerializeStruct);
        $crate::serde::container::containers!(@fields $inline; [$($generics)*] $container, SerializeStructVariant);
    };
}

pub(crate) use containers;
