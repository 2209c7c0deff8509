//! A longer sound: by a card, or since something was drawn or pasted past the end.

use super::app::Studio;
use super::cards::Card;
use super::commands::Command;
use super::notices::Level;
use super::theme;
use crate::document::{Channels, Edit};
use crate::dsp::Brush;

/// An edit that went past the end, and how much is missing.
#[derive(Debug, Clone)]
pub struct PastEnd {
    document: u64,
    edit: Edit,
    secs: f64,
}

impl Studio {
    /// Says that an edit went past the end, and offers room for it.
    pub(super) fn offer_room(&mut self, edit: Edit, past_secs: f64, now_secs: f64) {
        let Some(document) = &self.document else { return };
        // The soft end of a stroke is part of it, and so is the fade of the last window.
        let soft_secs = edit.stroke.as_ref().map_or(0.0, |stroke| stroke.radius[0]);
        let window_secs = edit.transform.n_fft as f64 / 2.0 / document.history.current().sample_rate_hz();
        let what = format!("This goes {} s past the end of the sound.", theme::number(past_secs, 2));
        let secs = past_secs + soft_secs.max(window_secs);
        self.past_end = Some(PastEnd { document: document.id, edit, secs });
        let advice = Some("With a longer sound all of it has room.");
        self.notices.offer(now_secs, Level::Info, what, advice, Command::Lengthen);
    }

    /// Makes room for the edit that went past the end, or asks how much longer the sound should be.
    pub(super) fn lengthen(&mut self) {
        let Some(document) = &mut self.document else { return };
        let history = &document.history;
        let last = history.entries().get(history.position()).and_then(|entry| entry.edit.as_ref());
        match self.past_end.take().filter(|past| past.document == document.id && !self.edits.is_busy()) {
            // The edit is done again, whole, where its part is in the history.
            Some(past) => {
                if last == Some(&past.edit) {
                    document.history.undo();
                }
                self.lengthen_by(past.secs);
                self.edits.push(past.document, past.edit);
            }
            None => self.card = Some(Card::Lengthen { secs: 1.0 }),
        }
    }

    /// Adds silence at the end.
    pub(super) fn lengthen_by(&mut self, secs: f64) {
        let Some(document) = &mut self.document else { return };
        document.show_before = false;
        let edit = Edit {
            brush: Brush::Lengthen { secs },
            stroke: None,
            select: None,
            channels: Channels::All,
            transform: document.view.stft,
            strength: 1.0,
            consistency_steps: None,
        };
        self.edits.push(document.id, edit);
    }

    /// A view of the whole sound stays one when the sound grows.
    pub(super) fn follow_length(&mut self) {
        let Some(document) = &mut self.document else { return };
        let history = &document.history;
        let Some(before) = history.position().checked_sub(1).and_then(|at| history.entries().get(at)) else { return };
        let before_secs = before.snapshot.n_samples() as f64 / before.snapshot.sample_rate_hz();
        if document.view.secs[0] <= 0.0 && document.view.secs[1] >= before_secs - 1e-9 {
            document.view.secs = [0.0, document.duration_secs()];
        }
    }
}
