//! `package.json`.

use rquickjs::{Ctx, Object, String as JsString};

/// Returns the main file that the text of a `package.json` names.
pub(super) fn main_of(ctx: &Ctx<'_>, text: String) -> Option<String> {
    let main =
        ctx.json_parse(text).and_then(|value| Object::from_value(value)?.get::<_, JsString<'_>>("main")).and_then(|main| main.to_string());
    if main.is_err() {
        ctx.catch();
    }
    main.ok()
}
