//! Executing a plan (docs/spec/ql.md 6 and 7). Independent statements run at the same time, without
//! threads, timers or tasks of their own. Dropping the future ends the execution, which is how a
//! deadline is kept.
//!
//! | file | holds |
//! |---|---|
//! | `environment`, `execution` | what an execution gets, and what it returns |
//! | `schedule` | steps in their order |
//! | `run` | variables, modules and tables of one execution |
//! | `operation` | statements, fallbacks, values, functions |
//! | `call` | calls of tables, and their replies |
//! | `value` | values of variables, members and references |
//! | `operand` | values that conditions compare with, inner selects included |
//! | `source` | tables and data that statements read |
//! | `select`, `join` | reading |
//! | `file` | rows of files, chosen and shown as they come |
//! | `index` | values by the keys of those that equal them |
//! | `batch` | joins that ask for many values at once |
//! | `change` | insert, update, delete |
//! | `condition` | where clauses |
//! | `project` | result sets, columns, offset and limit |
//! | `merge` | several results as one |
//! | `describe` | show and describe |

mod batch;
mod call;
mod change;
mod condition;
mod describe;
mod environment;
mod execution;
mod file;
mod index;
mod join;
mod merge;
mod operand;
mod operation;
mod project;
mod run;
mod schedule;
mod select;
mod source;
mod value;

pub use environment::{Catalog, Environment, NoTables};
pub use execution::{Execution, Made, StepRecord, StepState};
pub use merge::merge;
pub use schedule::execute;
