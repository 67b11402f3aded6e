//! The style sheet of pages.

/// Style sheet of the pages, with the colours of the charts.
pub const STYLE: &str = include_str!("../../templates/style.css");
