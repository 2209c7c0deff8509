//! Damage that was found in a document, and what became of it since.

use crate::document::brushes::{Brush, Declip, Isolate};
use crate::document::{Damage, DamageKind, DeclipLevels, Edit, Entry, History};
use crate::dsp::{Axis, Combine, NoiseFrom, Selection, Shape, ShapeExtent};

/// The damage of a document's sound as it was at one step of its history.
#[derive(Debug, Clone)]
pub struct FoundDamage {
    /// The step whose sound was looked at.
    step: Entry,
    rows: Vec<Damage>,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamageState {
    /// It can be repaired.
    Found,
    /// It was repaired.
    Repaired,
    /// The sound was changed since: where and how much is no longer known.
    Stale,
}

impl FoundDamage {
    /// What was found at a step.
    pub(crate) fn new(step: Entry, rows: Vec<Damage>) -> FoundDamage {
        FoundDamage { step, rows }
    }

    /// Each finding.
    pub fn rows(&self) -> &[Damage] {
        &self.rows
    }

    /// What became of each finding, by the steps of the history up to its position: an undone repair counts no more.
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

/// Whether an edit is a repair, whichever settings it was given.
fn is_repair(edit: &Edit, repair: &Edit) -> bool {
    let is_alike = edit.brush.kind() == repair.brush.kind() && edit.stroke.is_none();
    is_alike && edit.channels == repair.channels && edit.select == repair.select
}

/// Whether the repair of one finding changes what another says: without its hum or offset a wave is no longer clipped
/// at one level. Rooms and sibilants are not looked for in noise, so its repair outdates none of them.
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

/// The places of a finding as a selection, and what one of them is called; all of the sound where it has none.
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

/// Ranges of time or bands that belong together.
fn group(places: impl Iterator<Item = ShapeExtent>) -> Selection {
    let shape = |[secs, hz]: ShapeExtent| Shape::Rectangle { secs, hz, feather: [0.0; 2], axis: Axis::Linear };
    Selection::of(Shape::Group(Selection { shapes: places.map(|place| (Combine::Add, shape(place))).collect() }))
}

/// The brush of a repair as the window is set to it. Levels of clipping are found again, and the noise is another's:
/// settings of the window are for any sound.
pub(crate) fn brush_of(repair: &Edit) -> Brush {
    match &repair.brush {
        Brush::Declip(declip) => Declip { levels: DeclipLevels::Found, ..*declip }.into(),
        Brush::Isolate(isolate) => Isolate { noise: None, ..isolate.clone() }.into(),
        other => other.clone(),
    }
}

/// The noise that a repair learns; `None` if it learns none.
pub(crate) fn noise_of(brush: &Brush) -> Option<NoiseFrom> {
    match brush {
        Brush::Isolate(isolate) => isolate.noise.clone(),
        _ => None,
    }
}
