//! How far a comparison is.

/// One step of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Stage: `proving`, `compressing`, `checking`, `calibrating`, `measuring`, `running`.
    pub stage: &'static str,
    /// Format or library at work; empty if all are.
    pub format: &'static str,
    /// Steps of this stage that are done.
    pub done: usize,
    /// Steps of this stage.
    pub total: usize,
}

/// Receives every step.
pub(crate) type Watch<'a> = dyn FnMut(Progress) + 'a;
