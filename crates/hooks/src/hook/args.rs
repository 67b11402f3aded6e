//! Arguments of a hook besides the record, and its value.

use rquickjs::{Object, Value};

use super::name::Hook;
use crate::engine::Raised;
use crate::sandbox::ModuleCall;
use crate::task::Source;
use crate::wire::Wire;

/// The arguments of a hook.
pub(crate) trait HookArgs: Wire + Send + 'static {
    /// The value that the hook is called for.
    type Value: Wire + Send + 'static;

    /// The hook.
    const HOOK: Hook;

    /// The member of the record that counts if the hook returns nothing.
    const FIELD: Option<&'static str> = None;

    /// Adds the hook's own members to its record.
    fn fill<'js>(&self, call: &ModuleCall<'_, 'js>, record: &Object<'js>) -> Result<(), Raised>;

    /// Makes the arguments after the record.
    fn more<'js>(&self, _: &ModuleCall<'_, 'js>) -> rquickjs::Result<Option<Vec<Value<'js>>>> {
        Ok(None)
    }

    /// Takes the returned value, or the member [`HookArgs::FIELD`] of the record.
    fn read<'js>(call: &ModuleCall<'_, 'js>, given: Value<'js>) -> Result<Self::Value, Raised>;

    /// Returns the source of a body that the message to a worker holds in part.
    fn source(&self) -> Option<&dyn Source> {
        None
    }
}
