//! Copy, cut and paste of what a selection holds. The sound is lifted off and resampled in jobs; a paste floats over the
//! document until it is put down.

use super::app::Studio;
use super::commands::Command;
use super::jobs::{Job, Jobs};
use super::notices::Level;
use super::state::{Floating, OpenDocument};
use super::theme;
use crate::base::{Progress, Result};
use crate::document::{Edit, Snapshot, erasing, lifted, resolve};
use crate::dsp::{Axis, Clip, Selection};
use crate::engine::Engine;
use crate::media::Resampler;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What was copied last; it outlives its document.
#[derive(Default)]
pub struct Clipboard {
    held: Option<Held>,
    /// Commands in the order given; each begins once those before it and the edits before it are done.
    waiting: VecDeque<Waiting>,
    lifting: Option<Lifting>,
    fitting: Option<(u64, [f64; 2], Job<Held>)>,
}

/// A command that waits for others.
#[derive(Debug)]
enum Waiting {
    /// Takes what was selected when the command was given.
    Lift { document: u64, selection: Selection, is_cut: bool },
    /// Pastes, in seconds from the start, or where the sound was taken from.
    Paste { document: u64, at_secs: Option<f64> },
}

/// A selection's sound, and the selection.
#[derive(Debug, Clone)]
struct Held {
    clip: Clip,
    selection: Selection,
}

struct Lifting {
    document: u64,
    snapshot: Snapshot,
    edit: Edit,
    is_cut: bool,
    started_secs: f64,
    job: Job<Held>,
}

impl Clipboard {
    /// Whether something was copied.
    pub fn has_clip(&self) -> bool {
        self.held.is_some()
    }

    /// Whether something is being copied, cut or fitted.
    pub fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || self.is_working()
    }

    fn is_working(&self) -> bool {
        self.lifting.is_some() || self.fitting.is_some()
    }

    /// Stops it; false if there was nothing.
    pub fn cancel(&mut self) -> bool {
        let was_busy = self.is_busy();
        self.waiting.clear();
        (self.lifting, self.fitting) = (None, None);
        was_busy
    }

    /// What is going on: words, the part that is done, when it began.
    pub fn work(&self) -> Option<(&'static str, f32, f64)> {
        let lifting = self.lifting.as_ref()?;
        let words = if lifting.is_cut { "Cutting" } else { "Copying" };
        Some((words, lifting.job.progress().fraction(), lifting.started_secs))
    }

    fn start(
        &mut self,
        document: &OpenDocument,
        selection: Selection,
        is_cut: bool,
        jobs: &Jobs,
        engine: &Engine,
        started_secs: f64,
    ) {
        let snapshot = document.shown().clone();
        let edit = erasing(selection, document.view.channels.edited(), document.view.stft);
        let (theirs, sound, engine) = (edit.clone(), snapshot.clone(), engine.clone());
        let job = jobs.spawn("copy", move |progress| lift(&sound, &theirs, &engine, progress));
        self.lifting = Some(Lifting { document: document.id, snapshot, edit, is_cut, started_secs, job });
    }
}

fn lift(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Held> {
    let selection = edit.select.clone().unwrap_or_default();
    let selection = match selection.needs_sound() {
        true => resolve(snapshot, &selection, edit.transform, &edit.channels, progress)?,
        false => selection,
    };
    Ok(Held { clip: lifted(snapshot, edit, engine, progress)?, selection })
}

/// The same sound at another rate.
fn fitted(held: &Held, rate_hz: f64, progress: &Progress) -> Result<Held> {
    let ratio = rate_hz / held.clip.sample_rate_hz;
    let n = (held.clip.n_samples() as f64 * ratio).ceil() as usize;
    let channel = |index: usize| {
        let mut resampler = Resampler::new(held.clip.sample_rate_hz, rate_hz, 1)?;
        let (mut samples, mut first) = (Vec::with_capacity(n), 0i64);
        while samples.len() < n {
            progress.check()?;
            let mut input = vec![0.0; resampler.frames_wanted()];
            held.clip.read(index, first, &mut input);
            first += input.len() as i64;
            samples.extend_from_slice(resampler.process(&input)?);
        }
        samples.truncate(n);
        Ok(samples)
    };
    let channels: Vec<Vec<f32>> = (0..held.clip.channels.len()).map(channel).collect::<Result<_>>()?;
    let first_sample = (held.clip.first_sample as f64 * ratio).round() as i64;
    let clip = Clip { sample_rate_hz: rate_hz, first_sample, channels: channels.into() };
    Ok(Held { clip, selection: held.selection.clone() })
}

impl Studio {
    /// Takes the selection's sound to the clipboard, and with a cut out of the document.
    pub(super) fn copy(&mut self, ctx: &egui::Context, is_cut: bool) {
        let Some(document) = &self.document else { return };
        let Some(selection) = document.selection.clone() else { return };
        self.clipboard.waiting.push_back(Waiting::Lift { document: document.id, selection, is_cut });
        // The system gives Ctrl+V to a window only where its own clipboard holds something.
        ctx.copy_text("A sound, copied in Sonobrush".into());
    }

    /// What was copied floats over the document: at the pointer's time or the cursor's, or where it came from.
    pub(super) fn paste(&mut self, is_in_place: bool) {
        if self.document.as_ref().is_some_and(|document| document.floating.is_some()) {
            self.land();
        }
        let Some(document) = &mut self.document else { return };
        document.show_before = false;
        let at_secs = match (&self.readout, is_in_place) {
            (_, true) => None,
            (Some(readout), false) => Some(readout.secs),
            (None, false) => Some(document.cursor_secs),
        };
        if self.clipboard.is_busy() {
            // What is being copied is what is meant.
            self.clipboard.waiting.push_back(Waiting::Paste { document: document.id, at_secs });
        } else {
            self.paste_at(at_secs);
        }
    }

    fn paste_at(&mut self, at_secs: Option<f64>) {
        let (Some(document), Some(held)) = (&self.document, &self.clipboard.held) else { return };
        let start_secs = held.selection.extent()[0].map_or(held.clip.secs()[0], |[start, _]| start.max(0.0));
        let offset = [at_secs.unwrap_or(start_secs) - start_secs, 0.0];
        let rate_hz = document.history.current().sample_rate_hz();
        let theirs = held.clone();
        if theirs.clip.sample_rate_hz == rate_hz {
            self.float(theirs, offset);
        } else {
            let job = self.services.jobs.spawn("fit", move |progress| fitted(&theirs, rate_hz, progress));
            self.clipboard.fitting = Some((document.id, offset, job));
        }
    }

    fn float(&mut self, held: Held, offset: [f64; 2]) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let Some(document) = &mut self.document else { return };
        let axis = if document.view.axis == Axis::Linear { Axis::Linear } else { Axis::Log };
        // Room for a version per place.
        let version = NEXT.fetch_add(1, Relaxed) << 32;
        let Held { clip, selection } = held;
        let mut floating = Floating { clip, from: selection, offset: [0.0; 2], axis, version };
        floating.move_to(offset, 1.0);
        document.floating = Some(floating);
        let what = "What you pasted floats: drag it, or move it with the arrow keys.".to_string();
        let advice = Some("Enter or a click beside it puts it down; Esc drops it.");
        self.notices.offer(self.services.clock.now_secs(), Level::Info, what, advice, Command::LandPaste);
    }

    /// Puts down what floats.
    pub(super) fn land(&mut self) {
        let Some(document) = &mut self.document else { return };
        let Some(floating) = document.floating.take() else { return };
        self.edits.push(document.id, floating.edit(document));
        document.select(Some(floating.selection()));
        self.notices.withdraw(Command::LandPaste);
    }

    /// Drops what floats; false if nothing does.
    pub(super) fn drop_floating(&mut self) -> bool {
        let dropped = self.document.as_mut().and_then(|document| document.floating.take()).is_some();
        if dropped {
            self.audition.drop_stroke();
            self.notices.withdraw(Command::LandPaste);
        }
        dropped
    }

    /// Once a frame: takes answers, and starts what waited for edits.
    pub(super) fn poll_clipboard(&mut self, engine: &Engine) {
        let now_secs = self.services.clock.now_secs();
        if !self.clipboard.is_working() && !self.edits.is_busy() {
            self.start_waiting(engine, now_secs);
        }
        if let Some(lifting) = &mut self.clipboard.lifting
            && let Some(answer) = lifting.job.poll()
            && let Some(lifting) = self.clipboard.lifting.take()
        {
            match answer {
                Ok(held) => self.take_lifted(lifting, held, now_secs),
                Err(error) => {
                    let doing = if lifting.is_cut { "cut" } else { "copy" };
                    self.notices.fail(now_secs, doing, &error);
                    // What was to be pasted is not there.
                    self.clipboard.waiting.clear();
                }
            }
        }
        if let Some((_, _, job)) = &mut self.clipboard.fitting
            && let Some(answer) = job.poll()
            && let Some((id, offset, _)) = self.clipboard.fitting.take()
        {
            match answer {
                Ok(held) if self.document.as_ref().is_some_and(|document| document.id == id) => {
                    self.float(held, offset)
                }
                Ok(_) => self.tell_closed(now_secs, "Pasting"),
                Err(error) => self.notices.fail(now_secs, "paste", &error),
            }
        }
    }

    fn start_waiting(&mut self, engine: &Engine, now_secs: f64) {
        let Some(waiting) = self.clipboard.waiting.pop_front() else { return };
        let current = self.document.as_ref();
        match waiting {
            Waiting::Lift { document, selection, is_cut } => match current.filter(|current| current.id == document) {
                Some(current) => {
                    self.clipboard.start(current, selection, is_cut, &self.services.jobs, engine, now_secs);
                }
                None => self.tell_closed(now_secs, if is_cut { "Cutting" } else { "Copying" }),
            },
            Waiting::Paste { document, at_secs } => match current.filter(|current| current.id == document) {
                Some(_) => {
                    // What was pasted before it floats still.
                    self.land();
                    self.paste_at(at_secs);
                }
                None => self.tell_closed(now_secs, "Pasting"),
            },
        }
    }

    fn tell_closed(&mut self, now_secs: f64, what: &str) {
        let what = format!("{what} had no effect: its file was closed meanwhile.");
        self.notices.tell(now_secs, Level::Warning, what, Some("Open the file again first."));
    }

    fn take_lifted(&mut self, lifting: Lifting, held: Held, now_secs: f64) {
        let [start, end] = held.clip.secs();
        self.clipboard.held = Some(held);
        let what = if lifting.is_cut { "Cut" } else { "Copied" };
        self.notices.succeed(if lifting.is_cut { "cut" } else { "copy" });
        let what = format!("{what} {} s.", theme::number(end - start, 3));
        let Some(document) = self.document.as_mut().filter(|document| document.id == lifting.document) else {
            let advice = lifting.is_cut.then_some("Its file was closed meanwhile, so it was copied, not cut.");
            return self.notices.tell(now_secs, Level::Info, what, advice);
        };
        if lifting.is_cut {
            if !lifting.snapshot.is_same(document.history.current()) {
                let advice = Some("It is on the clipboard; the sound has changed since, and was left as it is.");
                return self.notices.tell(now_secs, Level::Warning, "Copied, not cut.", advice);
            }
            document.show_before = false;
            self.edits.push(document.id, lifting.edit);
        }
        self.notices.tell(now_secs, Level::Info, what, Some("Ctrl+V pastes it at the pointer or the cursor."));
    }
}
