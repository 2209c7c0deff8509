//! Previews of strokes, from pen down until the displayed sound includes their edit.

use super::pen::{StartedStroke, StrokeAct};
use super::stroke::LiveStroke;
use super::stroke_display::ShownStroke;
use crate::base::{Error, trace};
use crate::bench::context::{Concern, Context};
use crate::document::brushes::Brush;
use crate::document::{Edit, PenDown, Snapshot};
use crate::documents::OpenDocument;
use crate::dsp::strokes::brush::Paste;
use crate::engine::Engine;
use crate::services::Jobs;

/// Seconds by which a stored clip extends beyond its stroke on either side, so that frames at the edges are complete.
const STROKE_MARGIN_SECS: f64 = 1.0;

/// The stroke being drawn, and released strokes that the displayed sound does not include yet.
#[derive(Default)]
pub struct LiveStrokes {
    /// Strokes whose preview is not complete, in order of drawing; the pen may still be down for the last.
    live: Vec<LiveStroke>,
    /// Released strokes that the displayed sound does not include yet.
    pending: Vec<StartedStroke>,
    /// Number of strokes started so far, which identifies the last.
    n_pressed: u64,
    /// Whether previews that were handed out already have become invalid.
    is_void: bool,
    /// Id of the document in front, and its displayed sound.
    shown: Option<(u64, Snapshot)>,
}

impl LiveStrokes {
    /// Performs an act on the stroke being drawn. Returns the finished edit when the pen is lifted.
    pub fn act(&mut self, act: StrokeAct, document: &OpenDocument, engine: &Engine) -> Option<Edit> {
        match act {
            StrokeAct::Begin(started) => {
                self.follow(Some(document));
                let pen_down = self.pen_down(self.pending.len(), document, engine);
                self.n_pressed += 1;
                self.live.push(LiveStroke::new(*started, pen_down));
                None
            }
            StrokeAct::Extend { points, tiles } => {
                if let Some(stroke) = self.live.last_mut().filter(|stroke| stroke.is_drawing()) {
                    stroke.extend(&points, tiles);
                }
                None
            }
            StrokeAct::End => {
                let stroke = self.live.last_mut().filter(|stroke| stroke.is_drawing())?;
                let started = stroke.release();
                let edit = taken(started.edit);
                self.pending.push(StartedStroke { edit: edit.clone(), ..started });
                Some(edit)
            }
            StrokeAct::Cancel => {
                if self.is_painting() {
                    self.cancel(document, engine);
                }
                None
            }
        }
    }

    /// Call once a frame: drops strokes that the displayed sound now includes; all of them if another document is in
    /// front.
    pub fn follow(&mut self, document: Option<&OpenDocument>) {
        let Some(document) = document else {
            *self = LiveStrokes { n_pressed: self.n_pressed, ..LiveStrokes::default() };
            return;
        };
        let (id, pictured) = (document.id(), document.pictured());
        match &self.shown {
            Some((known, _)) if *known != id => {
                *self = LiveStrokes { n_pressed: self.n_pressed, ..LiveStrokes::default() };
            }
            // A new sound includes the first of the pending edits.
            Some((_, shown)) if !shown.is_same(pictured) && !self.pending.is_empty() => _ = self.pending.remove(0),
            _ => {}
        }
        if self.shown.as_ref().is_none_or(|(known, shown)| *known != id || !shown.is_same(pictured)) {
            self.shown = Some((id, pictured.clone()));
        }
        for stroke in &mut self.live {
            stroke.poll();
        }
    }

    /// Call when no edit is pending: the displayed sound includes all released strokes.
    pub fn forget_pending(&mut self) {
        if !self.is_painting() {
            self.pending.clear();
        }
    }

    /// The number and edit of the stroke being drawn.
    pub fn in_progress(&self) -> Option<(u64, &Edit)> {
        let stroke = self.live.last().filter(|stroke| stroke.is_drawing())?;
        Some((self.n_pressed, stroke.edit()))
    }

    /// Whether the pen is down.
    pub fn is_painting(&self) -> bool {
        self.in_progress().is_some()
    }

    /// Whether no stroke is drawn or previewed, and the displayed sound includes all strokes.
    pub fn is_at_rest(&self) -> bool {
        self.live.is_empty() && self.pending.is_empty()
    }

    /// Whether the previews of all points so far have been taken.
    pub fn is_up_to_date(&self) -> bool {
        !self.is_void && self.live.iter().all(LiveStroke::is_up_to_date)
    }

    /// Whether a preview is ready to be taken.
    pub fn has_waiting(&self) -> bool {
        self.is_void || self.live.iter().any(LiveStroke::has_waiting)
    }

    /// Takes previews of about `budget_bytes`, in whole frames, and starts the next steps. Also returns the last error,
    /// which ends a preview but not its stroke, or leaves it to the CPU.
    pub fn take_shown(&mut self, budget_bytes: usize, jobs: &Jobs) -> (Vec<ShownStroke>, Option<Error>) {
        let _span = trace::span("carry on strokes");
        let (mut shown, mut sent_bytes, mut fault) = (Vec::new(), 0, None);
        if std::mem::take(&mut self.is_void) {
            shown.push(ShownStroke::Void);
        }
        // One stroke after another, since a later one is painted over the result of an earlier one.
        while let Some(stroke) = self.live.first_mut() {
            stroke.poll();
            fault = stroke.take_fault().or(fault);
            let room_bytes = budget_bytes.saturating_sub(sent_bytes).max(1);
            sent_bytes += stroke.take_waiting(room_bytes, &mut shown);
            stroke.carry_on(jobs);
            if !stroke.is_done() || stroke.is_drawing() {
                break;
            }
            self.live.remove(0);
        }
        (shown, fault)
    }

    /// Drops the stroke being drawn. The previews of earlier pending strokes are computed again.
    fn cancel(&mut self, document: &OpenDocument, engine: &Engine) {
        self.live.clear();
        self.is_void = true;
        for (n_before, started) in self.pending.iter().enumerate() {
            let mut again = LiveStroke::new(started.clone(), self.pen_down(n_before, document, engine));
            again.release();
            self.live.push(again);
        }
    }

    /// The state from which a stroke starts, after `n_pending` of the pending edits.
    fn pen_down(&self, n_pending: usize, document: &OpenDocument, engine: &Engine) -> PenDown {
        PenDown {
            snapshot: document.pictured().clone(),
            pending: self.pending[..n_pending].iter().map(|started| started.edit.clone()).collect(),
            engine: engine.clone(),
        }
    }
}

/// The edit with a pasted clip trimmed to the reach of its stroke.
fn taken(edit: Edit) -> Edit {
    match (edit.brush, &edit.stroke) {
        (Brush::Paste(paste), Some(stroke)) => {
            let [secs, _] = stroke.reach();
            let clip = paste.clip.between([secs[0] - STROKE_MARGIN_SECS, secs[1] + STROKE_MARGIN_SECS]);
            Edit { brush: Paste { clip, ..paste }.into(), ..edit }
        }
        (brush, _) => Edit { brush, ..edit },
    }
}

impl Concern for LiveStrokes {
    fn advance(&mut self, context: &mut Context) {
        let document = context.documents.active();
        self.follow(document);
        if !document.is_some_and(|document| document.edits().is_busy()) {
            self.forget_pending();
        }
    }

    fn is_busy(&self, _: &Context) -> bool {
        !self.is_up_to_date()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}
