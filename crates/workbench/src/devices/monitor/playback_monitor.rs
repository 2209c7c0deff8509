//! Passes the sound of the document in front to the player, and reports the player's state.

use super::audition::{Audition, AuditionContext, Hearing, StrokeInProgress};
use super::difference::{Difference, DifferenceMeter};
use super::note_recorder::{NoteRecorder, voice_of_keys};
use super::outputs::OutputJobs;
use super::transport::{GAIN_DB, HeldBrush, ManualSound, Transport};
use crate::base::Note;
use crate::bench::context::{Concern, Context};
use crate::bench::limits::held;
use crate::bench::work::JobStatus;
use crate::document::brushes::Brush;
use crate::document::{Edit, HeldPoint, Snapshot};
use crate::playback::{AudioOutput, Voice};

/// The player and the sounds that it plays.
pub struct PlaybackMonitor {
    pub(crate) transport: Transport,
    audition: Audition,
    differing: DifferenceMeter,
    difference: Option<Difference>,
    /// Time at which computing the selection alone began; `None` while it is not being computed.
    preparing_since_secs: Option<f64>,
    choosing: OutputJobs,
    take: NoteRecorder,
}

impl Concern for PlaybackMonitor {
    fn advance(&mut self, context: &mut Context) {
        let is_delta = self.audition.hearing == Hearing::Delta;
        self.difference = self.differing.follow(context.documents.active(), is_delta, &context.jobs);
        let now_secs = context.now_secs();
        self.preparing_since_secs =
            self.audition.work().is_some().then(|| self.preparing_since_secs.unwrap_or(now_secs));
        self.choosing.advance(context);
    }

    fn work(&self, context: &Context) -> Option<JobStatus> {
        let since_secs = self.preparing_since_secs.unwrap_or(context.now_secs());
        self.audition.work().map(|part| JobStatus { name: "Preparing playback", part, since_secs })
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.audition.is_busy() || self.differing.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.audition.cancel()
    }
}

impl PlaybackMonitor {
    /// A monitor that plays nothing yet.
    pub fn new(output: Box<dyn AudioOutput>) -> PlaybackMonitor {
        PlaybackMonitor {
            transport: Transport::new(output),
            audition: Audition::default(),
            differing: DifferenceMeter::default(),
            difference: None,
            preparing_since_secs: None,
            choosing: OutputJobs::default(),
            take: NoteRecorder::default(),
        }
    }

    /// The transport, with the state of the player.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The part of the sound that is played.
    pub fn hearing(&self) -> Hearing {
        self.audition.hearing
    }

    /// Level of the last edit's change; `None` until it is measured, and unless the difference is played.
    pub fn difference(&self) -> Option<Difference> {
        self.difference
    }

    /// Whether the selection alone is being computed for playback.
    pub fn is_preparing(&self) -> bool {
        self.preparing_since_secs.is_some()
    }

    /// Toggles between playing this part of the sound and everything.
    pub fn toggle(&mut self, hearing: Hearing) {
        self.audition.hearing = if self.audition.hearing == hearing { Hearing::All } else { hearing };
    }

    /// Plays everything again, if only the last change was played.
    pub fn play_all(&mut self) {
        if self.audition.hearing == Hearing::Delta {
            self.audition.hearing = Hearing::All;
        }
    }

    /// Drops the stroke being drawn or the floating paste, and returns to the sound it started from.
    pub fn drop_stroke(&mut self) {
        self.audition.drop_stroke();
    }

    /// Plays a sound of the library once, in place of the document.
    pub fn play_library_sound(&mut self, snapshot: &Snapshot, gain_db: f64) {
        self.transport.audition(snapshot, held(gain_db, GAIN_DB, 0.0));
    }

    /// Stops the library sound.
    pub fn end_library_sound(&mut self) {
        self.transport.end_audition();
    }

    /// Updates the player's sound: the document in front, including the stroke being drawn.
    pub fn follow(&mut self, in_progress: Option<(u64, &Edit)>, context: &mut Context) {
        let now_secs = context.now_secs();
        let mut fault = None;
        let sound = context.documents.active().and_then(|document| {
            let around = AuditionContext {
                jobs: &context.jobs,
                engine: &context.engine,
                now_secs,
                transport: &self.transport,
                is_busy: document.edits().is_busy(),
            };
            // A floating paste is audible at its current position, like a stroke being drawn.
            let floating = document.floating().map(|floating| (floating.version, floating.heard(document.view())));
            let in_progress = in_progress.or(floating.as_ref().map(|(id, edit)| (*id, edit)));
            let in_progress = in_progress.map(|(id, edit)| StrokeInProgress { id, edit });
            let (sound, why) = self.audition.advance(document, in_progress, &around);
            fault = why;
            sound
        });
        if let Some(fault) = fault {
            context.fail("play the selection alone", &fault);
        } else if self.audition.has_selection_alone() {
            context.notices.succeed("play the selection alone");
        }
        self.transport.follow(context.documents.active(), sound, now_secs);
        if let Some(fault) = self.transport.status.fault.take() {
            context.fail("play", &fault);
        } else if self.transport.status.has_sounded {
            // Does not test `playing`, which is set even before the device has accepted any sound.
            context.notices.succeed("play");
        }
    }

    /// Updates scrubbing and the sound played by hand; records the notes of the keyboard during a take.
    pub fn follow_hand(&mut self, scrub_secs: Option<f64>, played: Option<Played<'_>>, context: &mut Context) {
        let sound = played.as_ref().and_then(sound_of);
        let keys = match played {
            Some(Played::Keys(notes, _)) => notes,
            Some(Played::Stroke(..)) | None => &[],
        };
        self.follow_take(keys, context);
        self.transport.follow_hand(context.documents.active(), scrub_secs, sound);
    }

    /// The notes being recorded.
    pub fn take(&self) -> &NoteRecorder {
        &self.take
    }

    /// Starts or stops recording notes.
    pub fn toggle_take(&mut self) {
        self.take.toggle();
    }

    /// Updates the take, which lasts as long as its document plays. The first key pressed while stopped starts
    /// playback.
    fn follow_take(&mut self, keys: &[i32], context: &mut Context) {
        let id = context.documents.active_id();
        let goes_on = self.take.is_on() && self.transport.status.playing && self.take.document() == id;
        if self.take.document().is_some() && !goes_on {
            self.finish_take(context);
        }
        let document = context.documents.active().filter(|document| document.open_preview().is_none());
        let Some(document) = document.filter(|_| self.take.is_on()) else { return self.take.note_keys(keys) };
        if !self.transport.status.playing && self.take.has_new(keys) {
            self.transport.play(document);
        }
        match self.transport.playhead_secs() {
            Some(at_secs) => self.take.follow(document.id(), keys, at_secs),
            None => self.take.note_keys(keys),
        }
    }

    /// Adds the recorded notes to their document as one edit; while a preview is open, they wait until it is closed.
    pub fn finish_take(&mut self, context: &mut Context) {
        let Some(id) = self.take.document() else { return };
        let settings = context.tools.settings();
        let voice = voice_of_keys(context.tools.brush().as_ref(), settings.voice());
        let (strength, quantise) = (settings.strength, settings.note_quantise);
        let Some(document) = context.documents.get_mut(id) else { return self.take.forget() };
        if document.open_preview().is_some() {
            return;
        }
        let edit = self.take.finish((voice, strength), document.view(), document.beat(), quantise);
        match edit {
            Ok(edit) => edit.into_iter().for_each(|edit| document.edit(edit)),
            Err(error) => context.fail("record the notes", &error),
        }
    }

    /// Asks the user for the playback device.
    pub fn ask_outputs(&mut self, context: &Context) {
        self.choosing.ask(&self.transport, context);
    }

    /// Switches to another playback device.
    pub fn choose_output(&mut self, device: Option<String>, buffer_frames: u32) {
        self.choosing.choose(device, buffer_frames, &mut self.transport);
    }
}

/// A sound played by hand.
#[derive(Debug)]
pub enum Played<'a> {
    /// A stroke being drawn, with its number.
    Stroke(u64, &'a Edit),
    /// Pressed keys, as MIDI numbers in ascending order, and a stroke at the lowest.
    Keys(&'a [i32], &'a Edit),
}

/// The sound to play; `None` for a brush that makes none while it is held.
fn sound_of(played: &Played<'_>) -> Option<ManualSound> {
    let (Played::Stroke(_, edit) | Played::Keys(_, edit)) = played;
    let stroke = edit.stroke.as_ref()?;
    let point = stroke.points.last()?;
    if let Brush::Tone(tone) = &edit.brush {
        let level = stroke.strength * edit.strength * point.pressure;
        let partials = tone.partials().into_iter().map(|(ratio, amplitude)| (ratio, level * amplitude)).collect();
        return Some(ManualSound::Tone(Voice { hz: point.hz, partials }, matches!(played, Played::Keys(..))));
    }
    if !edit.brush.is_live() {
        return None;
    }
    let pressure = (stroke.strength * point.pressure).clamp(0.0, 1.0);
    let (stroke, points) = match played {
        Played::Stroke(number, _) => (Some(*number), vec![HeldPoint { key: 0, hz: point.hz, pressure }]),
        Played::Keys(notes, _) => {
            let at = |note: &i32| HeldPoint { key: *note as u64, hz: Note { midi: *note, cents: 0.0 }.hz(), pressure };
            (None, notes.iter().map(at).collect())
        }
    };
    Some(ManualSound::Live(HeldBrush { brush: edit.brush.clone(), points, stroke }))
}
