//! The vectors of all sounds, kept from one search to the next.

use super::nearest::{SimilarDials, SimilarTo, VectorTable, score_of};
use super::scale::VectorScale;
use crate::base::Result;
use crate::library::store::LibraryStore;
use std::sync::Arc;

/// The vectors of all sounds with their scale.
#[derive(Debug)]
pub struct SimilarIndex {
    /// Another one whenever sounds were described or scaled anew.
    mark: [i64; 3],
    scale: VectorScale,
    table: VectorTable,
}

impl SimilarIndex {
    /// The sounds most like another with their scores, at most `most`: the best first, then by number.
    pub fn nearest(&self, query: &SimilarTo, dials: &SimilarDials, most: usize) -> Vec<(i64, f64)> {
        let nearest = self.table.nearest(query, &self.scale, dials, most);
        nearest.into_iter().map(|(id, distance)| (id, score_of(distance))).collect()
    }
}

impl LibraryStore {
    /// The index as the library is now: the one before if that still holds. It may hold sounds that are gone.
    ///
    /// # Errors
    /// Those of reading.
    pub fn similar_index(&self, before: Option<Arc<SimilarIndex>>) -> Result<Arc<SimilarIndex>> {
        let text = "SELECT (SELECT coalesce(max(sound), 0) FROM descriptor),
                      (SELECT coalesce(sum(items), 0) FROM stats), (SELECT coalesce(max(version), 0) FROM scale)";
        let mark = self.connection().query_row(text, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]));
        let mark: [i64; 3] = mark.map_err(|error| self.unread(&error))?;
        if let Some(before) = before.filter(|before| before.mark == mark) {
            return Ok(before);
        }
        let scale = self.scale()?;
        let table = self.vector_table(&scale, None, None)?;
        Ok(Arc::new(SimilarIndex { mark, scale, table }))
    }
}
