//! Opening, exporting and saving: dialogs, decoding and encoding, each in a job; and what the user is asked about it.

mod asking;
mod exporting;
mod opening;
mod paths;
mod projects;
mod questions;

pub use asking::Asking;
pub use exporting::Exporting;
pub use opening::{FileOpener, open_canvas};
pub use paths::{name_of, with_ending};
pub use projects::{OpenedFile, Projects, ask_project};
pub use questions::{ExportWish, Locating, NewCanvas, ProjectWish, Purpose, Question, Reply, Then};
