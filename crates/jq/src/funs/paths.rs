//! Deleting values by their paths.

use std::sync::Arc;

use jaq_core::ValT as _;
use jaq_core::path::Opt;

use crate::guard;
use crate::value::{Val, ValError, ValR, slice};

/// Deletes the values at all of `paths`. Places in lists are those before anything is deleted.
pub(super) fn delete(value: Val, paths: &Val) -> ValR {
    let Val::List(paths) = paths else { return Err(ValError::str("Paths must be specified as an array")) };
    let mut steps: Vec<&[Val]> = Vec::new();
    for path in &paths.values {
        let Val::List(path) = path else { return Err(ValError::str("Path must be specified as an array")) };
        steps.push(&path.values);
    }
    // Those of one value stand together then.
    steps.sort();
    from(value, &steps)
}

fn from(value: Val, paths: &[&[Val]]) -> ValR {
    guard::stack();
    if paths.iter().any(|path| path.is_empty()) {
        return Ok(Val::Null);
    }
    if value == Val::Null {
        return Ok(value);
    }
    let mut value = value.plain();
    let (here, deeper): (Vec<&[Val]>, Vec<&[Val]>) = paths.iter().copied().partition(|path| path.len() == 1);
    for group in deeper.chunk_by(|one, other| one[0] == other[0]) {
        let rest: Vec<&[Val]> = group.iter().map(|path| &path[1..]).collect();
        let inner = value.clone().index(&group[0][0])?;
        if inner != Val::Null {
            let inner = from(inner, &rest)?;
            let set = value.map_index(&group[0][0], Opt::Essential, |_| std::iter::once(Ok(inner.clone())));
            value = set.map_err(|exception| exception.get_err().unwrap_or_else(|_| ValError::str("break")))?;
        }
    }
    match &mut value {
        Val::Object(object) => {
            let object = Arc::make_mut(object);
            for path in here {
                if path[0].as_str().is_none() {
                    return Err(ValError::str(format_args!("Cannot delete field at object index of {}", path[0].kind().name())));
                }
                object.remove(&path[0]);
            }
        }
        Val::List(list) => {
            let len = list.values.len();
            let mut gone = vec![false; len];
            for path in here {
                match (&path[0], path[0].num()) {
                    (Val::Object(range), _) => {
                        let (from, to) = slice(&(range.get_text("start")..range.get_text("end")), len)?;
                        gone[from..to].fill(true);
                    }
                    (_, Some(at)) => {
                        let at = at.float().floor();
                        let at = if at < 0.0 { at + len as f64 } else { at };
                        if let Some(gone) = gone.get_mut(at as usize).filter(|_| at >= 0.0) {
                            *gone = true;
                        }
                    }
                    (key, None) => {
                        return Err(ValError::str(format_args!("Cannot delete field at array index of {}", key.kind().name())));
                    }
                }
            }
            let mut gone = gone.into_iter();
            Arc::make_mut(list).values.retain(|_| !gone.next().unwrap_or_default());
        }
        other if here.is_empty() => {
            let _: &Val = other;
        }
        other => return Err(ValError::str(format_args!("Cannot delete fields from {}", other.kind().name()))),
    }
    Ok(value)
}
