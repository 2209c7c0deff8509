//! The jobs for a file.

/// A job of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Identify the sound by hashing its file.
    Hash,
    /// Read format, audio hash and tags.
    Look,
    /// Measure the descriptors.
    Describe,
    /// Compute the words of the recording.
    Words,
    /// Hash the picture.
    Picture,
}

impl JobKind {
    /// All kinds, in the order of execution.
    pub const ALL: [JobKind; 5] = [JobKind::Hash, JobKind::Look, JobKind::Describe, JobKind::Words, JobKind::Picture];

    /// Name in the database.
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Hash => "hash",
            JobKind::Look => "look",
            JobKind::Describe => "describe",
            JobKind::Words => "words",
            JobKind::Picture => "picture",
        }
    }

    /// The kind stored under `name`, if there is one.
    pub fn of_name(name: &str) -> Option<JobKind> {
        JobKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A set of jobs for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobKinds(u8);

impl JobKinds {
    /// The jobs of a new file.
    pub fn of_new(kind: NamedKind) -> JobKinds {
        match kind {
            NamedKind::Sound => JobKind::ALL.into_iter().fold(JobKinds::default(), JobKinds::with),
            NamedKind::Picture => JobKinds::default().with(JobKind::Hash).with(JobKind::Picture),
        }
    }

    /// Adds a job.
    #[must_use]
    pub fn with(self, kind: JobKind) -> JobKinds {
        JobKinds(self.0 | 1 << kind as u8)
    }

    /// Whether it includes a job.
    pub fn has(self, kind: JobKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// All of its jobs.
    pub fn iter(self) -> impl Iterator<Item = JobKind> {
        JobKind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

/// The kind of a file, judged by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKind {
    /// A sound, by its extension.
    Sound,
    /// A picture: PNG or JPEG.
    Picture,
}

impl NamedKind {
    /// Name in the database.
    pub fn name(self) -> &'static str {
        match self {
            NamedKind::Sound => "sound",
            NamedKind::Picture => "picture",
        }
    }
}
