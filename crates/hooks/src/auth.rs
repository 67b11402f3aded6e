//! Authentication modules (docs/spec/ql.md 10): called before a request, and able to refuse it.

use polywire_doc::Datum;
use rquickjs::Value;

use crate::engine::Raised;
use crate::log::LogSink;
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;
use crate::task::Task;
use crate::wire::wire_fields;

impl Hooks {
    /// Calls `auth(params, config, callback)` of a module, or the module itself if it is a
    /// function. The module has to answer within the time of a call. Returns the parameters if the
    /// module changed them, as one does that adds a token or a signature.
    ///
    /// # Errors
    /// The module refuses: it passes an error to its callback, or throws. The request must not be
    /// sent then (ql-D14).
    pub fn authenticate(&self, module: &str, params: Datum, config: Datum, log: Option<LogSink>) -> Call<Option<Datum>> {
        let task = Authenticate { module: module.to_string(), params, config };
        self.submit(self.callee("auth", module, log), task, |params| params)
    }
}

/// A call of an authentication module.
pub(crate) struct Authenticate {
    module: String,
    params: Datum,
    config: Datum,
}

wire_fields!(Authenticate { module, params, config });

impl Task for Authenticate {
    type Answer = Option<Datum>;

    const NUMBER: u8 = 7;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Option<Datum>, Raised> {
        let path = call.module(&self.module)?;
        let given: Value<'_> = call.call("authorise", (path, call.inward(self.params.view())?, call.inward(self.config.view())?))?;
        Ok(call.if_changed(&given)?.filter(|params| params.view().is_object()))
    }
}
