//! Statements as messages, errors and observers name them.

use std::sync::Arc;

/// A statement of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementInfo {
    /// Number in the plan.
    pub id: u32,
    /// Line of the script, from 1.
    pub line: u32,
    /// Keyword.
    pub kind: &'static str,
    /// Text, on one line, cut.
    pub text: Arc<str>,
    /// The variable that it is assigned to.
    pub name: Option<Arc<str>>,
}
