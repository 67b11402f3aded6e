//! Transformers (docs/spec/ql.md 9): modules that parse replies of media types that are not built
//! in.

use std::sync::Arc;

use polywire_doc::Datum;
use rquickjs::Value;

use crate::hook::{Content, Headers, wire};
use crate::log::LogSink;
use crate::pool::{Call, Hooks};

/// A transformer. Clones share it.
#[derive(Debug, Clone)]
pub struct Transformer {
    hooks: Hooks,
    module: Arc<str>,
    accept: Arc<str>,
}

impl Hooks {
    /// Loads a transformer by its path in the table directory.
    pub fn transformer(&self, module: &str) -> Call<Transformer> {
        let hooks = self.clone();
        let module: Arc<str> = module.into();
        self.submit(self.callee("transformer", &module, None), move |call| {
            let path = call.module(&module)?;
            let names: Vec<String> = call.call("exported", (path.clone(),))?;
            if !names.iter().any(|name| name == "toJson") {
                return Err(call.answer_error("a transformer has to export a function toJson"));
            }
            let accept = call.text_of(&call.call::<_, Value<'_>>("exportedValue", (path, "accept"))?)?.unwrap_or_default();
            Ok(Transformer { hooks, module, accept: accept.into() })
        })
    }
}

impl Transformer {
    /// Returns the media types that it reads, in the syntax of the header `Accept`; empty if the
    /// module names none.
    pub fn accept(&self) -> &str {
        &self.accept
    }

    /// Calls `toJson(body, done, fail, headers)`, which returns the structure or passes it to
    /// `done`. Returns `None` if that is undefined.
    pub fn to_json(&self, body: Content, headers: Headers, log: Option<LogSink>) -> Call<Option<Datum>> {
        let module = self.module.clone();
        self.hooks.submit(self.hooks.callee("toJson", &module, log), move |call| {
            let path = call.module(&module)?;
            let given: Value<'_> = call.call("transform", (path, wire::content_in(call, body)?, wire::headers_in(call, &headers)?))?;
            Ok(call.outward(&given)?)
        })
    }
}
