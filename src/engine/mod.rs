//! The path of one request: the gate, the performance, the report.

mod execute;
mod files;
mod gate;
mod lines;
mod perform;
mod prepare;
mod report;
mod summary;
mod view;

pub use files::recover_now;
pub use gate::{Accepted, MAX_REQUEST, accept, named_operation, request_schema, variant_schema};
pub use perform::{Context, Mode, perform};
pub use prepare::look_only;
pub use report::{PlanReport, Report, Status, exit_status};
pub use view::{Branch, View};
