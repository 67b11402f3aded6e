//! Text of the engine.

use rquickjs::function::This;
use rquickjs::{Function, Object, Result, String as JsString};

/// Copies the text of a string out; unpaired surrogates become U+FFFD.
pub(crate) fn text<'js>(string: &JsString<'js>) -> Result<String> {
    match string.to_string() {
        Err(rquickjs::Error::Utf8(_)) => {
            let prototype: Object<'js> = string.ctx().globals().get::<_, Object<'js>>("String")?.get("prototype")?;
            prototype.get::<_, Function<'js>>("toWellFormed")?.call::<_, JsString<'js>>((This(string.clone()),))?.to_string()
        }
        text => text,
    }
}
