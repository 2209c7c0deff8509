//! Repairs that detect the damage themselves, in the selected time or the whole file.

use crate::document::brushes::{Brush, DeEss, Declip, Dereverb, Isolate, Plosives, RemoveHum};

/// A repair that can be previewed before it is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// Removes hum.
    Hum,
    /// Restores clipped peaks.
    Declip,
    /// Attenuates sibilants.
    DeEss,
    /// Attenuates plosives.
    Plosives,
    /// Attenuates reverberation.
    Reverb,
    /// Removes everything but speech.
    Isolate,
}

impl Repair {
    /// All repairs.
    pub const ALL: [Repair; 6] =
        [Repair::Hum, Repair::Declip, Repair::DeEss, Repair::Plosives, Repair::Reverb, Repair::Isolate];

    /// The brush of the repair, with initial settings.
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

    /// Whether it processes all frequencies of the selected time, rather than only the selected band.
    pub fn is_of_time(self) -> bool {
        self != Repair::Isolate
    }

    /// Name for display.
    pub fn name(self) -> &'static str {
        self.first().name()
    }
}
