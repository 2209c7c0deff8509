//! Opening, exporting and saving: dialogs, decoding and encoding, each in a job; and what the user is asked about it.

mod asking;
mod demo;
mod exporting;
mod filing;
mod opening;
mod paths;
mod pictures;
mod picturing;
mod projects;
mod questions;
mod resampling;
mod saving_back;
mod wishes;

pub use asking::Asking;
pub use demo::{ProposedStroke, proposed_stroke};
pub use exporting::Exporting;
pub use filing::Filing;
pub use opening::FileOpener;
pub use paths::{name_of, with_path};
pub use pictures::{CopiedPicture, PastedPicture};
pub use picturing::Picturing;
pub use projects::Projects;
pub use questions::{ExportWish, LabelWish, Locating, NewCanvas, ProjectWish, Purpose, Question, Reply, Then};
pub use wishes::{NormaliseWish, ResampleWish, StretchWish};
