//! Damage found in a document, and whether it has been repaired since.

use crate::document::brushes::{Brush, Declip, Isolate};
use crate::document::{Damage, DamageKind, DeclipLevels, Edit, Entry, History};
use crate::dsp::{Axis, Combine, NoiseSource, Selection, Shape, ShapeExtent};

/// The damage of a document's sound as it was at one step of its history.
#[derive(Debug, Clone)]
pub struct FoundDamage {
    /// The step whose sound was searched.
    step: Entry,
    rows: Vec<Damage>,
}

/// State of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamageState {
    /// It can be repaired.
    Found,
    /// It was repaired.
    Repaired,
    /// The sound has changed since: place and amount are no longer known.
    Stale,
}

impl FoundDamage {
    /// The findings at a step.
    pub(crate) fn new(step: Entry, rows: Vec<Damage>) -> FoundDamage {
        FoundDamage { step, rows }
    }

    /// All findings.
    pub fn rows(&self) -> &[Damage] {
        &self.rows
    }

    /// State of each finding after the current step of the history; undone repairs don't count.
    pub fn states(&self, history: &History) -> Vec<DamageState> {
        let entries = &history.entries()[..=history.position()];
        let Some(at) = entries.iter().position(|entry| entry.is_same(&self.step)) else {
            return vec![DamageState::Stale; self.rows.len()];
        };
        let mut states = vec![DamageState::Found; self.rows.len()];
        for pair in entries[at..].windows(2) {
            let Some(edit) = pair[1].edit.as_ref().filter(|_| !pair[1].snapshot.is_same(&pair[0].snapshot)) else {
                continue;
            };
            let repaired = self.rows.iter().position(|row| is_repair(edit, &row.repair));
            for (at, (state, row)) in states.iter_mut().zip(&self.rows).enumerate() {
                *state = match *state {
                    DamageState::Found if Some(at) == repaired => DamageState::Repaired,
                    DamageState::Found if repaired.is_none_or(|by| outdates(&self.rows[by], row)) => DamageState::Stale,
                    same => same,
                };
            }
        }
        states
    }
}

/// Whether an edit is this repair, possibly with other settings.
fn is_repair(edit: &Edit, repair: &Edit) -> bool {
    let is_alike = edit.brush.kind() == repair.brush.kind() && edit.stroke.is_none();
    is_alike && edit.channels == repair.channels && edit.select == repair.select
}

/// Whether repairing one finding outdates another. Removing hum or a DC offset outdates clipping, since the clipped
/// samples are then no longer at a constant level. No other repair outdates a finding: reverberation and sibilants are
/// searched for only if there is no other damage, so they are never listed together with noise.
fn outdates(repaired: &Damage, other: &Damage) -> bool {
    match repaired.kind {
        DamageKind::Hum | DamageKind::Dc => other.kind == DamageKind::Clipping,
        DamageKind::Clipping
        | DamageKind::Clicks
        | DamageKind::Dropouts
        | DamageKind::Noise
        | DamageKind::Reverberation
        | DamageKind::Sibilants => false,
    }
}

/// The places of a finding as a selection, and a noun for one of them. Damage that affects the whole sound selects all
/// of it, without a noun.
pub(crate) fn places_of(damage: &Damage) -> (Selection, Option<&'static str>) {
    let one = match damage.kind {
        DamageKind::Clipping => "clipped passage",
        DamageKind::Clicks => "click",
        DamageKind::Hum => "hum line",
        DamageKind::Dc | DamageKind::Noise | DamageKind::Reverberation => {
            return (Selection::rectangle(None, None, [0.0; 2], Axis::Linear), None);
        }
        DamageKind::Dropouts => "dropout",
        DamageKind::Sibilants => "sibilant",
    };
    let selection = match (&damage.repair.select, damage.secs.is_empty()) {
        (Some(select), _) => select.clone(),
        (None, false) => group(damage.secs.iter().map(|secs| [Some(*secs), None])),
        (None, true) => group(damage.hz.iter().map(|hz| [None, Some(*hz)])),
    };
    (selection, Some(one))
}

/// Joins ranges of time or bands into one selection.
fn group(places: impl Iterator<Item = ShapeExtent>) -> Selection {
    let shape = |[secs, hz]: ShapeExtent| Shape::Rectangle { secs, hz, feather: [0.0; 2], axis: Axis::Linear };
    Selection::of(Shape::Group(Selection { shapes: places.map(|place| (Combine::Add, shape(place))).collect() }))
}

/// The brush of a repair as tool settings, which apply to any sound: without the measured clipping levels, which are
/// found again, and without the noise profile.
pub(crate) fn brush_of(repair: &Edit) -> Brush {
    match &repair.brush {
        Brush::Declip(declip) => Declip { levels: DeclipLevels::Found, ..*declip }.into(),
        Brush::Isolate(isolate) => Isolate { noise: None, ..isolate.clone() }.into(),
        other => other.clone(),
    }
}

/// The noise profile that a repair learns; `None` if it learns none.
pub(crate) fn noise_of(brush: &Brush) -> Option<NoiseSource> {
    match brush {
        Brush::Isolate(isolate) => isolate.noise.clone(),
        _ => None,
    }
}
