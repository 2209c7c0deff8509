//! Writes the files of a plan in order.

use super::plan::{PartsOrder, PartsPlan, PartsSound, PartsTable};
use super::tables::{metadata, table};
use crate::base::{Error, ErrorKind, NewFolders, Progress, Result, write_atomic};
use crate::document::brushes::{Brush, Erase};
use crate::document::edits::apply::apply_live;
use crate::document::labels::formats::LabelLosses;
use crate::document::labels::{SoundPart, hash_of_file, labels_within};
use crate::document::output::delivery::write::{DeliveredPart, deliver_part};
use crate::document::output::export::{ChangeSamples, ExportReport};
use crate::document::{Edit, Snapshot};
use crate::dsp::{Axis, Selection, Transform};
use crate::engine::Engine;
use std::io::Write;

/// Fraction of a file's progress for computing the sound outside its box.
const BAND_PART: f64 = 0.5;

/// Writes the files of a plan, then their table. If dropped before the end, it leaves only complete files, no table,
/// and no empty folder that it created.
pub struct PartsWriter<'a> {
    plan: &'a PartsPlan,
    sound: &'a PartsSound,
    engine: Option<&'a Engine>,
    made: NewFolders,
    n_written: usize,
    /// Hashes of the files written, if the table contains them.
    hashes: Vec<String>,
    losses: LabelLosses,
}

impl<'a> PartsWriter<'a> {
    /// Checks for conflicts, and creates the folder. `engine` computes the sound in the boxes of labels, and is
    /// required if only that is written.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) for the first existing file unless files are replaced, for the sound's own file, and for a
    /// folder that cannot be created.
    pub fn begin(plan: &'a PartsPlan, sound: &'a PartsSound, engine: Option<&'a Engine>) -> Result<PartsWriter<'a>> {
        if let Some(hindrance) = plan.hindrance(sound) {
            let advice = ["choose another folder or other names", "choose another folder, or have it replaced"];
            return Err(hindrance.error(advice));
        }
        if plan.order().is_band_only && engine.is_none() {
            return Err(Error::new(ErrorKind::Internal, "an engine is missing"));
        }
        let folder = plan.order().folder.as_path();
        let made = NewFolders::of([folder]);
        let writer = PartsWriter {
            plan,
            sound,
            engine: engine.filter(|_| plan.order().is_band_only),
            made,
            n_written: 0,
            hashes: Vec::new(),
            losses: LabelLosses::default(),
        };
        std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))?;
        Ok(writer)
    }

    /// Number of files written.
    pub fn n_written(&self) -> usize {
        self.n_written
    }

    /// Whether all files are written, and only the table remains.
    pub fn is_done(&self) -> bool {
        self.n_written >= self.plan.names().len()
    }

    /// Writes the next file, atomically.
    ///
    /// # Errors
    /// As [`deliver`](crate::document::deliver), and read errors. The file is then unchanged.
    pub fn write_next(&mut self, progress: &Progress) -> Result<ExportReport> {
        let index = self.n_written;
        let Some(part) = self.plan.parts().get(index) else {
            return Err(Error::new(ErrorKind::Internal, "all files are written"));
        };
        progress.check()?;
        let report = self.write(part, index, progress)?;
        if let PartsTable::Csv(_) = self.plan.order().table {
            self.hashes.push(hash_of_file(&self.plan.path(index))?);
        }
        self.n_written += 1;
        Ok(report)
    }

    /// The properties of labels that the files do not preserve, as a sentence without a full stop; `None` if nothing is
    /// lost.
    pub fn losses(&self) -> Option<String> {
        let lost = self.losses.sentence()?.trim_end_matches('.').replacen("Not kept", "not kept", 1);
        Some(format!("labels within the parts are chapters of {} files; {lost}", self.plan.container().name()))
    }

    /// Writes the table, if one was requested; atomically, and only once all files are written.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), and [`Limit`](ErrorKind::Limit) for more columns than a table can have.
    pub fn finish(self) -> Result<()> {
        if !self.is_done() {
            return Err(Error::new(ErrorKind::Internal, "files are left to write"));
        }
        let Some(path) = self.plan.table() else { return Ok(()) };
        let text = match self.plan.order().table {
            PartsTable::HuggingFace => metadata(self.plan),
            PartsTable::None | PartsTable::Csv(_) => table(self.plan, &self.hashes, &self.sound.name)?,
        };
        write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
    }

    fn write(&mut self, part: &SoundPart, index: usize, progress: &Progress) -> Result<ExportReport> {
        let PartsSound { snapshot, labels, .. } = self.sound;
        let rate_hz = snapshot.sample_rate_hz();
        let inner = labels_within(labels, part, rate_hz)?;
        let (rest, from) = match self.engine {
            Some(engine) => (Some(without_box(snapshot, part, engine, &progress.within([0.0, BAND_PART]))?), BAND_PART),
            None => (None, 0.0),
        };
        let fade = Fade::of(self.plan.order(), part, rate_hz);
        let change: &ChangeSamples<'_> = &|channel, first, samples| {
            if let Some(rest) = &rest {
                let mut other = vec![0.0; samples.len()];
                rest.read(channel, first as i64, &mut other)?;
                samples.iter_mut().zip(&other).for_each(|(sample, other)| *sample -= other);
            }
            fade.apply(first, samples);
            Ok(())
        };
        let delivered = DeliveredPart { snapshot, samples: part.samples.clone(), labels: &inner, change: Some(change) };
        let writing = progress.within([from, 1.0]);
        let (report, held) = deliver_part(&delivered, &self.plan.path(index), &self.plan.order().delivery, &writing)?;
        self.losses.add(&held.losses);
        Ok(report)
    }
}

impl Drop for PartsWriter<'_> {
    fn drop(&mut self) {
        self.made.remove_empty();
    }
}

/// The sound without the contents of a label's box: the difference is the sound of the box.
fn without_box(snapshot: &Snapshot, part: &SoundPart, engine: &Engine, progress: &Progress) -> Result<Snapshot> {
    let rate_hz = snapshot.sample_rate_hz();
    let band = part.label.band_hz(rate_hz / 2.0);
    let select = Selection::rectangle(Some(part.label.secs), band, [0.0; 2], Axis::Linear);
    let erase = Edit {
        select: Some(select),
        consistency_steps: Some(0),
        ..Edit::of(Brush::Erase(Erase), Transform::for_rate(rate_hz))
    };
    Ok(apply_live(snapshot, &erase, engine, progress)?.snapshot)
}

/// Half-cosine fades at both ends of a part.
struct Fade {
    first: u64,
    end: u64,
    n: u64,
}

impl Fade {
    fn of(order: &PartsOrder, part: &SoundPart, rate_hz: f64) -> Fade {
        let n = (order.fade_ms / 1e3 * rate_hz).round() as u64;
        let (first, end) = (part.samples.start, part.samples.end);
        Fade { first, end, n: n.min((end - first) / 2) }
    }

    fn apply(&self, first: u64, samples: &mut [f32]) {
        if self.n == 0 {
            return;
        }
        for (at, sample) in (first..).zip(samples) {
            let from_edge = (at - self.first).min(self.end - 1 - at);
            if from_edge < self.n {
                let part = (from_edge as f64 + 0.5) / self.n as f64;
                *sample *= (0.5 - 0.5 * (std::f64::consts::PI * part).cos()) as f32;
            }
        }
    }
}
