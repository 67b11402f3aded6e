//! Transformers (docs/spec/ql.md 9): modules that parse replies of media types that are not built
//! in.

use std::sync::Arc;

use polywire_doc::Datum;
use rquickjs::Value;

use crate::engine::Raised;
use crate::hook::{Content, Headers, wire};
use crate::log::LogSink;
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;
use crate::task::Task;
use crate::wire::wire_fields;

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
        let load = TransformerLoad { module: module.clone() };
        self.submit(self.callee("transformer", &module, None), load, |accept| Transformer { hooks, module, accept: accept.into() })
    }
}

/// Loading of a transformer. The answer is the media types that it reads.
pub(crate) struct TransformerLoad {
    module: Arc<str>,
}

wire_fields!(TransformerLoad { module });

impl Task for TransformerLoad {
    type Answer = String;

    const NUMBER: u8 = 5;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<String, Raised> {
        let path = call.module(&self.module)?;
        let names: Vec<String> = call.call("exported", (path.clone(),))?;
        if !names.iter().any(|name| name == "toJson") {
            return Err(call.answer_error("a transformer has to export a function toJson"));
        }
        Ok(call.text_of(&call.call::<_, Value<'_>>("exportedValue", (path, "accept"))?)?.unwrap_or_default())
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
        let task = ToJson { module: self.module.clone(), body, headers };
        self.hooks.submit(self.hooks.callee("toJson", &self.module, log), task, |value| value)
    }
}

/// A call of a transformer.
pub(crate) struct ToJson {
    module: Arc<str>,
    body: Content,
    headers: Headers,
}

wire_fields!(ToJson { module, body, headers });

impl Task for ToJson {
    type Answer = Option<Datum>;

    const NUMBER: u8 = 6;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Option<Datum>, Raised> {
        let path = call.module(&self.module)?;
        let given: Value<'_> =
            call.call("transform", (path, wire::content_in(call, &self.body)?, wire::headers_in(call, &self.headers)?))?;
        Ok(call.outward(&given)?)
    }
}
