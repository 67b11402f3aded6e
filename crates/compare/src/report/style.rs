//! The style sheets of pages.

/// Style sheet of pages with static bars, with their colours. The page's root has the class `pw`.
pub const STYLE: &str = concat!(
    include_str!("page/palette.css"),
    include_str!("page/page.css"),
    include_str!("page/tables.css"),
    include_str!("page/bars.css")
);

/// Style sheet of the page of a comparison.
pub(crate) const PAGE: &str = concat!(
    include_str!("page/palette.css"),
    include_str!("page/page.css"),
    include_str!("page/tables.css"),
    include_str!("page/charts.css")
);
