//! Plain filters without the interpreter: paths, objects, lists, comparisons, arithmetic and the
//! like, run by one function. Its twin is the interpreter, which runs all filters.

use std::sync::Arc;

use jaq_core::ValT as _;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::{Cmp, Math};
use jaq_core::path::{Opt, Part};

use crate::funs;
use crate::guard;
use crate::value::{Object, Val, ValError, ValR, cannot_iterate, of_text};
use crate::wanted::literal;

/// A filter whose every part is known here.
#[derive(Debug)]
pub(crate) enum Plan {
    Id,
    Literal(Val),
    Path(Box<Plan>, Vec<(Step, bool)>),
    Comma(Box<Plan>, Box<Plan>),
    Pipe(Box<Plan>, Box<Plan>),
    Alt(Box<Plan>, Box<Plan>),
    /// The value that decides alone: true for `or`.
    Logic(Box<Plan>, bool, Box<Plan>),
    Compare(Box<Plan>, Cmp, Box<Plan>),
    Math(Box<Plan>, Math, Box<Plan>),
    List(Option<Box<Plan>>),
    Object(Vec<(Val, Plan)>),
    If(Box<Plan>, Box<Plan>, Box<Plan>),
    Try(Box<Plan>),
    Select(Box<Plan>),
    Map(Box<Plan>),
    /// A function of one value.
    Function(fn(&Val) -> ValR),
    Empty,
}

/// A step of a path.
#[derive(Debug)]
pub(crate) enum Step {
    Index(Val),
    Each,
}

impl Plan {
    /// Returns the plan of a filter; `None` if a part of it is for the interpreter only.
    pub(crate) fn of(term: &Term<&str>) -> Option<Plan> {
        let boxed = |term: &Term<&str>| Plan::of(term).map(Box::new);
        Some(match term {
            Term::Id => Plan::Id,
            Term::Num(text) => Plan::Literal(of_text(text)?),
            Term::Str(None, _) => Plan::Literal(Val::from(literal(term)?)),
            Term::Arr(None) => Plan::List(None),
            Term::Arr(Some(inner)) => Plan::List(Some(boxed(inner)?)),
            Term::Obj(entries) => {
                let mut plans: Vec<(Val, Plan)> = Vec::new();
                for (key, value) in entries {
                    let name = Val::from(literal(key)?);
                    if plans.iter().any(|(known, _)| *known == name) {
                        return None;
                    }
                    let plan = match value {
                        Some(value) => Plan::of(value)?,
                        None => Plan::Path(Box::new(Plan::Id), vec![(Step::Index(name.clone()), false)]),
                    };
                    plans.push((name, plan));
                }
                Plan::Object(plans)
            }
            Term::Path(from, path) => {
                let step = |(part, opt): &(Part<Term<&str>>, Opt)| {
                    let step = match part {
                        Part::Range(None, None) => Step::Each,
                        Part::Index(Term::Num(text)) => Step::Index(of_text(text)?),
                        Part::Index(index) => Step::Index(Val::from(literal(index)?)),
                        Part::Range(..) => return None,
                    };
                    Some((step, matches!(opt, Opt::Optional)))
                };
                Plan::Path(boxed(from)?, path.0.iter().map(step).collect::<Option<Vec<_>>>()?)
            }
            Term::BinOp(left, op, right) => {
                let (left, right) = (boxed(left)?, boxed(right)?);
                match op {
                    BinaryOp::Pipe(None) => Plan::Pipe(left, right),
                    BinaryOp::Comma => Plan::Comma(left, right),
                    BinaryOp::Alt => Plan::Alt(left, right),
                    BinaryOp::Or => Plan::Logic(left, true, right),
                    BinaryOp::And => Plan::Logic(left, false, right),
                    BinaryOp::Cmp(op) => Plan::Compare(left, *op, right),
                    BinaryOp::Math(op) => Plan::Math(left, *op, right),
                    _ => return None,
                }
            }
            Term::IfThenElse(cases, other) => {
                let mut plan = other.as_ref().map_or(Some(Plan::Id), |other| Plan::of(other))?;
                for (condition, then) in cases.iter().rev() {
                    plan = Plan::If(boxed(condition)?, boxed(then)?, Box::new(plan));
                }
                plan
            }
            Term::TryCatch(inner, None) => Plan::Try(boxed(inner)?),
            Term::Call(name, arguments) => match (*name, arguments.as_slice()) {
                ("empty", []) => Plan::Empty,
                ("null", []) => Plan::Literal(Val::Null),
                ("true", []) => Plan::Literal(Val::Bool(true)),
                ("false", []) => Plan::Literal(Val::Bool(false)),
                ("not", []) => Plan::Function(|value| Ok(Val::Bool(!value.is_true()))),
                ("length", []) => Plan::Function(funs::length),
                ("add", []) => Plan::Function(add),
                ("type", []) => Plan::Function(|value| Ok(Val::text(value.kind().name()))),
                ("select", [condition]) => Plan::Select(boxed(condition)?),
                ("map", [inner]) => Plan::Map(boxed(inner)?),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Returns the result on `input`, if the plan always has exactly one, or an error.
    #[inline]
    fn one(&self, input: &Val) -> Option<ValR> {
        Some(match self {
            Plan::Id => Ok(input.clone()),
            Plan::Literal(value) => Ok(value.clone()),
            Plan::Path(from, steps) => {
                let [(Step::Index(first), false), rest @ ..] = steps.as_slice() else { return None };
                if !rest.iter().all(|step| matches!(step, (Step::Index(_), false))) {
                    return None;
                }
                let mut value = match &**from {
                    Plan::Id => at(input, first),
                    from => from.one(input)?.and_then(|value| at(&value, first)),
                };
                for (step, _) in rest {
                    if let (Step::Index(index), Ok(inner)) = (step, &value) {
                        value = at(inner, index);
                    }
                }
                value
            }
            Plan::Compare(left, op, right) => {
                let (left, right) = (left.one(input)?, right.one(input)?);
                left.and_then(|left| right.map(|right| Val::Bool(op.run(&left, &right))))
            }
            Plan::Math(left, op, right) => {
                let (left, right) = (left.one(input)?, right.one(input)?);
                left.and_then(|left| right.and_then(|right| op.run(left, right)))
            }
            Plan::Function(function) => function(input),
            Plan::Pipe(left, right) => match left.one(input)? {
                Ok(value) => right.one(&value)?,
                Err(error) => Err(error),
            },
            _ => return None,
        })
    }

    /// Appends the results on `input` to `out`.
    ///
    /// # Errors
    /// The error that comes after the results, which `out` has.
    pub(crate) fn run(&self, input: &Val, out: &mut Vec<Val>) -> Result<(), ValError> {
        if let Some(one) = self.one(input) {
            out.push(one?);
            return Ok(());
        }
        match self {
            Plan::Path(from, steps) => match &**from {
                Plan::Id => walk(input, steps, out),
                from => from.each(input, |value| walk(&value, steps, out)),
            },
            Plan::Comma(left, right) => {
                left.run(input, out)?;
                right.run(input, out)
            }
            Plan::Pipe(left, right) => left.each(input, |value| right.run(&value, out)),
            Plan::Alt(left, right) => {
                let before = out.len();
                left.each(input, |value| {
                    if value.is_true() {
                        out.push(value);
                    }
                    Ok(())
                })?;
                if out.len() == before { right.run(input, out) } else { Ok(()) }
            }
            Plan::Logic(left, decides, right) => left.each(input, |value| {
                if value.is_true() == *decides {
                    out.push(Val::Bool(*decides));
                    return Ok(());
                }
                right.each(input, |value| {
                    out.push(Val::Bool(value.is_true()));
                    Ok(())
                })
            }),
            Plan::Compare(left, op, right) => pairs(left, right, input, |left, right| {
                out.push(Val::Bool(op.run(left, &right)));
                Ok(())
            }),
            Plan::Math(left, op, right) => pairs(left, right, input, |left, right| {
                out.push(op.run(left.clone(), right)?);
                Ok(())
            }),
            Plan::List(inner) => {
                let mut values = Vec::new();
                if let Some(inner) = inner {
                    inner.run(input, &mut values)?;
                }
                out.push(Val::list(values));
                Ok(())
            }
            Plan::Object(entries) => object(entries, input, Vec::with_capacity(entries.len()), out),
            Plan::If(condition, then, other) => {
                condition.each(input, |value| if value.is_true() { then.run(input, out) } else { other.run(input, out) })
            }
            Plan::Try(inner) => {
                // The results before the error stay.
                let _ = inner.run(input, out);
                Ok(())
            }
            Plan::Select(condition) => condition.each(input, |value| {
                if value.is_true() {
                    out.push(input.clone());
                }
                Ok(())
            }),
            Plan::Map(inner) => {
                let mut values = Vec::new();
                over(input, |value| inner.run(value, &mut values))?;
                out.push(Val::list(values));
                Ok(())
            }
            Plan::Empty | Plan::Id | Plan::Literal(_) | Plan::Function(_) => Ok(()),
        }
    }

    /// Reports whether there is a result on `input`, or an error.
    fn has_any(&self, input: &Val) -> bool {
        if self.one(input).is_some() {
            return true;
        }
        let mut results = Vec::new();
        self.run(input, &mut results).is_err() || !results.is_empty()
    }

    /// Calls `receive` for each result on `input`.
    fn each(&self, input: &Val, mut receive: impl FnMut(Val) -> Result<(), ValError>) -> Result<(), ValError> {
        if let Some(one) = self.one(input) {
            return receive(one?);
        }
        let mut results = Vec::new();
        let end = self.run(input, &mut results);
        results.into_iter().try_for_each(receive)?;
        end
    }
}

/// Calls `receive` for each result of `left` with each of `right`. As in the interpreter, an error
/// of `left` counts only if `right` has anything.
fn pairs(left: &Plan, right: &Plan, input: &Val, mut receive: impl FnMut(&Val, Val) -> Result<(), ValError>) -> Result<(), ValError> {
    let mut lefts = Vec::new();
    let end = left.run(input, &mut lefts);
    for left in &lefts {
        right.each(input, |right| receive(left, right))?;
    }
    if right.has_any(input) { end } else { Ok(()) }
}

/// Returns the value at an index.
#[inline]
fn at(value: &Val, index: &Val) -> ValR {
    match (value, index) {
        (Val::Object(object), Val::Text(_)) => Ok(object.get(index).cloned().unwrap_or_default()),
        _ => value.clone().index(index),
    }
}

/// Calls `receive` for each entry of a list or object.
fn over(value: &Val, mut receive: impl FnMut(&Val) -> Result<(), ValError>) -> Result<(), ValError> {
    guard::look();
    match value {
        Val::List(list) => list.values.iter().try_for_each(receive),
        Val::Object(object) => object.entries().iter().try_for_each(|(_, value)| receive(value)),
        value if !value.is_plain() => over(&value.clone().plain(), receive),
        value => Err(cannot_iterate(value)),
    }
}

/// Appends the values at the end of a path.
fn walk(value: &Val, steps: &[(Step, bool)], out: &mut Vec<Val>) -> Result<(), ValError> {
    let Some(((step, optional), rest)) = steps.split_first() else {
        out.push(value.clone());
        return Ok(());
    };
    match step {
        Step::Index(index) => match at(value, index) {
            Ok(inner) if rest.is_empty() => {
                out.push(inner);
                Ok(())
            }
            Ok(inner) => walk(&inner, rest, out),
            Err(_) if *optional => Ok(()),
            Err(error) => Err(error),
        },
        Step::Each => {
            let is_iterable = !matches!(value.kind(), kind if kind < crate::value::Kind::Array);
            if !is_iterable && *optional {
                return Ok(());
            }
            over(value, |value| walk(value, rest, out))
        }
    }
}

/// Appends the objects of all combinations of the entries' results, the last entry's changing
/// first. An error counts only if all later entries have anything.
fn object(entries: &[(Val, Plan)], input: &Val, mut done: Vec<(Val, Val)>, out: &mut Vec<Val>) -> Result<(), ValError> {
    let mut left = entries;
    while let [(key, plan), rest @ ..] = left {
        match plan.one(input) {
            Some(Ok(value)) => done.push((key.clone(), value)),
            one => {
                let mut results = Vec::new();
                let end = match one {
                    Some(one) => one.map(|_| ()),
                    None => plan.run(input, &mut results),
                };
                for value in results {
                    let mut more = done.clone();
                    more.push((key.clone(), value));
                    object(rest, input, more, out)?;
                }
                return if rest.iter().all(|(_, plan)| plan.has_any(input)) { end } else { Ok(()) };
            }
        }
        left = rest;
    }
    let mut made = Object::new();
    made.fill(done);
    out.push(Val::Object(Arc::new(made)));
    Ok(())
}

fn add(value: &Val) -> ValR {
    let mut sum = Val::Null;
    over(value, |value| {
        sum = (std::mem::take(&mut sum) + value.clone())?;
        Ok(())
    })?;
    Ok(sum)
}
