//! The library in the window: adds folders; searches, plays and compares sounds, and takes them onto the canvas. Jobs
//! read the database and files; their threads yield to strokes.

mod acting;
mod adding;
mod alike;
mod browser;
mod chips;
mod copies;
mod donors;
mod entries;
mod folders;
mod list_query;
mod listing;
mod looks;
mod order;
mod taking;
mod vectors;

pub(super) use acting::perform_browse;
pub use adding::AddedFolders;
pub use browser::{Browser, BrowserRequest};
pub use chips::{CHIPS, ChipChoice, LibraryChip, LibraryQuery};
pub use copies::NullPair;
pub use entries::{EntryNote, LibraryMode, LibraryRow, ListEntry, duplicate_words};
pub use folders::{FolderList, LibraryFolder};
pub use listing::ListAge;
pub use order::{LibraryColumn, LibraryOrder};
pub use taking::{PasteAt, PastedSound};
