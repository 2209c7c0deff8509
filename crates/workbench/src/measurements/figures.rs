//! Measurements of a selection, and their CSV text.

use crate::base::Note;

/// Measurements of a selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Interpolated frequency of the loudest spectral peak; `None` in silence.
    pub peak_hz: Option<f64>,
    /// Level of that peak; 0 dB is a full-scale sine.
    pub peak_db: f64,
    /// Root mean square of the selected sound over its frames and the displayed channels. A full-scale square wave
    /// measures 0 dB, a full-scale sine -3 dB.
    pub rms_db: f64,
    /// Mean power of the selected cells as displayed; 0 dB is a full-scale sine. `None` in silence.
    pub mean_db: Option<f64>,
    /// Spectral centroid: mean frequency weighted by power. `None` in silence.
    pub centroid_hz: Option<f64>,
}

impl Figures {
    /// A CSV header and row for spreadsheets; unknown values are empty.
    pub fn csv(&self, secs: [f64; 2], hz: [f64; 2]) -> String {
        let or_empty = |value: Option<f64>| value.map(|value| format!("{value:.2}")).unwrap_or_default();
        let note = self.peak_hz.and_then(Note::from_hz).map(Note::name).unwrap_or_default();
        format!(
            "start_s,end_s,duration_s,low_hz,high_hz,peak_hz,peak_note,peak_db,rms_db,centroid_hz\n\
             {:.6},{:.6},{:.6},{:.2},{:.2},{},{note},{:.2},{:.2},{}\n",
            secs[0],
            secs[1],
            secs[1] - secs[0],
            hz[0],
            hz[1],
            or_empty(self.peak_hz),
            self.peak_db,
            self.rms_db,
            or_empty(self.centroid_hz),
        )
    }
}
