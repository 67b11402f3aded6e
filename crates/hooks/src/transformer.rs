//! Transformers (specification 9): modules that make a structure of a reply whose media type nobody knows.

use std::sync::Arc;

use polywire_doc::Datum;
use rquickjs::Value;

use crate::hook::{Content, Headers, wire};
use crate::log::LogSink;
use crate::pool::{Call, Hooks};

/// A transformer. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Transformer {
    hooks: Hooks,
    module: Arc<str>,
    accept: Arc<str>,
}

impl Hooks {
    /// Loads a transformer, which is named by its path below the table directory.
    pub fn transformer(&self, module: &str) -> Call<Transformer> {
        let hooks = self.clone();
        let module: Arc<str> = module.into();
        self.submit(self.callee("transformer", &module, None), move |turn| {
            let path = turn.module(&module)?;
            let names: Vec<String> = turn.call("exported", (path.clone(),))?;
            if !names.iter().any(|name| name == "toJson") {
                return Err(turn.answer_error("a transformer has to export a function toJson"));
            }
            let accept = turn.text_of(&turn.call::<_, Value<'_>>("exportedValue", (path, "accept"))?)?.unwrap_or_default();
            Ok(Transformer { hooks, module, accept: accept.into() })
        })
    }
}

impl Transformer {
    /// What it says of the media types that it reads, in the syntax of the header `Accept`; empty if it says nothing.
    pub fn accept(&self) -> &str {
        &self.accept
    }

    /// Calls `toJson(body, headers, done, fail)`: it returns the structure, or hands it to `done`. `None` if that is undefined.
    pub fn to_json(&self, body: Content, headers: Headers, log: Option<LogSink>) -> Call<Option<Datum>> {
        let module = self.module.clone();
        self.hooks.submit(self.hooks.callee("toJson", &module, log), move |turn| {
            let path = turn.module(&module)?;
            let given: Value<'_> = turn.call("transform", (path, wire::content_in(turn, body)?, wire::headers_in(turn, &headers)?))?;
            Ok(turn.outward(&given)?)
        })
    }
}
