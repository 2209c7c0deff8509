//! Shows a floating paste in the picture: computes the sound with the paste, again after each move.

use crate::base::{Progress, Result};
use crate::bench::context::Context;
use crate::document::{Edit, Snapshot, apply, apply_live};
use crate::documents::{Floating, OpenDocument, PendingClearing};
use crate::engine::Engine;
use crate::services::{JobQuestion, Latest};

/// A job that takes longer is restarted when the paste has moved; shorter ones finish, so that the picture follows the
/// pointer.
const MAX_UNRESTARTED_SECS: f64 = 0.3;

/// Place of the floating paste, and the sound below it.
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

/// The sound with the paste, and the clearing if it was recomputed.
type PasteMixResult = (Snapshot, Option<PendingClearing>);

/// Computes what the canvas shows of a floating paste.
#[derive(Default)]
pub struct Floated {
    seen: Latest<PastePlace, PasteMixResult>,
    since_secs: f64,
}

impl Floated {
    /// Once a frame: takes the job's result, and starts another if the paste has moved.
    pub fn advance(&mut self, context: &mut Context) {
        let (now_secs, engine) = (context.now_secs(), context.engine.clone());
        let Some(document) = context.documents.active_mut() else { return };
        let is_busy = document.edits().is_busy();
        let Some((place, edit, clearing)) = floating(document) else {
            self.seen.clear();
            // What was placed is seen until it is in the history.
            if !is_busy {
                document.set_floated(None);
            }
            return;
        };
        if self.seen.take_news()
            && let Some((of, (snapshot, clearing))) = self.seen.last().filter(|(of, _)| of.document == place.document)
        {
            document.set_floated(Some(snapshot.clone()));
            // Another paste may float by now.
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

    /// Whether anything is computed.
    pub fn is_busy(&self) -> bool {
        self.seen.is_busy()
    }
}

/// The place of a floating sound, its edit and its clearing. Notes and pictures are drawn as such instead.
fn floating(document: &OpenDocument) -> Option<(PastePlace, Edit, Option<PendingClearing>)> {
    let floating: &Floating = document.floating().filter(|floating| floating.clip().is_some())?;
    let base = document.history().current().clone();
    let place = PastePlace { document: document.id(), version: floating.version, base };
    Some((place, floating.heard(document.view()), floating.clearing.clone()))
}

/// The picture of a paste over a sound.
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
