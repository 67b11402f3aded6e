//! Authentication modules (specification 10): asked before a request, and able to refuse it.

use polywire_doc::Datum;
use rquickjs::Value;

use crate::log::LogSink;
use crate::pool::{Call, Hooks};

impl Hooks {
    /// Calls `auth(params, config, callback)` of a module, or the module itself if it is a function, and waits for its answer within the time of a call. The parameters are given back if the module
    /// has changed them, as one does that adds a token or a signature.
    ///
    /// # Errors
    /// The module refuses: it gives its callback an error, or throws. The request must not be sent then (deviation D14).
    pub fn authenticate(&self, module: &str, params: Datum, config: Datum, log: Option<LogSink>) -> Call<Option<Datum>> {
        let module = module.to_string();
        self.submit(self.callee("auth", &module.clone(), log), move |turn| {
            let path = turn.module(&module)?;
            let given: Value<'_> = turn.call("authorise", (path, turn.inward(params.view())?, turn.inward(config.view())?))?;
            Ok(turn.if_changed(&given)?.filter(|params| params.view().is_object()))
        })
    }
}
