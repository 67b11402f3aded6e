//! Plans: scripts as graphs of statements (docs/spec/ql.md 6). A plan is made once, never changed,
//! and executed any number of times.
//!
//! | file | holds |
//! |---|---|
//! | `model` | plans and their steps |
//! | `operation` | statements, ready to be executed |
//! | `build` | scripts become plans |
//! | `statement` | the operation of each kind of statement |
//! | `graph` | the order of steps |
//! | `cost` | the requests that a plan may make |
//! | `parts` | parts of a result that are known early |
//! | `needs` | the parts of a reply that are looked at |

mod build;
mod cost;
mod graph;
mod model;
mod needs;
mod operation;
mod parts;
mod statement;

pub use model::{MAX_STEPS, Outcome, Plan, PlanStep, StepWork};
pub use operation::{
    Argument, Call, Column, ColumnPath, Columns, Condition, Delete, From, Insert, Inserted, Join, Member, Operand, Operation, Origin,
    Select, Update,
};
