//! The workbench itself: acts, the state shared by concerns, orders, notices, limits.
//! May touch: every concern, through `Context` and `Act`.

pub(super) mod acts;
pub(super) mod budgets;
pub(super) mod checks;
pub(super) mod context;
pub mod limits;
pub(super) mod notices;
pub(super) mod orders;
pub(super) mod queries;
pub(super) mod work;
pub(super) mod workbench;
