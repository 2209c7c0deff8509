//! What a file of labels is written with.

/// What a file of labels is written with.
#[derive(Debug, Clone, Default)]
pub struct LabelWriting {
    /// The name of the sound's file, where the format has a place for it.
    pub sound_name: Option<String>,
    /// The name of the label file itself.
    pub own_name: Option<String>,
    /// Samples a second of the sound; [`DEFAULT_RATE_HZ`] where there is none.
    pub rate_hz: Option<f64>,
    /// Length of the sound.
    pub sound_secs: Option<f64>,
    /// Which lines Audacity's format gets.
    pub audacity: AudacityStyle,
    /// Whether band, confidence and channel are put behind the text where the format has no place for them.
    pub keeps_in_text: bool,
    /// Replacement for an empty text.
    pub empty_text: Option<String>,
}

/// The rate of sounds that say none.
pub const DEFAULT_RATE_HZ: f64 = 48_000.0;

impl LabelWriting {
    pub(super) fn rate_hz(&self) -> f64 {
        self.rate_hz.unwrap_or(DEFAULT_RATE_HZ)
    }

    pub(super) fn nyquist_hz(&self) -> f64 {
        self.rate_hz() / 2.0
    }

    /// The text, or the replacement of an empty one.
    pub(super) fn text<'a>(&'a self, text: &'a str) -> &'a str {
        match &self.empty_text {
            Some(other) if text.is_empty() => other,
            _ => text,
        }
    }
}

/// Which labels get a line with their band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AudacityStyle {
    /// Those that have a band, as Audacity writes it.
    #[default]
    Mixed,
    /// None: bands are lost.
    Plain,
    /// All: without a band, from 0 to half the rate.
    All,
}
