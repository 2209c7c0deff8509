//! The sidecar of a picture of cells: identifies the cells and their sound, and has hashes of the columns.

use super::CellsFormat;
use crate::base::{Error, ErrorKind, JsonAt, Result, json_reason, read_small_file};
use crate::document::scripts::script::fields::read_stft;
use crate::document::{Signal, Snapshot};
use crate::dsp::{AmplitudeScale, CellRect, Stft, Transform};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Version that is written, and the newest that can be read.
pub(super) const VERSION: u64 = 2;
/// First version in which cells at 0 Hz and at Nyquist do not have twice their amplitude.
const LEVEL_ENDS: u64 = 2;

/// Maximum size of a sidecar in bytes: a hash for each column of the widest picture, and the other fields.
const MAX_BYTES: u64 = 4 << 20;

/// Samples hashed at a time.
const HASHED_SAMPLES: usize = 1 << 16;

/// The sidecar of a picture of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CellsSidecar {
    pub version: u64,
    pub format: CellsFormat,
    pub source: SidecarSource,
    /// Transform in the format of scripts.
    pub transform: Value,
    /// Index of a channel counted from 0, `"mid"` or `"side"`.
    pub channel: Value,
    pub first_frame: usize,
    pub first_bin: usize,
    pub columns: usize,
    pub rows: usize,
    /// Hash of each column.
    pub hashes: Vec<String>,
}

/// The sound that a picture of cells shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SidecarSource {
    /// Path of the sound's file; `None` for a sound without a file.
    pub path: Option<PathBuf>,
    /// Number of samples per channel.
    pub samples: u64,
    /// Sample rate in hertz.
    pub rate: f64,
    /// BLAKE3 hash of the channel's samples as little-endian 32-bit floats, in hexadecimal.
    pub blake3: String,
}

impl CellsSidecar {
    /// Reads a sidecar.
    ///
    /// # Errors
    /// Errors of reading the file; [`Script`](ErrorKind::Script) if it is not a valid sidecar, or of a newer version.
    pub fn read(path: &Path) -> Result<CellsSidecar> {
        let text = read_small_file(path, MAX_BYTES)?;
        let refuse = |what: String| Err(Error::new(ErrorKind::Script, what).at(path));
        let value: Value = match serde_json::from_slice(&text) {
            Ok(value) => value,
            Err(error) => return refuse(format!("is not JSON: {}", json_reason(&error))),
        };
        match value["version"].as_u64() {
            Some(1..=VERSION) => {}
            Some(newer) if newer > VERSION => {
                return refuse(format!("has version {newer}, newer than this program supports ({VERSION})"));
            }
            _ => return refuse("is not the sidecar of a picture of cells".into()),
        }
        match serde_json::from_value::<CellsSidecar>(value) {
            Ok(sidecar) if sidecar.hashes.len() == sidecar.columns => Ok(sidecar),
            Ok(_) => refuse("does not have a hash for every column".into()),
            Err(error) => refuse(format!("is not the sidecar of a picture of cells: {}", json_reason(&error))),
        }
    }

    /// The scale from cells to amplitudes with which the picture was made.
    pub fn amplitude_scale(&self, stft: &Stft) -> AmplitudeScale {
        let scale = stft.amplitude_scale();
        if self.version < LEVEL_ENDS { AmplitudeScale { ends: scale.sine, ..scale } } else { scale }
    }

    /// The transform of the cells.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the name of the invalid field.
    pub fn transform(&self) -> Result<Transform> {
        let fields = JsonAt::new(&self.transform, "transform").fields()?;
        let stft = read_stft(&fields)?;
        fields.done().map(|()| stft.into())
    }

    /// The signal of the cells.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it is invalid.
    pub fn signal(&self) -> Result<Signal> {
        let none = || format!("has a sidecar of the channel {}, which is none", self.channel);
        signal_from_value(&self.channel).ok_or_else(|| Error::new(ErrorKind::Script, none()))
    }

    /// The cells that the picture shows.
    pub fn rect(&self) -> CellRect {
        let end = |first: usize, n: usize| first.saturating_add(n);
        let frames = self.first_frame..end(self.first_frame, self.columns);
        CellRect::new(frames, self.first_bin..end(self.first_bin, self.rows))
    }
}

/// Refuses to replace a file that is not a sidecar of this program, since the user did not choose its name.
///
/// # Errors
/// [`Io`](ErrorKind::Io) if a file exists that is not a sidecar.
pub fn refuse_other_sidecar(path: &Path) -> Result<()> {
    if !path.exists() || CellsSidecar::read(path).is_ok() {
        return Ok(());
    }
    let what = "already exists and is not the sidecar of a picture of cells; choose another name";
    Err(Error::new(ErrorKind::Io, what).at(path))
}

impl SidecarSource {
    /// Describes a signal of a sound.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn of(snapshot: &Snapshot, signal: Signal) -> Result<SidecarSource> {
        Ok(SidecarSource {
            path: snapshot.source().path().map(Path::to_path_buf),
            samples: snapshot.n_samples(),
            rate: snapshot.sample_rate_hz(),
            blake3: hash_of(snapshot, signal)?,
        })
    }
}

/// The hash of a signal's samples.
fn hash_of(snapshot: &Snapshot, signal: Signal) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut samples = vec![0.0f32; HASHED_SAMPLES];
    let end = snapshot.n_samples();
    for first in (0..end).step_by(HASHED_SAMPLES) {
        let n = (end - first).min(HASHED_SAMPLES as u64) as usize;
        signal.read(snapshot, first as i64, &mut samples[..n])?;
        let bytes: Vec<u8> = samples[..n].iter().flat_map(|sample| sample.to_le_bytes()).collect();
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// A signal in the format of sidecars and scripts.
pub(super) fn value_from_signal(signal: Signal) -> Value {
    match signal {
        Signal::Channel(channel) => json!(channel),
        Signal::Mid => json!("mid"),
        Signal::Side => json!("side"),
    }
}

/// The signal of a value in the format of sidecars and scripts; `None` if it is invalid.
fn signal_from_value(value: &Value) -> Option<Signal> {
    match value.as_str() {
        Some("mid") => Some(Signal::Mid),
        Some("side") => Some(Signal::Side),
        Some(_) => None,
        None => value.as_u64().and_then(|channel| usize::try_from(channel).ok()).map(Signal::Channel),
    }
}
