//! Copy, cut and paste of selections. The sound is lifted and resampled in jobs; a paste floats over the document until
//! it is placed.

use super::floating_paste::{float_over, land, land_in};
use super::time::{FADE_SECS, edit_document, of_time};
use crate::base::{Progress, Result, length_from_secs};
use crate::bench::context::{BenchEvent, Concern, Context};
use crate::bench::limits::{PASTE_UNITS, PLACE_HZ, held};
use crate::bench::notices::Severity;
use crate::bench::orders::{AfterEdits, Stale, next_ready};
use crate::bench::work::{JobStatus, OrderReport};
use crate::document::brushes::{DeleteTime, Insert};
use crate::document::{Channels, Edit, Snapshot, erasing, lifted, resolve, whole_range};
use crate::documents::{Floating, FloatingSound};
use crate::dsp::{Axis, Clip, Selection};
use crate::engine::Engine;
use crate::library_panel::{PasteAt, PastedSound};
use crate::media::{Resampled, whole_ratio};
use crate::services::JobQueue;
use std::ops::Range;

/// Job name in the status line.
const PASTING: &str = "Pasting";

/// The clipboard for sound. The last copy stays after its document is closed.
#[derive(Default)]
pub struct Clipboard {
    held: Option<CopiedSelection>,
    /// Commands in order; each begins once the earlier ones and the pending edits before it are done.
    queue: JobQueue<Waiting, CopiedSelection, ClipboardJob>,
}

/// Ways to take the sound of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyWay {
    /// The original stays.
    Copy,
    /// The original is silenced.
    Cut,
    /// The original is removed, and the following sound closes the gap.
    CutAndClose,
}

impl CopyWay {
    fn operation(self) -> &'static str {
        match self {
            CopyWay::Copy => "Copying",
            CopyWay::Cut | CopyWay::CutAndClose => "Cutting",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            CopyWay::Copy => "copy",
            CopyWay::Cut | CopyWay::CutAndClose => "cut",
        }
    }
}

/// Ways to paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasteWay {
    /// Floating at the pointer or the cursor.
    Floating,
    /// Floating where it was copied from.
    InPlace,
    /// Inserted at the cursor.
    Inserting,
}

/// The target of a paste.
#[derive(Debug, Clone, Copy)]
enum PasteTo {
    /// Floating, with an offset in seconds and units of its axis.
    Floating([f64; 2]),
    /// Inserted at a time in seconds.
    Inserted(f64),
}

/// A command waiting for earlier ones.
#[derive(Debug)]
enum Waiting {
    /// Copies or cuts the area that was selected when the command was given.
    Lift { document: u64, selection: Selection, taking: CopyWay },
    /// Pastes at a time in seconds, or if `None`, at the time that the sound was taken from.
    Paste { document: u64, at_secs: Option<f64>, inserts: bool },
}

/// The sound of a selection, and the selection.
#[derive(Debug, Clone)]
struct CopiedSelection {
    clip: Clip,
    selection: Selection,
    /// If the selection is a range of time: its unmodified samples, for inserting, since `clip` has soft edges.
    range: Option<Clip>,
}

impl AfterEdits for Waiting {
    fn document(&self) -> u64 {
        let (Waiting::Lift { document, .. } | Waiting::Paste { document, .. }) = self;
        *document
    }

    fn closed_report(&self) -> Option<OrderReport> {
        Some(Stale::Closed.report(match self {
            Waiting::Lift { taking, .. } => taking.operation(),
            Waiting::Paste { .. } => PASTING,
        }))
    }
}

/// The job in progress.
enum ClipboardJob {
    /// Lifting the sound of a selection.
    Lifting(Box<Lifting>),
    /// Taking the part of a sound that was dragged out, to paste it.
    Taking(PasteAt),
    /// Resampling a sound for a document.
    Fitting(u64, PasteTo),
}

struct Lifting {
    document: u64,
    snapshot: Snapshot,
    edit: Edit,
    taking: CopyWay,
}

impl Clipboard {
    /// Whether something was copied.
    pub fn has_clip(&self) -> bool {
        self.held.is_some()
    }

    fn start(&mut self, id: u64, selection: Selection, taking: CopyWay, context: &Context) {
        let Some(document) = context.documents.get(id) else { return };
        let snapshot = document.shown().clone();
        // Closing the gap cuts the time out of all channels.
        let channels = match taking {
            CopyWay::CutAndClose => Channels::All,
            CopyWay::Copy | CopyWay::Cut => document.view().channels.edited(),
        };
        let edit = erasing(selection, channels, document.view().transform.clone());
        let (theirs, sound, engine) = (edit.clone(), snapshot.clone(), context.engine.clone());
        let job = context.jobs.spawn("copy", move |progress| lift(&sound, &theirs, &engine, progress));
        let lifting = Box::new(Lifting { document: id, snapshot, edit, taking });
        self.queue.run(ClipboardJob::Lifting(lifting), job, context.now_secs());
    }
}

fn lift(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<CopiedSelection> {
    let selection = edit.select.clone().unwrap_or_default();
    let selection = match selection.needs_sound() {
        true => resolve(snapshot, &selection, edit.transform.clone(), &edit.channels, engine.plans(), progress)?,
        false => selection,
    };
    let clip = lifted(snapshot, edit, engine, progress)?;
    let range = whole_range(snapshot, Some(&selection)).filter(|range| !range.is_empty());
    let range = range.map(|range| samples_of(snapshot, edit, range)).transpose()?;
    Ok(CopiedSelection { clip, selection, range })
}

/// Reads a range of samples from the edit's channel if there is exactly one, else from all channels.
fn samples_of(snapshot: &Snapshot, edit: &Edit, range: Range<u64>) -> Result<Clip> {
    let channels = match &edit.channels {
        Channels::List(list) if list.len() == 1 => list.clone(),
        _ => (0..snapshot.n_channels()).collect(),
    };
    let read = |channel: usize| {
        let mut samples = vec![0.0; (range.end - range.start) as usize];
        snapshot.read(channel, range.start as i64, &mut samples)?;
        Ok(samples)
    };
    let channels = channels.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(Clip { sample_rate_hz: snapshot.sample_rate_hz(), first_sample: range.start as i64, channels: channels.into() })
}

/// The sound that an edit would erase.
pub fn lifted_clip(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Clip> {
    lift(snapshot, edit, engine, progress).map(|held| held.clip)
}

/// A copied selection resampled to `rate_hz`; its start in seconds stays the same.
fn fitted(held: &CopiedSelection, rate_hz: f64, progress: &Progress) -> Result<CopiedSelection> {
    let range = held.range.as_ref().map(|clip| fitted_clip(clip, rate_hz, progress)).transpose()?;
    Ok(CopiedSelection { clip: fitted_clip(&held.clip, rate_hz, progress)?, selection: held.selection.clone(), range })
}

fn fitted_clip(clip: &Clip, rate_hz: f64, progress: &Progress) -> Result<Clip> {
    let Clip { sample_rate_hz: from_hz, first_sample, .. } = *clip;
    let n_channels = clip.channels.len();
    // Starts at a time that falls on whole samples at both rates.
    let [to_step, from_step] = whole_ratio(rate_hz, from_hz).map(|n| i64::try_from(n).unwrap_or(1));
    let n_before = first_sample.rem_euclid(from_step);
    let shared = (first_sample - n_before) / from_step * to_step;
    let place = |sample: i64| sample as f64 / from_hz * rate_hz;
    let n_cut = place(n_before).floor() as usize;
    let n = place(clip.n_samples() as i64).ceil() as usize + 1;
    let mut at = -n_before;
    let mut read = |n: usize| {
        progress.check()?;
        let channel = |index: usize| {
            let mut samples = vec![0.0; n];
            clip.read(index, at, &mut samples);
            samples
        };
        let read = (0..n_channels).map(channel).collect();
        at += n as i64;
        Ok(read)
    };
    let mut channels = Resampled::new(from_hz, rate_hz, n_channels)?.next(n_cut + n, &mut read)?;
    channels.iter_mut().for_each(|samples| drop(samples.drain(..n_cut)));
    Ok(Clip { sample_rate_hz: rate_hz, first_sample: shared + n_cut as i64, channels: channels.into() })
}

impl Concern for Clipboard {
    fn advance(&mut self, context: &mut Context) {
        self.start_waiting(context);
        while let Some((operation, answer)) = self.queue.take_answer() {
            match (operation, answer) {
                (ClipboardJob::Lifting(lifting), Ok(held)) => self.take_lifted(*lifting, held, context),
                (ClipboardJob::Lifting(lifting), Err(error)) => {
                    context.fail(lifting.taking.verb(), &error);
                    // Later commands in the queue expect the sound of this copy.
                    self.queue.clear_waiting();
                }
                (ClipboardJob::Taking(at), Ok(held)) => {
                    self.paste_held(at.document, held, Some(at.secs), false, context)
                }
                (ClipboardJob::Fitting(id, to), Ok(held)) => put(id, held, to, context),
                (ClipboardJob::Taking(_) | ClipboardJob::Fitting(..), Err(error)) => context.fail("paste", &error),
            }
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |operation| match operation {
            ClipboardJob::Lifting(lifting) => lifting.taking.operation(),
            ClipboardJob::Taking(_) | ClipboardJob::Fitting(..) => PASTING,
        })
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.clear()
    }
}

impl Clipboard {
    /// Copies the selected sound of the document in front to the clipboard; a cut also removes it from the document.
    pub fn take(&mut self, taking: CopyWay, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let Some(selection) = document.selection().cloned() else { return };
        self.queue.push(Waiting::Lift { document: document.id(), selection, taking });
        // The window receives Ctrl+V only if the system's clipboard is not empty.
        context.send(BenchEvent::Copy("A sound, copied in Sonobrush".into()));
    }

    /// Pastes the last copy into the document in front: floating at the pointer or else the cursor, floating where it
    /// was copied from, or inserted at the cursor.
    pub fn paste(&mut self, way: PasteWay, context: &mut Context) {
        land(context);
        let pointed_secs = context.readout.map(|readout| readout.secs);
        let Some(document) = context.documents.active_mut() else { return };
        document.show_current();
        let at_secs = match way {
            PasteWay::Floating => Some(pointed_secs.unwrap_or(document.cursor_secs())),
            PasteWay::Inserting => Some(document.cursor_secs()),
            PasteWay::InPlace => None,
        };
        let (id, inserts) = (document.id(), way == PasteWay::Inserting);
        if self.is_busy(context) {
            // Waits for the copy that is in progress.
            self.queue.push(Waiting::Paste { document: id, at_secs, inserts });
        } else {
            self.paste_at(id, at_secs, inserts, context);
        }
    }

    fn paste_at(&mut self, id: u64, at_secs: Option<f64>, inserts: bool, context: &mut Context) {
        if let Some(held) = self.held.clone() {
            self.paste_held(id, held, at_secs, inserts, context);
        }
    }

    /// Floats or inserts a sound at a time in seconds; `None` is the time that it was copied from.
    fn paste_held(
        &mut self,
        id: u64,
        held: CopiedSelection,
        at_secs: Option<f64>,
        inserts: bool,
        context: &mut Context,
    ) {
        let Some(document) = context.documents.get(id) else { return notify_closed(context) };
        let start_secs = held.selection.extent()[0].map_or(held.clip.secs()[0], |[start, _]| start.max(0.0));
        let at_secs = at_secs.unwrap_or(start_secs);
        let to = if inserts { PasteTo::Inserted(at_secs) } else { PasteTo::Floating([at_secs - start_secs, 0.0]) };
        let rate_hz = document.history().current().sample_rate_hz();
        self.put_at_rate(id, held, to, rate_hz, context);
    }

    /// Lifts the part of `snapshot` that `edit` would erase, and floats it over a document. Leaves the clipboard
    /// unchanged.
    pub fn paste_part(&mut self, snapshot: Snapshot, edit: Edit, at: PasteAt, context: &mut Context) {
        // Places an earlier paste that is still floating.
        land_in(at.document, context);
        let Some(document) = context.documents.get_mut(at.document) else { return notify_closed(context) };
        document.show_current();
        let engine = context.engine.clone();
        let job = context.jobs.spawn("paste", move |progress| lift(&snapshot, &edit, &engine, progress));
        self.queue.drop_running(|operation| matches!(operation, ClipboardJob::Taking(_)));
        self.queue.run(ClipboardJob::Taking(at), job, context.now_secs());
    }

    fn put_at_rate(&mut self, id: u64, held: CopiedSelection, to: PasteTo, rate_hz: f64, context: &mut Context) {
        if held.clip.sample_rate_hz == rate_hz {
            put(id, held, to, context);
        } else {
            let job = context.jobs.spawn("fit", move |progress| fitted(&held, rate_hz, progress));
            self.queue.drop_running(|operation| matches!(operation, ClipboardJob::Fitting(..)));
            self.queue.run(ClipboardJob::Fitting(id, to), job, context.now_secs());
        }
    }

    /// Floats a sound of the library over a document.
    pub fn float_sound(&mut self, at: PasteAt, sound: PastedSound, context: &mut Context) {
        if !at.secs.is_finite() {
            return;
        }
        // Places an earlier paste that is still floating.
        land_in(at.document, context);
        let Some(document) = context.documents.get_mut(at.document) else { return notify_closed(context) };
        document.show_current();
        let secs = held(at.secs, [0.0, document.duration_secs()], 0.0);
        let hz = at.hz.filter(|hz| hz.is_finite()).map(|hz| held(hz, PLACE_HZ, PLACE_HZ[0]));
        let own_hz = sound.own_hz.filter(|hz| hz.is_finite() && *hz > 0.0);
        let is_linear = document.view().axis == Axis::Linear;
        let rate_hz = document.history().current().sample_rate_hz();
        let up = hz.zip(own_hz).map_or(0.0, |(hz, own_hz)| match is_linear {
            true => hz - own_hz,
            false => (hz / own_hz).log2().clamp(PASTE_UNITS[0], PASTE_UNITS[1]),
        });
        let selection = Selection::rectangle(Some(sound.clip.secs()), None, [0.0; 2], Axis::Linear);
        let held = CopiedSelection { clip: sound.clip, selection, range: None };
        self.put_at_rate(at.document, held, PasteTo::Floating([secs, up]), rate_hz, context);
    }

    /// Starts the next command once no other is in progress and the pending edits of its document are applied.
    fn start_waiting(&mut self, context: &mut Context) {
        match next_ready(&mut self.queue, context) {
            Some(Waiting::Lift { document, selection, taking }) => self.start(document, selection, taking, context),
            Some(Waiting::Paste { document, at_secs, inserts }) => {
                // Places an earlier paste that is still floating.
                land_in(document, context);
                self.paste_at(document, at_secs, inserts, context);
            }
            None => {}
        }
    }

    fn take_lifted(&mut self, lifting: Lifting, held: CopiedSelection, context: &mut Context) {
        let [start, end] = held.clip.secs();
        self.held = Some(held);
        let is_cut = lifting.taking != CopyWay::Copy;
        let what = if is_cut { "Cut" } else { "Copied" };
        context.notices.succeed(lifting.taking.verb());
        let what = format!("{what} {}.", length_from_secs(end - start, 3));
        let Some(document) = context.documents.get_mut(lifting.document) else {
            let advice = is_cut.then_some("Its file was closed, so it was copied, not cut.");
            return context.notify(Severity::Info, what, advice);
        };
        if is_cut {
            if !lifting.snapshot.is_same(document.history().current()) {
                let advice = Some("It is on the clipboard; the sound changed in the meantime and was not cut.");
                return context.notify(Severity::Warning, "Copied, not cut.", advice);
            }
            match lifting.taking {
                CopyWay::CutAndClose => {
                    let secs = lifting.edit.select.as_ref().and_then(|select| select.extent()[0]);
                    let edit = of_time(document, DeleteTime { fade_secs: FADE_SECS }, secs);
                    edit_document(document, edit, None);
                }
                CopyWay::Copy | CopyWay::Cut => document.edit(lifting.edit),
            }
        }
        context.notify(Severity::Info, what, Some("Ctrl+V pastes it at the pointer or the cursor."));
    }
}

fn put(id: u64, held: CopiedSelection, to: PasteTo, context: &mut Context) {
    match to {
        PasteTo::Floating(offset) => float(id, held, offset, context),
        PasteTo::Inserted(at_secs) => {
            let secs = held.selection.extent()[0].unwrap_or(held.clip.secs());
            let clip = held.range.unwrap_or_else(|| held.clip.between(secs));
            insert(id, clip, at_secs, context);
        }
    }
}

/// Inserts a clip at a time in seconds, and selects it.
fn insert(id: u64, clip: Clip, at_secs: f64, context: &mut Context) {
    let Some(document) = context.documents.get_mut(id) else { return notify_closed(context) };
    let inserted = [at_secs, at_secs + clip.n_samples() as f64 / clip.sample_rate_hz];
    let edit = of_time(document, Insert { at_secs, clip, fade_secs: FADE_SECS }, None);
    edit_document(document, edit, Some(inserted));
    context.notices.succeed("paste");
}

fn float(id: u64, held: CopiedSelection, offset: [f64; 2], context: &mut Context) {
    let Some(document) = context.documents.get(id) else { return notify_closed(context) };
    let axis = if document.view().axis == Axis::Linear { Axis::Linear } else { Axis::Log };
    let CopiedSelection { clip, selection, .. } = held;
    let rate_hz = clip.sample_rate_hz;
    let mut floating = Floating::new(FloatingSound::Clip(clip), selection, axis, rate_hz);
    floating.move_to(offset, 1.0);
    context.notices.succeed("paste");
    float_over(id, floating, "The pasted sound is floating: drag it, or move it with the arrow keys.", context);
}

fn notify_closed(context: &mut Context) {
    context.report(Some(Stale::Closed.report(PASTING)));
}
