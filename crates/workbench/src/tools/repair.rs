//! Repairs that find what they repair, over the selected time or the whole file.

use crate::document::brushes::{Brush, DeEss, Declip, Dereverb, Isolate, Plosives, RemoveHum};

/// A repair that a preview shows before it is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// Hum is removed.
    Hum,
    /// Clipped peaks are restored.
    Declip,
    /// Sibilants are lowered.
    DeEss,
    /// Plosives are lowered.
    Plosives,
    /// Reverberation is lowered.
    Reverb,
    /// All but speech is removed.
    Isolate,
}

impl Repair {
    /// Every repair.
    pub const ALL: [Repair; 6] =
        [Repair::Hum, Repair::Declip, Repair::DeEss, Repair::Plosives, Repair::Reverb, Repair::Isolate];

    /// Its brush as it first comes.
    pub fn first(self) -> Brush {
        match self {
            Repair::Hum => RemoveHum::DEFAULT.into(),
            Repair::Declip => Declip::DEFAULT.into(),
            Repair::DeEss => DeEss::DEFAULT.into(),
            Repair::Plosives => Plosives::DEFAULT.into(),
            Repair::Reverb => Dereverb::DEFAULT.into(),
            Repair::Isolate => Isolate::DEFAULT.into(),
        }
    }

    /// Whether it works on all frequencies of the selected time, not only the selected band.
    pub fn is_of_time(self) -> bool {
        self != Repair::Isolate
    }

    /// What users call it.
    pub fn name(self) -> &'static str {
        self.first().name()
    }
}
