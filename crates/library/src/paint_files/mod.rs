//! One script over many files: `sonobrush paint` over folders, and *Run on files…* in the window.
//!
//! A [`PaintPlan`] maps inputs to outputs, and refuses conflicts before anything is written. [`paint_files`] paints the
//! files on several threads, each as `sonobrush paint` does. Each result is a [`PaintLine`], appended to the report
//! once the output is on disk, so that a killed run can be resumed from the report.

mod line;
mod needs;
mod order;
mod plan;
mod progress;
mod report;
mod run;
mod score;
mod sink;
mod worker;

pub use line::{LineError, PaintLine, PaintStatus};
pub use order::{PaintFilesOrder, PaintOutputs, PaintScript, PaintWork};
pub use plan::{PaintPlan, PlannedPaint};
pub use progress::PaintProgress;
pub use report::{PaintHead, PaintReport, PaintTotals, RaisedScore};
pub use run::{PaintRun, paint_files};
