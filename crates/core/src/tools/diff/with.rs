//! Two values side by side, as options say.

use crate::tools::adapt::Sought;
use crate::value::tree::Item;

use super::difference::Difference;
use super::options::Options;
use super::values::{Diff, Ignore};

/// Returns the differences between two values, as the options say, and their number: all are
/// counted, also beyond the limit. Messages are not listed.
///
/// ```
/// use polywire_core::tools::diff::{ListKey, Options, Tolerance, differences_with};
/// use polywire_core::{Tree, Value};
///
/// let order = |items: &[(u64, f64)]| {
///     Value::List(items.iter().map(|(id, price)| Value::record([("id", Value::UInt(*id)), ("price", Value::F64(*price))])).collect())
/// };
/// let (mut one, mut other) = (Tree::new(), Tree::new());
/// let (left, right) = (order(&[(1, 2.5), (2, 4.0)]), order(&[(2, 4.000001), (1, 2.5), (3, 1.0)]));
/// left.emit(&mut one)?;
/// right.emit(&mut other)?;
/// let (Some(one), Some(other)) = (one.root(), other.root()) else { panic!("two values") };
///
/// let tolerance = Tolerance { epsilon: Some(1e-3), ..Tolerance::default() };
/// let options = Options { keys: vec![ListKey::parse("id")?], tolerance, limit: 10, shown: 40, ..Options::default() };
/// let (found, count) = differences_with(one, other, &options);
/// assert_eq!((count, found[0].path.to_string().as_str()), (1, "[2]"));
/// # Ok::<(), polywire_core::Error>(())
/// ```
pub fn differences_with(left: Item<'_, '_>, right: Item<'_, '_>, options: &Options) -> (Vec<Difference>, u64) {
    let how = options.how();
    let mut sought = options.ignore.as_ref().map(Sought::new);
    let ignore = match (&options.ignore, &mut sought) {
        (Some(paths), Some(sought)) => Some(Ignore { paths, hits: &mut sought.hits, repeats: false }),
        _ => None,
    };
    Diff::new(ignore, usize::try_from(options.limit).unwrap_or(usize::MAX), options.shown, &how).all(left, right)
}
