//! Reads library sounds in jobs, to play or paste them. A new request replaces its predecessor of the same kind.

use super::entries::LibraryRow;
use super::loaded_sound::{PasteAt, PastedSound, PreviewedSound};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::bench::context::Context;
use crate::devices::monitor::GAIN_DB;
use crate::document::Snapshot;
use crate::dsp::Clip;
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::media::Source;
use crate::services::JobQueue;
use std::sync::Arc;

/// Loudness to which sounds are matched for playback.
const PREVIEW_LUFS: f64 = -20.0;
/// Maximum number of samples of a paste, over all channels, as for the clipboard.
const MAX_PASTE_SAMPLES: u64 = 1 << 24;

/// Sounds being read, to play or to paste.
#[derive(Default)]
pub struct SoundLoader {
    hearing: JobQueue<(), PreviewedSound>,
    pasting: JobQueue<PasteAt, PastedSound>,
}

impl SoundLoader {
    /// Whether a file is being read.
    pub fn is_busy(&self) -> bool {
        self.hearing.is_busy() || self.pasting.is_busy()
    }

    /// Reads a sound to play it, replacing the previous one.
    pub fn set_sound(&mut self, id: i64, is_matched: bool, place: &LibraryPlace, context: &Context) {
        let place = place.clone();
        let job = context.jobs.spawn("library sound", move |progress| {
            let (row, source) = open(id, &place, progress)?;
            let gain_db = if is_matched { matching_gain_db(&row) } else { 0.0 };
            Ok(PreviewedSound { snapshot: Snapshot::new(source), gain_db })
        });
        self.hearing.run_instead((), job, context.now_secs());
    }

    /// Cancels reading a sound to play. False if none is being read.
    pub fn quieten(&mut self) -> bool {
        self.hearing.clear()
    }

    /// Reads a sound to be pasted.
    pub fn paste(&mut self, id: i64, at: PasteAt, place: &LibraryPlace, context: &Context) {
        let place = place.clone();
        let job = context.jobs.spawn("library paste", move |progress| pasted(id, &place, progress));
        self.pasting.run_instead(at, job, context.now_secs());
    }

    /// Cancels the paste being read. False if there is none.
    pub fn drop_paste(&mut self) -> bool {
        self.pasting.clear()
    }

    /// Takes a sound to play, once read.
    pub fn take_heard(&mut self) -> Option<Result<PreviewedSound>> {
        self.hearing.take_answer().map(|((), answer)| answer)
    }

    /// Takes a sound to paste and its position, once read.
    pub fn take_pasted(&mut self) -> Option<(PasteAt, Result<PastedSound>)> {
        self.pasting.take_answer()
    }
}

/// Gain from a sound's loudness to `PREVIEW_LUFS`, reduced so that its peaks do not clip. 0 for silence.
fn matching_gain_db(row: &LibraryRow) -> f64 {
    let gain_db = row.lufs.map_or(0.0, |lufs| PREVIEW_LUFS - lufs);
    let headroom_db = row.true_peak_dbtp.map_or(GAIN_DB[1], |peak| -peak);
    gain_db.min(headroom_db.max(0.0)).clamp(GAIN_DB[0], GAIN_DB[1])
}

pub(super) fn open(id: i64, place: &LibraryPlace, progress: &Progress) -> Result<(Arc<LibraryRow>, Source)> {
    let found = LibraryStore::open_to_read(place)?.sound(id)?;
    let row = LibraryRow::of(&found).ok_or_else(|| {
        Error::new(ErrorKind::Io, format!("the file of sound {id} is gone; add its folder again to find it"))
    })?;
    let source = Source::open(&row.path, progress)?.source;
    Ok((Arc::new(row), source))
}

fn pasted(id: i64, place: &LibraryPlace, progress: &Progress) -> Result<PastedSound> {
    let (row, source) = open(id, place, progress)?;
    let info = source.info();
    if info.n_samples.saturating_mul(info.n_channels as u64) > MAX_PASTE_SAMPLES {
        let what = "is too long to paste (over 16 million samples); open it and copy a part of it";
        return Err(Error::new(ErrorKind::Limit, what).at(&row.path));
    }
    let channel = |channel: usize| {
        progress.check()?;
        let mut samples = vec![0.0; info.n_samples as usize];
        source.read(channel, 0, &mut samples)?;
        // A single NaN or infinite sample would corrupt every STFT frame that contains it.
        samples.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
        Ok(samples)
    };
    let channels = (0..info.n_channels).map(channel).collect::<Result<Vec<_>>>()?;
    let clip = Clip { sample_rate_hz: f64::from(info.sample_rate_hz), first_sample: 0, channels: channels.into() };
    Ok(PastedSound { clip, own_hz: row.pitch_hz })
}
