//! What is still to be done with a file.

/// A job of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Which sound it is: the hash of the file.
    Hash,
    /// Shape, hash of the audio and tags.
    Look,
    /// The descriptors.
    Describe,
    /// The words of the recording.
    Words,
    /// The picture's hashes.
    Picture,
}

impl JobKind {
    /// In the order in which they are done.
    pub const ALL: [JobKind; 5] = [JobKind::Hash, JobKind::Look, JobKind::Describe, JobKind::Words, JobKind::Picture];

    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Hash => "hash",
            JobKind::Look => "look",
            JobKind::Describe => "describe",
            JobKind::Words => "words",
            JobKind::Picture => "picture",
        }
    }

    /// From the name as stored.
    pub fn of_name(name: &str) -> Option<JobKind> {
        JobKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The jobs of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobKinds(u8);

impl JobKinds {
    /// Those of a new file.
    pub fn of_new(kind: NamedKind) -> JobKinds {
        match kind {
            NamedKind::Sound => JobKind::ALL.into_iter().fold(JobKinds::default(), JobKinds::with),
            NamedKind::Picture => JobKinds::default().with(JobKind::Hash).with(JobKind::Picture),
        }
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, kind: JobKind) -> JobKinds {
        JobKinds(self.0 | 1 << kind as u8)
    }

    /// Whether a job is among them.
    pub fn has(self, kind: JobKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = JobKind> {
        JobKind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

/// What a file's name says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKind {
    /// An extension of audio.
    Sound,
    /// PNG or JPEG.
    Picture,
}

impl NamedKind {
    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            NamedKind::Sound => "sound",
            NamedKind::Picture => "picture",
        }
    }
}
