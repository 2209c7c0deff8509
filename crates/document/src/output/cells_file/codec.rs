//! Encoding of one cell as two numbers of a picture.

use serde::{Deserialize, Serialize};

/// How cells are written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellsFormat {
    /// An OpenEXR picture: red is the amplitude, 1 for a full-scale sine, green the phase in turns, bit for bit.
    Exr,
    /// Two 16-bit PNG pictures: the level, from the lower end of the range (0) to its upper end (65,535), and the
    /// phase, from minus half a turn (0) in steps of 1/65,536 turn. A level of 0 is silence.
    Png {
        /// Range of levels in dB, ascending.
        range_db: [f64; 2],
    },
}

/// The pixels of a picture of cells, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CellPixels {
    /// Amplitude and phase.
    Floats(Vec<[f32; 2]>),
    /// Level and phase.
    Words(Vec<[u16; 2]>),
}

impl CellsFormat {
    /// The 16-bit values of an amplitude and a phase in turns.
    pub(super) fn words(range_db: [f64; 2], amplitude: f32, turns: f32) -> [u16; 2] {
        let [low, high] = range_db;
        let part = (20.0 * f64::from(amplitude).log10() - low) / (high - low);
        // A silent cell has no level; levels at or below the lower end of the range count as silence, too.
        let level = if part > 0.0 { (part.min(1.0) * 65_535.0).round() as u16 } else { 0 };
        let phase = ((f64::from(turns) + 0.5) * 65_536.0).round() as i64;
        [level, phase.rem_euclid(65_536) as u16]
    }

    /// Amplitude, and phase in turns, of two 16-bit values.
    pub(super) fn cell_of_words(range_db: [f64; 2], [level, phase]: [u16; 2]) -> [f32; 2] {
        let [low, high] = range_db;
        let level_db = low + f64::from(level) / 65_535.0 * (high - low);
        let amplitude = if level == 0 { 0.0 } else { 10f64.powf(level_db / 20.0) };
        [amplitude as f32, (f64::from(phase) / 65_536.0 - 0.5) as f32]
    }
}

impl CellPixels {
    /// Number of pixels.
    pub fn len(&self) -> usize {
        match self {
            CellPixels::Floats(pixels) => pixels.len(),
            CellPixels::Words(pixels) => pixels.len(),
        }
    }

    /// The first 16 hexadecimal digits of the BLAKE3 hash of a column: its first plane from the top, then its second,
    /// lowest bytes first.
    pub fn column_hash(&self, column: usize, n_columns: usize) -> String {
        let rows = (column..self.len()).step_by(n_columns);
        let bytes: Vec<u8> = match self {
            CellPixels::Floats(pixels) => {
                let plane = |plane: usize| rows.clone().flat_map(move |at| pixels[at][plane].to_le_bytes());
                plane(0).chain(plane(1)).collect()
            }
            CellPixels::Words(pixels) => {
                let plane = |plane: usize| rows.clone().flat_map(move |at| pixels[at][plane].to_le_bytes());
                plane(0).chain(plane(1)).collect()
            }
        };
        blake3::hash(&bytes).to_hex()[..16].to_owned()
    }
}
