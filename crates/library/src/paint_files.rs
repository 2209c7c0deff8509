//! One script over many files: `sonobrush paint` over folders, and *Run on files…* in the window.
//!
//! A [`PaintPlan`] says which file becomes which output, and is refused before anything is written where two of them
//! meet. [`paint_files`] paints them, file by file as `sonobrush paint` does one, on several threads; what came of each
//! is a [`PaintLine`] of the report, which is on the disk once its output is. A run that was killed goes on from the
//! report.

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
