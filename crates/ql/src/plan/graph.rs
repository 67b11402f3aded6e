//! The order of steps (docs/spec/ql.md 6.1), and steps that wait for each other.

use polywire_core::text::diagnostic::Diagnostic;

use super::model::PlanStep;

/// Returns the steps in an order in which each comes behind those that it waits for.
///
/// # Errors
/// Some wait for each other: these, in order, each waiting for the next.
pub(super) fn order(steps: &[PlanStep]) -> Result<Vec<usize>, Vec<usize>> {
    let mut waiting: Vec<usize> = steps.iter().map(|step| step.after.len()).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for (n, step) in steps.iter().enumerate() {
        step.after.iter().for_each(|before| dependents[*before].push(n));
    }
    let mut ready: Vec<usize> = (0..steps.len()).filter(|n| waiting[*n] == 0).collect();
    let mut at = 0;
    while let Some(&done) = ready.get(at) {
        at += 1;
        for dependent in &dependents[done] {
            waiting[*dependent] -= 1;
            if waiting[*dependent] == 0 {
                ready.push(*dependent);
            }
        }
    }
    if ready.len() == steps.len() { Ok(ready) } else { Err(circle(steps, &waiting)) }
}

/// Returns a circle among the steps that still wait.
fn circle(steps: &[PlanStep], waiting: &[usize]) -> Vec<usize> {
    let Some(mut here) = waiting.iter().position(|count| *count > 0) else { return Vec::new() };
    let mut seen = vec![usize::MAX; steps.len()];
    let mut path = Vec::new();
    // Each step that waits, waits for one that does too: following them comes back.
    while seen[here] == usize::MAX {
        seen[here] = path.len();
        path.push(here);
        match steps[here].after.iter().find(|before| waiting[**before] > 0) {
            Some(next) => here = *next,
            None => return path,
        }
    }
    path.split_off(seen[here])
}

/// Returns the error for a circle.
pub(super) fn diagnose(steps: &[PlanStep], circle: &[usize]) -> Diagnostic {
    let name = |n: usize| {
        let info = &steps[n].info;
        info.name.as_ref().map_or_else(|| format!("the {} on line {}", info.kind, info.line), |name| format!("`{name}`"))
    };
    let names: Vec<String> = circle.iter().take(8).map(|n| name(*n)).collect();
    let first = circle.first().copied().unwrap_or_default();
    let message =
        format!("these statements wait for each other: {} needs {}", names.join(" needs "), names.first().map_or("", |name| name));
    let mut finding = Diagnostic::error("circle", steps[first].at, message).hint("one of them must do without the other's value");
    for n in circle.iter().skip(1).take(7) {
        finding = finding.related(steps[*n].at, format!("{} is part of it", name(*n)));
    }
    finding
}
