//! The kinds of batched work.

/// A kind of batched work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchKind {
    /// Hashes of pictures; an item is a picture.
    Picture,
    /// Pairs of hashes; an item is a pair.
    HashPairs,
    /// Descriptions of sounds; an item is a sound.
    Describe,
}

impl BatchKind {
    /// Name in the database.
    pub fn name(self) -> &'static str {
        match self {
            BatchKind::Picture => "picture",
            BatchKind::HashPairs => "hamming",
            BatchKind::Describe => "describe",
        }
    }

    /// Name in statistics for work of a command, which is not a job of the queue.
    pub fn command_name(self) -> &'static str {
        match self {
            BatchKind::Picture => "hashes",
            BatchKind::HashPairs | BatchKind::Describe => self.name(),
        }
    }
}
