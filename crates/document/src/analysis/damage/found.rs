//! Damage found in a sound, and its kinds.

use crate::document::Edit;

/// Damage found in a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Damage {
    /// Kind of the damage.
    pub kind: DamageKind,
    /// The channels that have it, ascending.
    pub channels: Vec<usize>,
    /// Start and end times in seconds, ascending; empty for the whole duration.
    pub secs: Vec<[f64; 2]>,
    /// Bands, low and high in hertz, ascending; empty for all frequencies.
    pub hz: Vec<[f64; 2]>,
    /// Short description of the amount of damage, as in `40 dropouts, up to 20 ms`.
    pub what: String,
    /// The edit that repairs it.
    pub repair: Edit,
}

impl Damage {
    /// Amount of damage, without the name of its kind: `40, up to 20 ms` for dropouts.
    pub fn amount(&self) -> String {
        let n = self.secs.len();
        let counted = self.kind.one().map(|one| counted(n, one));
        match counted.and_then(|counted| self.what.strip_prefix(&counted)) {
            Some(rest) => format!("{n}{rest}"),
            None => self.what.clone(),
        }
    }
}

/// A number with its noun, in the plural unless it is 1: `1 dropout`, `40 dropouts`.
pub(super) fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// Peaks that were cut off.
    Clipping,
    /// Short runs of outlying samples.
    Clicks,
    /// A mains tone and its harmonics.
    Hum,
    /// A mean that is not 0.
    Dc,
    /// A constant value in place of lost sound.
    Dropouts,
    /// Audible noise in the pauses of speech.
    Noise,
    /// Reverberant speech.
    Reverberation,
    /// Sibilants louder than the voice.
    Sibilants,
}

impl DamageKind {
    /// Singular noun for an occurrence; `None` if [`Damage::what`] does not begin with a number of occurrences.
    fn one(self) -> Option<&'static str> {
        match self {
            DamageKind::Clicks => Some("click"),
            DamageKind::Dropouts => Some("dropout"),
            DamageKind::Sibilants => Some("sibilant"),
            DamageKind::Clipping | DamageKind::Hum | DamageKind::Dc | DamageKind::Noise | DamageKind::Reverberation => {
                None
            }
        }
    }

    /// Name for display.
    pub fn name(self) -> &'static str {
        match self {
            DamageKind::Clipping => "clipping",
            DamageKind::Clicks => "clicks",
            DamageKind::Hum => "hum",
            DamageKind::Dc => "DC offset",
            DamageKind::Dropouts => "dropouts",
            DamageKind::Noise => "noise",
            DamageKind::Reverberation => "reverberation",
            DamageKind::Sibilants => "sibilants",
        }
    }

    /// Name for display, capitalised.
    pub fn title(self) -> &'static str {
        match self {
            DamageKind::Clipping => "Clipping",
            DamageKind::Clicks => "Clicks",
            DamageKind::Hum => "Hum",
            DamageKind::Dc => "DC offset",
            DamageKind::Dropouts => "Dropouts",
            DamageKind::Noise => "Noise",
            DamageKind::Reverberation => "Reverberation",
            DamageKind::Sibilants => "Sibilants",
        }
    }
}
