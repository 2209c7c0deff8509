//! Strokes from their press until the sound shown holds them.

use super::live::Live;
use super::scene::{Scene, UPLOAD_BYTES_PER_FRAME};
use crate::base::{Error, trace};
use crate::document::brushes::{Brush, CloneSource};
use crate::document::{Edit, PenDown};
use crate::dsp::Point;
use crate::dsp::brush::Paste;
use crate::engine::Engine;
use crate::view::ChannelView;
use crate::workbench::Jobs;

/// What a stroke takes of another sound beyond where it reaches, so that frames of any transform at its edges are whole.
const TAKEN_BEYOND_SECS: f64 = 1.0;

/// Strokes that are drawn, and those that are released and not yet in the sound shown.
#[derive(Default)]
pub struct Strokes {
    /// In the order in which they were pressed; the pen may still be down for the last.
    live: Vec<Live>,
    /// Released, but not yet in the sound shown.
    pending: Vec<(Edit, ChannelView)>,
    /// Strokes pressed so far.
    n_pressed: u64,
    /// Where the clone brush takes sound from.
    clone_source: Option<Point>,
}

impl Strokes {
    /// Drops everything: another document.
    pub fn clear(&mut self) {
        self.live.clear();
        self.pending.clear();
        self.clone_source = None;
    }

    /// The stroke whose pen is down.
    pub fn in_hand(&self) -> Option<&Live> {
        self.live.last().filter(|stroke| stroke.is_drawing())
    }

    /// The stroke whose pen is down.
    pub fn in_hand_mut(&mut self) -> Option<&mut Live> {
        self.live.last_mut().filter(|stroke| stroke.is_drawing())
    }

    /// The stroke whose pen is down, as far as it is drawn, with a number of its own.
    pub fn numbered(&self) -> Option<(u64, &Edit)> {
        Some((self.n_pressed, self.in_hand()?.edit()))
    }

    /// Whether the pen is down.
    pub fn is_painting(&self) -> bool {
        self.in_hand().is_some()
    }

    /// Whether no stroke is being drawn or previewed.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Whether the previews show every point so far.
    pub fn are_up_to_date(&self) -> bool {
        self.live.iter().all(Live::is_up_to_date)
    }

    /// Whether a preview waits to be sent to the device.
    pub fn have_waiting(&self) -> bool {
        self.live.iter().any(Live::has_waiting)
    }

    /// The pen goes down with an edit, on what the scene shows of these channels. False where the scene shows nothing of
    /// them.
    pub fn press(&mut self, edit: Edit, channels: ChannelView, scene: &Scene, engine: &Engine) -> bool {
        let Some(pen_down) = self.pen_down(self.pending.len(), scene, engine) else { return false };
        let Some(look) = scene.look(channels) else { return false };
        self.n_pressed += 1;
        self.live.push(Live::new(edit, look.set.clone(), look.level.clone(), pen_down));
        true
    }

    /// The pen is lifted: the finished edit.
    pub fn release(&mut self) -> Option<Edit> {
        let stroke = self.in_hand_mut()?;
        let (edit, channels) = (taken(stroke.release()), stroke.channels());
        self.pending.push((edit.clone(), channels));
        Some(edit)
    }

    /// Drops the stroke whose pen is down. Those before it were under the same previews: they are drawn again.
    pub fn cancel(&mut self, scene: &mut Scene, engine: &Engine) {
        self.live.clear();
        scene.drop_previews();
        for (n_before, (edit, channels)) in self.pending.iter().enumerate() {
            let Some(pen_down) = self.pen_down(n_before, scene, engine) else { break };
            let Some(look) = scene.look(*channels) else { break };
            let mut again = Live::new(edit.clone(), look.set.clone(), look.level.clone(), pen_down);
            again.release();
            self.live.push(again);
        }
    }

    /// What a stroke starts from, given how many of the pending edits came before it.
    fn pen_down(&self, n_pending: usize, scene: &Scene, engine: &Engine) -> Option<PenDown> {
        Some(PenDown {
            snapshot: scene.shown()?.clone(),
            pending: self.pending[..n_pending].iter().map(|(edit, _)| edit.clone()).collect(),
            engine: engine.clone(),
        })
    }

    /// Once a frame: takes answers of jobs and sends previews to the device, within a frame's budget. Returns the bytes
    /// sent, and what went wrong last.
    pub fn carry_on(&mut self, scene: &mut Scene, jobs: &Jobs) -> (usize, Option<Error>) {
        let _span = trace::span("carry on strokes");
        let (mut sent_bytes, mut fault) = (0, None);
        // One after another: a later stroke starts from what an earlier one will look like.
        while let Some(stroke) = self.live.first_mut() {
            let room_bytes = UPLOAD_BYTES_PER_FRAME.saturating_sub(sent_bytes).max(1);
            match stroke.advance(scene, jobs, room_bytes) {
                Ok(bytes) => sent_bytes += bytes,
                Err(error) => fault = Some(error),
            }
            if !stroke.is_done() || stroke.is_drawing() {
                break;
            }
            self.live.remove(0);
        }
        (sent_bytes, fault)
    }

    /// The sound shown is a new one: it holds the first of the pending edits.
    pub fn note_new_sound(&mut self) {
        if !self.pending.is_empty() {
            self.pending.remove(0);
        }
    }

    /// No edit is in progress: the sound shown holds all that will come.
    pub fn forget_pending(&mut self) {
        self.pending.clear();
    }

    /// Where the clone brush takes sound from, as it was clicked.
    pub fn clone_source(&self) -> Option<Point> {
        self.clone_source
    }

    /// The clone brush takes sound from there.
    pub fn set_clone_source(&mut self, source: Point) {
        self.clone_source = Some(source);
    }

    /// Where the clone brush takes sound from: the place that was clicked, and under a stroke the place that goes along.
    pub fn clone_source_now(&self) -> Option<Point> {
        let source = self.clone_source?;
        let in_hand = self.in_hand().map(|live| (&live.edit().brush, live.stroke()));
        let Some((Brush::Clone(CloneSource { offset }), Some(stroke))) = in_hand else { return Some(source) };
        let last = stroke.points.last()?;
        let hz = stroke.axis.hz_from_units(stroke.axis.units_from_hz(last.hz) + offset[1]);
        Some(Point { secs: last.secs + offset[0], hz, pressure: 1.0 })
    }
}

/// An edit that holds no more of another sound than its stroke needs.
fn taken(edit: Edit) -> Edit {
    match (edit.brush, &edit.stroke) {
        (Brush::Paste(paste), Some(stroke)) => {
            let [secs, _] = stroke.reach();
            let clip = paste.clip.between([secs[0] - TAKEN_BEYOND_SECS, secs[1] + TAKEN_BEYOND_SECS]);
            Edit { brush: Paste { clip, ..paste }.into(), ..edit }
        }
        (brush, _) => Edit { brush, ..edit },
    }
}
