//! Which declarations other files see, from edition 2024 on (descriptor.proto, `SymbolVisibility`
//! and `default_symbol_visibility`).

use super::names::Symbol;
use super::unit::{Syntax, Unit, enum_at, message_at};

/// Numbers of `VisibilityFeature.DefaultSymbolVisibility`.
const EXPORT_ALL: i32 = 1;
const EXPORT_TOP_LEVEL: i32 = 2;
const LOCAL_ALL: i32 = 3;
const STRICT: i32 = 4;

/// Returns why other files do not see a type, or `None` if they do.
pub(super) fn hidden(unit: &Unit, symbol: &Symbol) -> Option<&'static str> {
    if unit.syntax < Syntax::E2024 {
        return None;
    }
    let own = match message_at(&unit.file, &symbol.path) {
        Some(message) => message.visibility,
        None => enum_at(&unit.file, &symbol.path)?.visibility,
    };
    match own {
        Some(1) => return Some("`local` in another file"),
        Some(_) => return None,
        None => {}
    }
    let said = unit.file.options.as_ref().and_then(|options| options.features.as_ref()).and_then(|said| said.default_symbol_visibility);
    let top = symbol.path.len() == 2;
    match said.unwrap_or(EXPORT_TOP_LEVEL) {
        EXPORT_ALL => None,
        EXPORT_TOP_LEVEL if top => None,
        EXPORT_TOP_LEVEL => Some("local to another file, since it is not at top level"),
        LOCAL_ALL | STRICT => Some("local to another file, which exports nothing by default"),
        _ => None,
    }
}
