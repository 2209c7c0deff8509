//! What is wished for on the cards of edits that ask first, and of an export by label.

use crate::base::{Error, ErrorKind, Result};
use crate::document::brushes::Normalise;
use crate::document::labels::{NamePattern, NamedFiles, PartChoice};
use crate::document::{Delivery, PartsOrder, PartsSound, PartsTable, SoundLevels};
use crate::limits::{FADE_MS, PAD_SECS, held};
use std::path::Path;

/// How a selection is stretched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StretchWish {
    /// The new length, in percent of the old one.
    pub percent: f64,
    /// The selection is erased first, so that the result takes its place.
    pub replaces: bool,
    /// How long the selection is, to state how long the result will be.
    pub selected_secs: f64,
}

/// The level of a sound after normalising.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormaliseWish {
    /// The loudness counts, else the peak.
    pub is_loudness: bool,
    /// Level of the loudest sample.
    pub peak_db: f64,
    /// Integrated, by BS.1770.
    pub loudness_lufs: f64,
    /// Only the selection is normalised, else the whole file; to say so.
    pub is_selection: bool,
}

impl Default for NormaliseWish {
    fn default() -> NormaliseWish {
        // What streaming services play at.
        let loudness_lufs = -14.0;
        NormaliseWish { is_loudness: false, peak_db: Normalise::PEAK_DB, loudness_lufs, is_selection: false }
    }
}

impl NormaliseWish {
    /// What a sound of these levels becomes; none where it has no loudness to start from.
    pub fn result(&self, levels: SoundLevels) -> Option<SoundLevels> {
        let gain_db = match self.is_loudness {
            true => self.loudness_lufs - levels.loudness_lufs?,
            false => self.peak_db - levels.peak_db,
        };
        let loudness_lufs = levels.loudness_lufs.map(|lufs| lufs + gain_db);
        Some(SoundLevels { peak_db: levels.peak_db + gain_db, loudness_lufs })
    }

    /// Whether a sound of these levels would be louder than full scale afterwards.
    pub fn passes_peak(&self, levels: SoundLevels) -> bool {
        // Nothing clips at a target peak, even after rounding.
        self.is_loudness && self.result(levels).is_some_and(|after| after.peak_db > 0.0)
    }

    /// The loudest that passes no peak.
    #[must_use]
    pub fn stopped_at_peak(self) -> NormaliseWish {
        NormaliseWish { is_loudness: false, peak_db: 0.0, ..self }
    }

    /// The same, its levels within limits; what is no number is as usual.
    #[must_use]
    pub(crate) fn within_limits(self) -> NormaliseWish {
        let usual = NormaliseWish::default();
        NormaliseWish {
            peak_db: held(self.peak_db, Normalise::LEVELS, usual.peak_db),
            loudness_lufs: held(self.loudness_lufs, Normalise::LEVELS, usual.loudness_lufs),
            ..self
        }
    }

    /// The brush, its numbers within limits.
    pub(crate) fn brush(&self) -> Normalise {
        let wish = self.within_limits();
        match wish.is_loudness {
            true => Normalise::to_loudness(wish.loudness_lufs),
            false => Normalise::to_peak(wish.peak_db),
        }
    }
}

/// The sample rate of a new document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResampleWish {
    /// Samples per second.
    pub rate_hz: u32,
    /// The rate of the document in front.
    pub from_hz: u32,
}

/// Which labels become files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartLabels {
    /// All.
    #[default]
    All,
    /// Labels with a text.
    WithText,
    /// Labels that the list shows.
    Listed,
}

/// Which table of the files is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartsTableKind {
    /// None.
    #[default]
    None,
    /// Our own table of labels, with each label's file.
    Csv,
    /// `metadata.csv` of Hugging Face's datasets.
    HuggingFace,
}

impl PartsTableKind {
    /// In the order in which they are offered.
    pub const ALL: [PartsTableKind; 3] = [PartsTableKind::None, PartsTableKind::Csv, PartsTableKind::HuggingFace];
}

/// What is chosen on the card of an export by label so far, as text where it is typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartsWish {
    /// Id of the document.
    pub document: u64,
    /// Where the files go.
    pub folder: String,
    /// How they are called; empty: as usual.
    pub pattern: String,
    /// Which labels become files.
    pub labels: PartLabels,
    /// The text by which labels are chosen: `*` matches any letters and `?` one.
    pub text: String,
    /// What the list of labels was filtered by when the card was opened.
    pub listed: String,
    /// Markers cut the whole sound, instead of ranges being taken out of it.
    pub splits: bool,
    /// Sound before and behind each range.
    pub pad_secs: [f64; 2],
    /// How long both ends of each file are faded, in milliseconds.
    pub fade_ms: f64,
    /// Each file holds only what sounds in the box of its label.
    pub is_band_only: bool,
    /// How files are written.
    pub delivery: Box<Delivery>,
    /// The preset that it was taken from, by name.
    pub preset: Option<String>,
    /// The name that is being typed for a preset of it.
    pub naming: Option<String>,
    /// The table of the files.
    pub table: PartsTableKind,
    /// Files that are there are replaced.
    pub replaces: bool,
}

impl PartsWish {
    /// What is done for a sound, its numbers within limits; `folder` is the one that was typed, as a path.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) without a folder, and for names that are no pattern.
    pub(crate) fn order(&self, folder: &Path, sound: &PartsSound) -> Result<PartsOrder> {
        if folder.as_os_str().is_empty() {
            return Err(Error::new(ErrorKind::Script, "there is no folder for the files; choose one"));
        }
        let pattern = if self.pattern.trim().is_empty() { NamePattern::USUAL } else { self.pattern.trim() };
        let table = match self.table {
            PartsTableKind::None => PartsTable::None,
            PartsTableKind::Csv => PartsTable::Csv(folder.join(format!("{}-parts.csv", sound.stem()))),
            PartsTableKind::HuggingFace => PartsTable::HuggingFace,
        };
        let takes_ranges = !self.splits;
        let pad_secs = self.pad_secs.map(|secs| if takes_ranges { held(secs, PAD_SECS, 0.0) } else { 0.0 });
        Ok(PartsOrder {
            folder: folder.to_path_buf(),
            choice: PartChoice {
                splits: self.splits,
                pattern: (self.labels == PartLabels::WithText).then(|| self.text.clone()),
                filter: if self.labels == PartLabels::Listed { self.listed.clone() } else { String::new() },
                pad_secs,
            },
            pattern: NamePattern::parse(pattern, NamedFiles::Parts)?,
            fade_ms: held(self.fade_ms, FADE_MS, 0.0),
            is_band_only: self.is_band_only && takes_ranges,
            delivery: Delivery { name: None, ..(*self.delivery).clone() }.checked()?,
            table,
            replaces: self.replaces,
        })
    }
}
