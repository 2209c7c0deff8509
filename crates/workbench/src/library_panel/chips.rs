//! Filters of the panel: a text, and one choice per chip.

use super::order::LibraryOrder;
use crate::base::Result;
use crate::library::search::{SoundFilter, SoundQuery};

/// Longer texts are truncated.
const MAX_TEXT: usize = 1_000;

/// A property to filter sounds by.
#[derive(Debug, Clone, Copy)]
pub struct LibraryChip {
    /// Label while nothing is chosen.
    pub name: &'static str,
    /// Its choices.
    pub choices: &'static [ChipChoice],
}

/// A choice of a chip.
#[derive(Debug, Clone, Copy)]
pub struct ChipChoice {
    /// Label for display.
    pub label: &'static str,
    /// The condition, as `--where` takes it.
    pub condition: &'static str,
}

const fn choice(label: &'static str, condition: &'static str) -> ChipChoice {
    ChipChoice { label, condition }
}

/// The choices of all keys, for sounds whose rows show a key.
macro_rules! keys {
    ($($key:literal)+) => {
        &[$(choice($key, concat!("key = '", $key, "' and harmonic_ratio >= 0.7")),)+]
    };
}

/// From left to right.
pub const CHIPS: [LibraryChip; 6] = [
    LibraryChip {
        name: "Duration",
        choices: &[
            choice("Up to 0.5 s", "duration_secs <= 0.5"),
            choice("Up to 2 s", "duration_secs <= 2"),
            choice("2 to 10 s", "duration_secs >= 2 and duration_secs <= 10"),
            choice("10 to 60 s", "duration_secs >= 10 and duration_secs <= 60"),
            choice("Over 1 min", "duration_secs > 60"),
        ],
    },
    LibraryChip {
        name: "Loudness",
        choices: &[
            choice("Below \u{2212}30 LUFS", "lufs < -30"),
            choice("\u{2212}30 to \u{2212}18 LUFS", "lufs >= -30 and lufs <= -18"),
            choice("Above \u{2212}18 LUFS", "lufs > -18"),
        ],
    },
    LibraryChip {
        name: "Key",
        choices: keys!(
            "C major" "C minor" "C# major" "C# minor" "D major" "D minor" "D# major" "D# minor" "E major" "E minor"
            "F major" "F minor" "F# major" "F# minor" "G major" "G minor" "G# major" "G# minor" "A major" "A minor"
            "A# major" "A# minor" "B major" "B minor"
        ),
    },
    LibraryChip {
        name: "Tempo",
        choices: &[
            choice("Below 90 BPM", "tempo_bpm < 90"),
            choice("90 to 120 BPM", "tempo_bpm >= 90 and tempo_bpm <= 120"),
            choice("120 to 150 BPM", "tempo_bpm >= 120 and tempo_bpm <= 150"),
            choice("Above 150 BPM", "tempo_bpm > 150"),
        ],
    },
    LibraryChip {
        name: "Channels",
        choices: &[
            choice("Mono", "channels = 1"),
            choice("Stereo", "channels = 2"),
            choice("More than 2", "channels > 2"),
        ],
    },
    LibraryChip {
        name: "Format",
        // A format begins so, and ends before the next letter does.
        choices: &[
            choice("AAC", "format >= 'AAC' and format < 'AAD'"),
            choice("AIFF", "format >= 'AIF' and format < 'AIG'"),
            choice("FLAC", "format >= 'FLAC' and format < 'FLAD'"),
            choice("MP3", "format >= 'MP3' and format < 'MP4'"),
            choice("Opus", "format >= 'Opus' and format < 'Oput'"),
            choice("Vorbis", "format >= 'Ogg Vorbis' and format < 'Ogg Vorbit'"),
            choice("WAV", "format >= 'WAV' and format < 'WAW'"),
        ],
    },
];

/// A text and chip filters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibraryQuery {
    /// Prefixes of words in names, folders and tags.
    pub text: String,
    /// The choice of each of [`CHIPS`], if any.
    pub chips: [Option<usize>; CHIPS.len()],
    /// The order of the list; `None` keeps the order of the results.
    pub order: Option<LibraryOrder>,
}

impl LibraryQuery {
    /// Whether it matches every sound.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.chips.iter().all(Option::is_none)
    }

    /// The query without unknown choices, its text truncated to the limit.
    #[must_use]
    pub(super) fn within_limits(mut self) -> LibraryQuery {
        for (chosen, chip) in self.chips.iter_mut().zip(&CHIPS) {
            *chosen = chosen.filter(|&choice| choice < chip.choices.len());
        }
        if let Some((end, _)) = self.text.char_indices().nth(MAX_TEXT) {
            self.text.truncate(end);
        }
        self
    }

    /// Whether it matches every sound, in the order of adding.
    pub(super) fn is_plain(&self) -> bool {
        self.is_empty() && self.order.is_none()
    }

    /// The library's query, in the order of the list.
    ///
    /// # Errors
    /// None in practice: conditions are ours.
    pub(super) fn sound_query(&self) -> Result<SoundQuery> {
        let mut query = self.sound_query_of(None)?;
        self.order.map_or(Ok(()), |order| order.sort(&mut query))?;
        Ok(query)
    }

    /// The library's query for sounds of at least `min_secs`, unordered.
    ///
    /// # Errors
    /// As [`sound_query`](Self::sound_query).
    pub(super) fn sound_query_of(&self, min_secs: Option<f64>) -> Result<SoundQuery> {
        let chosen = self.chips.iter().zip(&CHIPS).filter_map(|(chosen, chip)| chip.choices.get((*chosen)?));
        let mut conditions: Vec<String> = chosen.map(|choice| format!("({})", choice.condition)).collect();
        conditions.extend(min_secs.map(|secs| format!("duration_secs >= {secs}")));
        let filter = (!conditions.is_empty()).then(|| SoundFilter::parse(&conditions.join(" and "))).transpose()?;
        Ok(SoundQuery { text: self.text.clone(), filter, ..SoundQuery::default() })
    }
}
