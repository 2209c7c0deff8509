//! Filters of the library panel: a text, and at most one choice per chip (a drop-down of conditions).

use super::order::LibraryOrder;
use crate::base::Result;
use crate::library::search::{SoundFilter, SoundQuery};

/// Maximum number of characters of a search text; longer texts are truncated.
const MAX_TEXT: usize = 1_000;

/// A property to filter sounds by, shown as a drop-down.
#[derive(Debug, Clone, Copy)]
pub struct LibraryChip {
    /// Label while nothing is chosen.
    pub name: &'static str,
    /// Its choices, from top to bottom.
    pub choices: &'static [ChipChoice],
}

/// A choice of a chip.
#[derive(Debug, Clone, Copy)]
pub struct ChipChoice {
    /// Label for display.
    pub label: &'static str,
    /// The filter condition, in the syntax of the `--where` option.
    pub condition: &'static str,
}

const fn choice(label: &'static str, condition: &'static str) -> ChipChoice {
    ChipChoice { label, condition }
}

/// A choice per key. The threshold is `MIN_HARMONICITY`: rows below it show no key.
macro_rules! keys {
    ($($key:literal)+) => {
        &[$(choice($key, concat!("key = '", $key, "' and harmonic_ratio >= 0.7")),)+]
    };
}

/// All chips, from left to right.
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
        // Prefix matches, written as ranges: the upper bound is the prefix with its last letter incremented.
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

/// Text, chip filters and order of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibraryQuery {
    /// Search text: prefixes of words in names, folders and tags.
    pub text: String,
    /// Index of the choice of each of [`CHIPS`]; `None` does not filter.
    pub chips: [Option<usize>; CHIPS.len()],
    /// Sort order of the list; `None` keeps the order of the results.
    pub order: Option<LibraryOrder>,
}

impl LibraryQuery {
    /// Whether it matches every sound.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.chips.iter().all(Option::is_none)
    }

    /// The query with choices out of range removed, and its text truncated to the limit.
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

    /// Whether it matches every sound and does not sort.
    pub(super) fn is_plain(&self) -> bool {
        self.is_empty() && self.order.is_none()
    }

    /// The query as a [`SoundQuery`] of the library, with the list's sort order.
    ///
    /// # Errors
    /// None in practice, as all conditions are constants.
    pub(super) fn sound_query(&self) -> Result<SoundQuery> {
        let mut query = self.sound_query_of(None)?;
        self.order.map_or(Ok(()), |order| order.sort(&mut query))?;
        Ok(query)
    }

    /// The query as a [`SoundQuery`] of the library, unsorted, for sounds of at least `min_secs` seconds.
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
