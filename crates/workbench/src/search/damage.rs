//! Performs acts on found damage: goes to a finding, or repairs it.

use super::places::step_to_places;
use crate::bench::acts::DamageAct;
use crate::bench::context::Context;
use crate::bench::work::OrderReport;
use crate::devices::monitor::PlaybackMonitor;
use crate::document::Damage;
use crate::documents::{DamageState, FoundDamage, OpenDocument, brush_of, noise_of, places_of};
use crate::preview::{PreviewKind, PreviewPlace, begin_preview_at};
use crate::settings::tools::Repair;
use crate::view::ChannelView;

/// Performs an act on the damage found in the document in front.
pub fn act_on_damage(act: DamageAct, monitor: &mut PlaybackMonitor, context: &mut Context) {
    match act {
        DamageAct::GoTo(at) => go_to(at, context),
        DamageAct::Repair(at) => repair(at, monitor, context),
        DamageAct::Clear => {
            if let Some(document) = context.documents.active_mut() {
                document.set_damage(None);
            }
        }
    }
}

/// The finding in row `at`, unless it is stale.
fn found(at: usize, document: &OpenDocument) -> Option<Damage> {
    let damage = document.damage()?;
    let state = damage.states(document.history()).get(at).copied()?;
    (state != DamageState::Stale).then(|| damage.rows().get(at).cloned())?
}

/// Selects all places of a finding and scrolls to the first; switches to an affected channel if another one is shown
/// alone.
fn go_to(at: usize, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let Some(damage) = found(at, document) else { return };
    if let ChannelView::One(channel) = document.view().channels
        && !damage.channels.contains(&channel)
        && let Some(&first) = damage.channels.first()
    {
        document.change_view(|view| view.channels = ChannelView::One(first));
    }
    let (selection, one) = places_of(&damage);
    match one {
        Some(one) => document.select_found(Some(selection), one),
        None => document.select(Some(selection)),
    }
    step_to_places(0, context);
}

/// Starts a preview of a finding's repair; applies it at once if there is no preview for its kind.
fn repair(at: usize, monitor: &mut PlaybackMonitor, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let Some(damage) = found(at, document) else { return };
    if document.open_preview().is_some() {
        return context.report(Some(OrderReport {
            is_success: false,
            what: "A preview is open, so nothing else was changed.".into(),
            advice: "Press Enter to apply it or Esc to cancel it first.",
        }));
    }
    let kind = damage.repair.brush.kind();
    match Repair::ALL.into_iter().find(|repair| repair.first().kind() == kind) {
        Some(repair) => {
            context.tools.change(|settings| settings.keep(brush_of(&damage.repair)));
            let noise = noise_of(&damage.repair.brush);
            let place = PreviewPlace { select: damage.repair.select, channels: damage.repair.channels, noise };
            begin_preview_at(PreviewKind::Repair(repair), Some(place), monitor, context);
        }
        None => {
            if let Some(document) = context.documents.active_mut() {
                document.edit(damage.repair);
            }
        }
    }
}

/// Sets the findings that a document lists, and returns a summary.
pub(super) fn list_damage(damage: FoundDamage, document: &mut OpenDocument) -> OrderReport {
    let rows = damage.rows();
    if rows.is_empty() {
        document.set_damage(None);
        return OrderReport { is_success: true, what: "No damage found.".into(), advice: "" };
    }
    let mut kinds: Vec<&str> = rows.iter().map(|row| row.kind.name()).collect();
    kinds.dedup();
    let what = format!("Damage found: {}.", kinds.join(", "));
    document.set_damage(Some(damage));
    let advice = "The Labels panel lists it with its repairs; nothing is changed before you press one.";
    OrderReport { is_success: true, what, advice }
}
