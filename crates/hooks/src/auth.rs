//! Authentication modules (docs/spec/ql.md 10): called before a request, and able to refuse it.

use polywire_doc::Datum;
use rquickjs::Value;

use crate::log::LogSink;
use crate::pool::{Call, Hooks};

impl Hooks {
    /// Calls `auth(params, config, callback)` of a module, or the module itself if it is a
    /// function. The module has to answer within the time of a call. Returns the parameters if the
    /// module changed them, as one does that adds a token or a signature.
    ///
    /// # Errors
    /// The module refuses: it passes an error to its callback, or throws. The request must not be
    /// sent then (ql-D14).
    pub fn authenticate(&self, module: &str, params: Datum, config: Datum, log: Option<LogSink>) -> Call<Option<Datum>> {
        let module = module.to_string();
        self.submit(self.callee("auth", &module.clone(), log), move |call| {
            let path = call.module(&module)?;
            let given: Value<'_> = call.call("authorise", (path, call.inward(params.view())?, call.inward(config.view())?))?;
            Ok(call.if_changed(&given)?.filter(|params| params.view().is_object()))
        })
    }
}
