//! Ranges of paths below a folder, sorted by bytes, which SQLite finds using an index.

use crate::base::path_bytes;
use std::path::{MAIN_SEPARATOR, Path};

/// A path greater than any name: longer, and all 0xff.
const AFTER_ANY_NAME: [u8; 256] = [0xff; 256];

/// The first possible relative path in a folder, and one past the last. An empty path means all.
pub fn paths_below(folder: &Path) -> [Vec<u8>; 2] {
    let folder = path_bytes(folder);
    if folder.is_empty() {
        return [Vec::new(), AFTER_ANY_NAME.to_vec()];
    }
    let followed_by = |byte: u8| [&folder[..], &[byte]].concat();
    let separator = MAIN_SEPARATOR as u8;
    [followed_by(separator), followed_by(separator + 1)]
}
