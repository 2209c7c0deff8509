//! Applies a script to one file: opens, edits and writes it. Used by `sonobrush paint` and every batch.

use super::scripted::{LabelledSound, NamedScript, PaintStep, PaintWatch, ScriptedEdit};
use crate::base::{Progress, Result, shown_path};
use crate::edits::apply::EditReport;
use crate::edits::level_change::LevelChange;
use crate::engine::{Engine, EnginePass};
use crate::labels::formats::{LabelReading, LabelsBeside, read_label_file};
use crate::output::delivery::{Delivery, deliver};
use crate::output::export::ExportReport;
use crate::session::OpenedSound;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// The file to paint, its script, and the output.
pub struct PaintOrder<'a> {
    /// Opens the sound.
    pub open: &'a dyn Fn(&Progress) -> Result<OpenedSound>,
    /// The file of the sound, beside which labels are searched for if edits are anchored to labels; `None` for silence.
    pub input: Option<&'a Path>,
    /// A label file whose labels are added to the sound's.
    pub labels: Option<&'a Path>,
    /// The edits.
    pub script: NamedScript<'a>,
    /// Returns the engine, once the sound is open.
    pub engine: &'a dyn Fn() -> Result<Engine>,
    /// The file to write; its name determines the container.
    pub output: &'a Path,
    /// Format, sample rate and so on.
    pub delivery: &'a Delivery,
    /// Whether to measure levels before and after, which reads changed parts again.
    pub measures_level: bool,
}

/// Result of an edit in reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditLine {
    /// `gpu`, `cpu` or `mixed`: see [`EditReport::engine`].
    pub engine: Cow<'static, str>,
    /// See [`EditReport::passes`]. Not serialised, to keep reports of many files short.
    #[serde(skip)]
    pub passes: Vec<EnginePass>,
    /// See [`EditReport::touched_frames`].
    pub touched_frames: u64,
    /// See [`EditReport::touched_samples`].
    pub touched_samples: u64,
    /// See [`EditReport::consistency_db`].
    pub consistency_db: Option<f64>,
    /// See [`EditReport::found`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

impl From<&EditReport> for EditLine {
    fn from(report: &EditReport) -> EditLine {
        EditLine {
            engine: Cow::Borrowed(report.engine()),
            passes: report.passes.clone(),
            touched_frames: report.touched_frames,
            touched_samples: report.touched_samples,
            consistency_db: report.consistency_db,
            found: report.found.clone(),
        }
    }
}

/// Result of painting a file.
#[derive(Debug, Clone, PartialEq)]
pub struct PaintedFile {
    /// The exported file.
    pub exported: ExportReport,
    /// Result of each edit, in order.
    pub edits: Vec<EditLine>,
    /// The change of level; `None` if no sample changed, or it was not measured.
    pub level: Option<LevelChange>,
}

/// Opens a sound, applies a script to it and writes the result atomically.
///
/// # Errors
/// Errors of opening, of the script (with its position) and of writing; nothing is written then.
pub fn paint_file<W: PaintWatch>(order: &PaintOrder<'_>, watch: &mut W) -> Result<PaintedFile> {
    let OpenedSound { history, notices, .. } = &watch.step(PaintStep::Reading, order.open)?;
    watch.add_notices(notices.clone());
    let before = history.current().clone();
    let sound = with_labels(order, LabelledSound::of(history), watch)?;
    let engine = (order.engine)()?;
    let (mut edits, mut changed) = (Vec::new(), Some(Vec::new()));
    let mut note = |ScriptedEdit { applied, .. }: ScriptedEdit<'_>| {
        let Some(applied) = applied else { return };
        edits.push(EditLine::from(&applied.report));
        match &mut changed {
            Some(runs) if applied.time.is_empty() => runs.extend_from_slice(&applied.changed),
            _ => changed = None,
        }
    };
    let after = order.script.run(sound, &engine, watch, &mut note)?;
    let snapshot = &after.snapshot;
    let (exported, level) = watch.step(PaintStep::Writing, |progress| {
        let level = match order.measures_level {
            true => LevelChange::between(&before, snapshot, changed, progress)?,
            false => None,
        };
        let samples = 0..snapshot.n_samples();
        let exported = deliver((snapshot, &after.labels), samples, order.output, order.delivery, progress)?;
        Ok((exported, level))
    })?;
    watch.add_notices(exported.notices.clone());
    watch.add_notices(snapshot.source().take_notice().into_iter().collect());
    Ok(PaintedFile { exported, edits, level })
}

/// Adds the labels of a file, and those beside the sound if edits are anchored to labels. Duplicate ids are replaced by
/// new ones.
fn with_labels<W: PaintWatch>(
    order: &PaintOrder<'_>,
    mut sound: LabelledSound,
    watch: &mut W,
) -> Result<LabelledSound> {
    let reading = LabelReading {
        sound_name: order.input.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()),
        rate_hz: Some(sound.snapshot.sample_rate_hz()),
        is_of_many: true,
        ..LabelReading::default()
    };
    let mut more = Vec::new();
    if let Some(path) = order.labels {
        let read = read_label_file(path, None, &reading)?;
        watch.add_notices(read.notices.iter().map(|notice| format!("{}: {notice}", shown_path(path))).collect());
        more.extend(read.labels);
    }
    if let Some(input) = order.input.filter(|_| order.script.script.is_at_labels()) {
        more.extend(LabelsBeside::of(input, &reading, &sound.labels).map(|beside| beside.labels).unwrap_or_default());
    }
    if more.is_empty() {
        return Ok(sound);
    }
    let labels = sound.labels.with_next_id(sound.next_label_id);
    for label in more.iter_mut().filter(|label| labels.get(label.id).is_some()) {
        label.id = 0;
    }
    sound.labels = labels.edited(more, &[])?;
    sound.next_label_id = sound.labels.next_id();
    Ok(sound)
}
