//! What is wished for on the cards of edits that ask first.

use crate::document::SoundLevels;
use crate::document::brushes::Normalise;
use crate::limits::held;

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

/// To which level a sound is brought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormaliseWish {
    /// The loudness counts, else the peak.
    pub is_loudness: bool,
    /// Of the loudest sample.
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
    /// Those of the document in front.
    pub from_hz: u32,
}
