//! Options for writing a label file.

/// Options for writing a label file.
#[derive(Debug, Clone, Default)]
pub struct LabelWriting {
    /// Name of the sound's file, for formats that store it.
    pub sound_name: Option<String>,
    /// The name of the label file itself.
    pub own_name: Option<String>,
    /// Sample rate of the sound; [`DEFAULT_RATE_HZ`] if unknown.
    pub rate_hz: Option<f64>,
    /// Length of the sound.
    pub sound_secs: Option<f64>,
    /// Which lines to write in Audacity's format.
    pub audacity: AudacityStyle,
    /// Whether band, confidence and channel are appended to the text if the format can't store them.
    pub keeps_in_text: bool,
    /// Replacement for an empty text.
    pub empty_text: Option<String>,
}

/// Sample rate in hertz that is assumed if that of the sound is unknown.
pub const DEFAULT_RATE_HZ: f64 = 48_000.0;

impl LabelWriting {
    pub(in crate::labels::formats) fn rate_hz(&self) -> f64 {
        self.rate_hz.unwrap_or(DEFAULT_RATE_HZ)
    }

    pub(in crate::labels::formats) fn nyquist_hz(&self) -> f64 {
        self.rate_hz() / 2.0
    }

    /// The text, or its replacement if it is empty.
    pub(in crate::labels::formats) fn text<'a>(&'a self, text: &'a str) -> &'a str {
        match &self.empty_text {
            Some(other) if text.is_empty() => other,
            _ => text,
        }
    }
}

/// Which labels get a line with their band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AudacityStyle {
    /// Labels with a band, as Audacity writes them.
    #[default]
    Mixed,
    /// None, so that bands are lost.
    Plain,
    /// All labels: from 0 to half the sample rate for those without a band.
    All,
}
