//! Settings on the cards of edits with a question, and of an export by label.

use crate::base::{Error, ErrorKind, Result};
use crate::bench::limits::{FADE_MS, PAD_SECS, held};
use crate::document::brushes::Normalise;
use crate::document::labels::{NamePattern, NamedFiles, PartChoice};
use crate::document::{Delivery, PartsOrder, PartsSound, PartsTable, SoundLevels};
use std::path::Path;

/// Settings of a time stretch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StretchOptions {
    /// The new length, in percent of the old one.
    pub percent: f64,
    /// Whether the result replaces the selection, which is erased.
    pub replaces: bool,
    /// Length of the selection in seconds, from which the card computes the length of the result.
    pub selected_secs: f64,
}

/// Settings of normalising.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormaliseOptions {
    /// Whether to normalise loudness rather than the peak.
    pub is_loudness: bool,
    /// Target peak level, in decibels.
    pub peak_db: f64,
    /// Target integrated loudness according to BS.1770.
    pub loudness_lufs: f64,
    /// Whether there is a selection, which is normalised instead of the whole file; for display.
    pub is_selection: bool,
}

impl Default for NormaliseOptions {
    fn default() -> NormaliseOptions {
        // The usual playback loudness of streaming services.
        let loudness_lufs = -14.0;
        NormaliseOptions { is_loudness: false, peak_db: Normalise::PEAK_DB, loudness_lufs, is_selection: false }
    }
}

impl NormaliseOptions {
    /// The levels after normalising a sound with these levels; `None` if its loudness is undefined but needed.
    pub fn result(&self, levels: SoundLevels) -> Option<SoundLevels> {
        let gain_db = match self.is_loudness {
            true => self.loudness_lufs - levels.loudness_lufs?,
            false => self.peak_db - levels.peak_db,
        };
        let loudness_lufs = levels.loudness_lufs.map(|lufs| lufs + gain_db);
        Some(SoundLevels { peak_db: levels.peak_db + gain_db, loudness_lufs })
    }

    /// Whether the result would exceed full scale for a sound with these levels.
    pub fn passes_peak(&self, levels: SoundLevels) -> bool {
        // Normalising to a peak never clips, even after rounding.
        self.is_loudness && self.result(levels).is_some_and(|after| after.peak_db > 0.0)
    }

    /// The settings that reach the highest loudness without exceeding full scale: a peak of 0 dB.
    #[must_use]
    pub fn stopped_at_peak(self) -> NormaliseOptions {
        NormaliseOptions { is_loudness: false, peak_db: 0.0, ..self }
    }

    /// The settings with their levels clamped to their ranges; defaults for levels that are not finite.
    #[must_use]
    pub(crate) fn within_limits(self) -> NormaliseOptions {
        let usual = NormaliseOptions::default();
        NormaliseOptions {
            peak_db: held(self.peak_db, Normalise::LEVELS, usual.peak_db),
            loudness_lufs: held(self.loudness_lufs, Normalise::LEVELS, usual.loudness_lufs),
            ..self
        }
    }

    /// The brush with these settings, clamped to their ranges.
    pub(crate) fn brush(&self) -> Normalise {
        let options = self.within_limits();
        match options.is_loudness {
            true => Normalise::to_loudness(options.loudness_lufs),
            false => Normalise::to_peak(options.peak_db),
        }
    }
}

/// Settings of resampling to a new document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResampleOptions {
    /// Sample rate of the new document, in hertz.
    pub rate_hz: u32,
    /// Sample rate of the document in front, in hertz.
    pub from_hz: u32,
}

/// The labels to export as files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartLabels {
    /// All labels.
    #[default]
    All,
    /// Labels with a text.
    WithText,
    /// Labels shown in the list.
    Listed,
}

/// The table to write with the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartsTableKind {
    /// No table.
    #[default]
    None,
    /// Sonobrush's table of labels, with each label's file.
    Csv,
    /// `metadata.csv` for Hugging Face datasets.
    HuggingFace,
}

impl PartsTableKind {
    /// In the order of the menu.
    pub const ALL: [PartsTableKind; 3] = [PartsTableKind::None, PartsTableKind::Csv, PartsTableKind::HuggingFace];
}

/// Settings on the card of an export by label; typed fields are kept as text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartsOptions {
    /// Id of the document.
    pub document: u64,
    /// The output folder.
    pub folder: String,
    /// Pattern of the file names; empty: the default.
    pub pattern: String,
    /// The labels to export.
    pub labels: PartLabels,
    /// Pattern for the texts of labels: `*` matches any characters and `?` a single one.
    pub text: String,
    /// Filter of the label list when the card was opened.
    pub listed: String,
    /// Whether markers split the whole sound, rather than ranges being cut out.
    pub splits: bool,
    /// Padding before and after each range, in seconds.
    pub pad_secs: [f64; 2],
    /// Fade at both ends of each file, in milliseconds.
    pub fade_ms: f64,
    /// Whether each file contains only the sound within the band of its label.
    pub is_band_only: bool,
    /// Format, sample rate and other properties of the files.
    pub delivery: Box<Delivery>,
    /// Name of the preset it was taken from.
    pub preset: Option<String>,
    /// The name being typed for a new preset.
    pub naming: Option<String>,
    /// The table to write.
    pub table: PartsTableKind,
    /// Whether existing files are replaced.
    pub replaces: bool,
}

impl PartsOptions {
    /// The export order for a sound, with numbers clamped to their ranges; `folder` is the typed folder as a path.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) without a folder, and for an invalid name pattern or delivery.
    pub(crate) fn order(&self, folder: &Path, sound: &PartsSound) -> Result<PartsOrder> {
        if folder.as_os_str().is_empty() {
            return Err(Error::new(ErrorKind::Script, "there is no folder for the files; choose one"));
        }
        let pattern = if self.pattern.trim().is_empty() { NamePattern::DEFAULT_PATTERN } else { self.pattern.trim() };
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
