//! A finding.

use crate::document::Edit;

/// Something that is wrong with a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Damage {
    /// Of what kind.
    pub kind: DamageKind,
    /// The channels that have it, ascending.
    pub channels: Vec<usize>,
    /// When, as start and end in seconds, ascending; empty where it is at all times.
    pub secs: Vec<[f64; 2]>,
    /// In which bands, low and high in hertz, ascending; empty where it is at all frequencies.
    pub hz: Vec<[f64; 2]>,
    /// How much of it, in short.
    pub what: String,
    /// The edit that repairs it.
    pub repair: Edit,
}

impl Damage {
    /// How much of it, beside the name of its kind: `40, up to 20 ms` of dropouts.
    pub fn amount(&self) -> String {
        let n = self.secs.len();
        let counted = self.kind.one().map(|one| counted(n, one));
        match counted.and_then(|counted| self.what.strip_prefix(&counted)) {
            Some(rest) => format!("{n}{rest}"),
            None => self.what.clone(),
        }
    }
}

/// `1 dropout`, `40 dropouts`.
pub(super) fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// The tops of waves are cut off.
    Clipping,
    /// Runs of a few samples that do not belong there.
    Clicks,
    /// A mains tone and its harmonics.
    Hum,
    /// The mean is not 0.
    Dc,
    /// One value is held where sound was lost.
    Dropouts,
    /// The pauses of speech are not silent.
    Noise,
    /// Speech goes on sounding in a room.
    Reverberation,
    /// Sibilants are louder than the voice.
    Sibilants,
}

impl DamageKind {
    /// What one of its places is called, where [`Damage::what`] begins with their number.
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

    /// For people.
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

    /// For people, where it stands first.
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
