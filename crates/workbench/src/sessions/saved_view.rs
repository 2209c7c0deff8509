//! Serialises a document's view for its session and its project.

use super::slot::{DocumentViewState, SavedTab};
use crate::document::session::{Place, ProjectFile, Restored, SessionState};
use crate::documents::{ChannelView, OpenDocument, limits_of};
use crate::settings::preferences::ViewPreferences;
use serde::{Deserialize, Serialize};

impl DocumentViewState {
    pub(super) fn of(document: &OpenDocument) -> DocumentViewState {
        let project = document.project().filter(|project| !project.is_held_elsewhere());
        DocumentViewState {
            view: document.view().clone(),
            cursor_secs: document.cursor_secs(),
            selection: document.selection().cloned(),
            beat: document.beat().copied(),
            project: project.zip(document.saved_at()).map(|(project, at)| (project.path.clone(), at)),
            tab: document.session().tab,
        }
    }

    pub(super) fn desk(&self, document: &OpenDocument) -> SessionState {
        let kept = SavedView {
            preferences: ViewPreferences::of(document, 0.2),
            secs: self.view.secs,
            hz: self.view.hz,
            channels: self.view.channels.into(),
            beat_lines: self.view.beat_lines,
            pitch_line: self.view.pitch_line,
            cursor_secs: self.cursor_secs,
            tab: self.tab,
        };
        SessionState {
            transform: self.view.transform.clone(),
            view: serde_json::to_string(&kept).unwrap_or_else(|_| "{}".into()),
            selection: self.selection.clone(),
            beat: self.beat,
            optional: document.optional_tables().clone(),
        }
    }
}

/// A document's view as JSON in sessions and projects. An unreadable one is ignored.
#[derive(Serialize, Deserialize)]
struct SavedView {
    #[serde(rename = "habits")]
    preferences: ViewPreferences,
    secs: [f64; 2],
    hz: [f64; 2],
    channels: SavedChannels,
    cursor_secs: f64,
    /// Whether the beat grid is shown; true if the field is missing.
    #[serde(default = "is_shown")]
    beat_lines: bool,
    /// Whether the pitch line is shown; false if the field is missing.
    #[serde(default)]
    pitch_line: bool,
    /// The document's tab; only used in sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tab: Option<SavedTab>,
}

fn is_shown() -> bool {
    true
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedChannels {
    All,
    One(usize),
    Mid,
    Side,
}

impl From<ChannelView> for SavedChannels {
    fn from(channels: ChannelView) -> SavedChannels {
        match channels {
            ChannelView::All => SavedChannels::All,
            ChannelView::One(channel) => SavedChannels::One(channel),
            ChannelView::Mid => SavedChannels::Mid,
            ChannelView::Side => SavedChannels::Side,
        }
    }
}

/// The tab in a saved view; `None` if it has none or is unreadable.
pub(super) fn tab_of(view: &str) -> Option<SavedTab> {
    serde_json::from_str::<SavedView>(view).ok()?.tab
}

/// Restores view, cursor, selection and beat grid of a document.
fn lay_out(document: &mut OpenDocument, desk: SessionState) {
    let limits = limits_of(document.history().original());
    let longest = limits_of(document.history().current()).duration_secs;
    let n_channels = document.history().original().n_channels();
    if let Ok(kept) = serde_json::from_str::<SavedView>(&desk.view) {
        kept.preferences.apply(document);
        let is_range = |range: [f64; 2]| range.iter().all(|value| value.is_finite()) && range[0] < range[1];
        document.change_view(|view| {
            if is_range(kept.secs) && kept.secs[0] < longest && kept.secs[1] > 0.0 {
                view.secs = [kept.secs[0].max(-longest), kept.secs[1].min(2.0 * longest)];
            }
            if is_range(kept.hz) {
                view.hz = limits.clamp_hz(kept.hz, view.axis);
            }
            view.beat_lines = kept.beat_lines;
            view.pitch_line = kept.pitch_line;
            view.channels = match kept.channels {
                SavedChannels::One(channel) if channel < n_channels => ChannelView::One(channel),
                SavedChannels::Mid if n_channels == 2 => ChannelView::Mid,
                SavedChannels::Side if n_channels == 2 => ChannelView::Side,
                _ => ChannelView::All,
            };
        });
        document.set_cursor(kept.cursor_secs);
    }
    if let Ok(transform) = desk.transform.validated_at(document.shown().sample_rate_hz()) {
        document.change_view(|view| view.transform = transform);
    }
    document.select(desk.selection);
    document.set_saved_state(desk.optional, desk.beat);
}

/// The document of a restored session or project.
pub fn document_of(restored: Restored, project: Option<ProjectFile>, place: Place) -> OpenDocument {
    let Restored { history, desk, source, .. } = restored;
    let mut document = OpenDocument::restored(history, source, project);
    document.session_mut().set_place(place);
    lay_out(&mut document, desk);
    document
}
