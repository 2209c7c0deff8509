//! Sort order of the list: by any column, in either direction.

use super::entries::{ListEntry, MIN_HARMONICITY};
use crate::base::{Progress, Result};
use crate::library::search::{SoundFilter, SoundQuery};
use crate::library::store::LibraryStore;
use std::collections::HashMap;

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LibraryColumn {
    /// File name.
    Name,
    /// Length of the sound.
    Length,
    /// Musical key, if there is one.
    Key,
    /// Integrated loudness.
    Loudness,
    /// Similarity to the compared sound.
    Likeness,
}

/// The sort order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LibraryOrder {
    /// Column to sort by.
    pub column: LibraryColumn,
    /// Whether the largest values come first.
    pub is_descending: bool,
}

impl LibraryColumn {
    /// Columns of search results and duplicates, from left to right.
    pub const PLAIN_COLUMNS: &[LibraryColumn] =
        &[LibraryColumn::Name, LibraryColumn::Length, LibraryColumn::Key, LibraryColumn::Loudness];
    /// Columns of similar sounds, from left to right.
    pub const SIMILAR_COLUMNS: &[LibraryColumn] = &[
        LibraryColumn::Name,
        LibraryColumn::Length,
        LibraryColumn::Key,
        LibraryColumn::Loudness,
        LibraryColumn::Likeness,
    ];

    /// Heading of the column.
    pub fn name(self) -> &'static str {
        match self {
            LibraryColumn::Name => "Name",
            LibraryColumn::Length => "Length",
            LibraryColumn::Key => "Key",
            LibraryColumn::Loudness => "Loudness",
            LibraryColumn::Likeness => "Alike",
        }
    }

    /// The order after a click on this heading, given the order `now`: ascending, then descending, then unsorted.
    /// Similarity has no descending step, as unsorted lists have the most similar sound first.
    pub fn clicked(self, now: Option<LibraryOrder>) -> Option<LibraryOrder> {
        let order = |is_descending| Some(LibraryOrder { column: self, is_descending });
        match now.filter(|now| now.column == self) {
            None => order(false),
            Some(now) if now.is_descending || self == LibraryColumn::Likeness => None,
            Some(_) => order(true),
        }
    }

    /// Name of the library's value to sort by; `None` for similarity.
    fn value(self) -> Option<&'static str> {
        match self {
            LibraryColumn::Name => Some("name"),
            LibraryColumn::Length => Some("duration_secs"),
            LibraryColumn::Key => Some("key"),
            LibraryColumn::Loudness => Some("lufs"),
            LibraryColumn::Likeness => None,
        }
    }
}

impl LibraryOrder {
    /// Adds the sort order to a query.
    ///
    /// # Errors
    /// None in practice, as the condition is constant.
    pub(super) fn sort(self, query: &mut SoundQuery) -> Result<()> {
        query.sort = self.column.value().map(str::to_owned);
        query.is_descending = self.is_descending;
        // Rows show a key only above this threshold.
        let condition = || SoundFilter::parse(&format!("harmonic_ratio >= {MIN_HARMONICITY}"));
        query.sort_where = (self.column == LibraryColumn::Key).then(condition).transpose()?;
        Ok(())
    }

    /// Sorts entries that are in order of descending similarity.
    ///
    /// # Errors
    /// Read errors, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub(super) fn reorder(
        self,
        mut found: Vec<ListEntry>,
        store: &LibraryStore,
        progress: &Progress,
    ) -> Result<Vec<ListEntry>> {
        if self.column == LibraryColumn::Likeness {
            if !self.is_descending {
                found.reverse();
            }
            return Ok(found);
        }
        let among = found.iter().map(|entry| entry.id).collect();
        let mut query = SoundQuery { among: Some(among), ..SoundQuery::default() };
        self.sort(&mut query)?;
        let mut entries: HashMap<i64, ListEntry> = found.into_iter().map(|entry| (entry.id, entry)).collect();
        let ids = store.sound_ids(&query, progress, &mut |_| ())?;
        Ok(ids.iter().filter_map(|id| entries.remove(id)).collect())
    }
}
