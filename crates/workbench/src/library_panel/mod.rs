//! The library panel: adds folders; searches, plays and compares sounds, and pastes them onto the canvas. Jobs read the
//! database and the files; adding folders is suspended during strokes.

mod acting;
mod add_folders;
mod browser;
mod chips;
mod donors;
mod duplicates;
mod entries;
mod folders;
mod list_query;
mod listing;
mod loaded_sound;
mod order;
mod similar_list;
mod sound_loader;
mod thumbnails;
mod vector_cache;

pub(super) use acting::perform_browse;
pub use add_folders::AddedFolders;
pub use browser::Browser;
pub use chips::{CHIPS, ChipChoice, LibraryChip, LibraryQuery};
pub use duplicates::NullPair;
pub use entries::{EntryNote, LibraryMode, LibraryRow, ListEntry, duplicate_words};
pub use folders::{FolderList, LibraryFolder};
pub use listing::ListAge;
pub use loaded_sound::{PasteAt, PastedSound, PreviewedSound};
pub use order::{LibraryColumn, LibraryOrder};
