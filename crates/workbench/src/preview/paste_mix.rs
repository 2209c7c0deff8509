//! Computes the sound with a floating paste for the canvas; recomputes it after each move.

use crate::base::{Progress, Result};
use crate::bench::context::Context;
use crate::document::{Edit, Snapshot, apply, apply_live};
use crate::documents::{Floating, OpenDocument, PendingClearing};
use crate::engine::Engine;
use crate::services::{JobQuestion, Latest};

/// When the paste moves, a job that has run for longer is restarted. A shorter one finishes, so that the picture keeps
/// following the pointer.
const MAX_UNRESTARTED_SECS: f64 = 0.3;

/// Identifies the state of a floating paste, and the sound below it.
#[derive(Clone)]
struct PastePlace {
    document: u64,
    version: u64,
    base: Snapshot,
}

impl JobQuestion for PastePlace {
    fn is_same(&self, other: &PastePlace) -> bool {
        (self.document, self.version) == (other.document, other.version) && self.base.is_same(&other.base)
    }
}

/// The sound with the paste, and the clearing of the sound below it if that was recomputed.
type PasteMixResult = (Snapshot, Option<PendingClearing>);

/// Computes the sound that the canvas shows while a paste floats.
#[derive(Default)]
pub struct Floated {
    seen: Latest<PastePlace, PasteMixResult>,
    since_secs: f64,
}

impl Floated {
    /// Call once a frame: takes the job's result, and starts another if the paste has moved.
    pub fn advance(&mut self, context: &mut Context) {
        let (now_secs, engine) = (context.now_secs(), context.engine.clone());
        let Some(document) = context.documents.active_mut() else { return };
        let is_busy = document.edits().is_busy();
        let Some((place, edit, clearing)) = floating(document) else {
            self.seen.clear();
            // A paste that was placed stays visible until it is in the history.
            if !is_busy {
                document.set_floated(None);
            }
            return;
        };
        if self.seen.take_news()
            && let Some((of, (snapshot, clearing))) = self.seen.last().filter(|(of, _)| of.document == place.document)
        {
            document.set_floated(Some(snapshot.clone()));
            // The paste may have moved, or be another one, since the job started.
            if let Some(clearing) = clearing.clone().filter(|_| of.is_same(&place)) {
                document.set_clearing(clearing);
            }
        }
        if is_busy {
            return;
        }
        let work = move |of: &PastePlace, progress: &Progress| seen(&of.base, clearing, &edit, &engine, progress);
        let has_begun = match now_secs - self.since_secs < MAX_UNRESTARTED_SECS {
            true => self.seen.ask_in_turn(&place, &context.jobs, "floating paste", work),
            false => self.seen.ask(&place, &context.jobs, "floating paste", work),
        };
        if has_begun {
            self.since_secs = now_secs;
        }
    }

    /// Whether a job is in progress.
    pub fn is_busy(&self) -> bool {
        self.seen.is_busy()
    }
}

/// The state of a floating clip, its edit and its clearing. `None` for floating notes and pictures, which are drawn
/// without computing their sound.
fn floating(document: &OpenDocument) -> Option<(PastePlace, Edit, Option<PendingClearing>)> {
    let floating: &Floating = document.floating().filter(|floating| floating.clip().is_some())?;
    let base = document.history().current().clone();
    let place = PastePlace { document: document.id(), version: floating.version, base };
    Some((place, floating.heard(document.view()), floating.clearing.clone()))
}

/// The sound with a paste; first recomputes the clearing below it if that is outdated.
fn seen(
    base: &Snapshot,
    clearing: Option<PendingClearing>,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
) -> Result<PasteMixResult> {
    let is_known = clearing.as_ref().is_none_or(|clearing| clearing.base.is_same(base));
    let clearing = match clearing {
        Some(PendingClearing { edit, .. }) if !is_known => {
            let applied = apply(base, &edit, engine, progress)?;
            Some(PendingClearing { edit, base: base.clone(), applied })
        }
        clearing => clearing,
    };
    let beneath = clearing.as_ref().map_or(base, |clearing| &clearing.applied.snapshot);
    let snapshot = apply_live(beneath, edit, engine, progress)?.snapshot;
    Ok((snapshot, clearing.filter(|_| !is_known)))
}
