//! The kinds of work that batches do.

/// A kind of work that is done in batches.
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
    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            BatchKind::Picture => "picture",
            BatchKind::HashPairs => "hamming",
            BatchKind::Describe => "describe",
        }
    }

    /// As the statistics call what a command does of it, which is no job of the queue.
    pub fn command_name(self) -> &'static str {
        match self {
            BatchKind::Picture => "hashes",
            BatchKind::HashPairs | BatchKind::Describe => self.name(),
        }
    }
}
