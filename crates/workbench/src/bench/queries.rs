//! Read-only queries of the workbench.

use super::budgets::Budgets;
use super::context::Concern;
use super::notices::Notices;
use super::workbench::Workbench;
use crate::beat::FoundBeat;
use crate::commands::Facts;
use crate::devices::monitor::{Hearing, PlaybackMonitor, Transport};
use crate::devices::recorder::RecordingShown;
use crate::documents::{Documents, OpenDocument};
use crate::edits::{MeasuredLevels, heal_mode, pushed, was_healed};
use crate::engine::Engine;
use crate::files::{ExportShown, ProposedStroke, proposed_stroke};
use crate::labels::LabelSummaries;
use crate::library_panel::Browser;
use crate::measurements::{Readout, Spectrum};
use crate::preview::{PreviewSound, can_compare};
use crate::search::places;
use crate::services::Jobs;
use crate::settings::preferences::{Layout, SCALES, SavedState};
use crate::settings::presets::{PresetKind, PresetStore, kind_of_options};
use crate::settings::tools::{Tool, Tools};
use crate::view::{Extent, Slice};

/// Files and documents.
impl Workbench {
    /// Whether a file is being written.
    pub fn is_writing(&self) -> bool {
        self.exporting.is_busy(&self.context) || self.projects.is_busy(&self.context) || self.image_export.is_writing()
    }

    /// Whether a file dialog is open or a path is being checked, so that another question may follow.
    pub fn is_asking(&self) -> bool {
        self.file_dialogs.is_busy(&self.context)
    }

    /// Whether a sound file is being written.
    pub fn is_exporting(&self) -> bool {
        self.exporting.is_busy(&self.context)
    }

    /// The state of the export card for a document.
    pub fn export_shown(&self, document: Option<&OpenDocument>) -> ExportShown<'_> {
        let speed = document.map_or(1.0, |document| self.transport().speed(document.id()));
        self.exporting.delivering.shown(document, speed)
    }

    /// The open documents.
    pub fn documents(&self) -> &Documents {
        &self.context.documents
    }

    /// The document in front.
    pub fn document(&self) -> Option<&OpenDocument> {
        self.context.documents.active()
    }
}

/// Playback and measurements.
impl Workbench {
    /// The transport, with the state of the player.
    pub fn transport(&self) -> &Transport {
        self.monitor.transport()
    }

    /// State of the recording.
    pub fn recording(&self) -> RecordingShown<'_> {
        self.recorder.shown()
    }

    /// Measured levels of the sound to normalise.
    pub fn measured_levels(&self) -> MeasuredLevels {
        self.processing.normalising.levels()
    }

    /// Result of the beat detection.
    pub fn found_beat(&self) -> FoundBeat {
        self.measured.beat.found()
    }

    /// The playback monitor.
    pub fn monitor(&self) -> &PlaybackMonitor {
        &self.monitor
    }

    /// Which sound of the preview is played in the document in front: with the edit, without it, or the difference.
    /// `None` without a preview.
    pub fn preview_ear(&self) -> Option<PreviewSound> {
        let document = self.document().filter(|document| document.open_preview().is_some())?;
        Some(PreviewSound::of(document, self.monitor.hearing()))
    }

    /// The library of sounds.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// The spectra of the spectrum panel.
    pub fn spectrum(&self) -> &Spectrum {
        &self.measured.spectrum
    }

    /// The spectrum at a moment, once computed.
    pub fn slice(&self) -> Option<&Slice> {
        self.measured.spectrum.slice().map(AsRef::as_ref)
    }

    /// Mean and maximum over the selection, once computed.
    pub fn extent(&self) -> Option<&Extent> {
        self.measured.spectrum.extent().map(AsRef::as_ref)
    }

    /// The list of labels, their classes and measurements.
    pub fn labels(&self) -> &LabelSummaries {
        &self.labelling.following
    }

    /// The values under the pointer.
    pub fn readout(&self) -> Option<Readout> {
        self.context.readout
    }
}

/// Tools, notices, settings.
impl Workbench {
    /// Saved noise profiles and presets.
    pub fn keeping(&self) -> &PresetStore {
        &self.preferences.keeping
    }

    /// The tools.
    pub fn tools(&self) -> &Tools {
        &self.context.tools
    }

    /// Messages to the user.
    pub fn notices(&self) -> &Notices {
        &self.context.notices
    }

    /// State remembered between runs.
    pub fn remembered(&self) -> &SavedState {
        &self.context.remembered
    }

    /// Panels and how they are shown.
    pub fn layout(&self) -> &Layout {
        &self.context.remembered.layout
    }

    /// Limits on memory and disk for documents opened from now on.
    pub fn limits(&self) -> Budgets {
        self.context.limits
    }

    /// The engine that applies edits.
    pub fn engine(&self) -> &Engine {
        &self.context.engine
    }

    /// Starts jobs off the UI thread.
    pub fn jobs(&self) -> &Jobs {
        &self.context.jobs
    }

    /// Current time in seconds.
    pub fn now_secs(&self) -> f64 {
        self.context.now_secs()
    }

    /// The stroke suggested on the document in front.
    pub fn proposed_stroke(&self) -> Option<ProposedStroke> {
        proposed_stroke(self.document()?, self.tools(), self.context.folders.state())
    }

    /// The facts that enable commands. Two depend on the canvas and are always false here: `is_moving_label` and
    /// `is_drawing_polygon`.
    pub fn facts(&self) -> Facts {
        let document = self.document();
        let history = document.map(|document| document.history());
        let n_channels = history.map_or(0, |history| history.original().n_channels());
        let is_busy = document.is_some_and(|document| document.edits().is_busy());
        let is_floating = document.is_some_and(|document| document.floating().is_some());
        let is_previewing = document.is_some_and(|document| document.open_preview().is_some());
        let remembered = self.remembered();
        Facts {
            has_document: document.is_some(),
            saves_back: self.context.saves_back,
            is_reading: document.is_some_and(OpenDocument::is_reading),
            n_recent: remembered.recent.len(),
            is_largest: remembered.window.scale >= SCALES[1],
            is_smallest: remembered.window.scale <= SCALES[0],
            is_stereo: n_channels == 2,
            n_channels,
            channel_mask: history.and_then(|history| history.original().source().info().channel_mask),
            has_clip: self.clipboard.has_clip() || self.clipboard.is_busy(&self.context),
            is_snapping: self.context.tools.is_snapping(),
            is_floating,
            has_label_in_hand: document.is_some_and(|document| document.current_label().is_some()),
            has_labels_beside: document.is_some_and(|document| self.labelling.files.beside(document.id()).is_some()),
            is_labelling: self.context.tools.active() == Tool::Label,
            has_time_of_day: document.is_some_and(|document| document.starts_at_secs().is_some()),
            has_beat: document.is_some_and(|document| document.beat().is_some()),
            is_moving_label: false,
            has_labels: history.is_some_and(|history| !history.labels().is_empty()),
            can_push: document.is_some_and(|document| pushed(document).is_some()),
            has_picture: document.and_then(OpenDocument::floating).is_some_and(|floating| floating.picture().is_some()),
            can_undo: is_busy || is_floating || is_previewing || history.is_some_and(|history| history.position() > 0),
            can_redo: !is_busy && history.is_some_and(|history| history.position() + 1 < history.entries().len()),
            is_previewing,
            can_compare: document.is_some_and(can_compare),
            was_healed: document.is_some_and(was_healed),
            heals_by: heal_mode(document, self.tools()).label(),
            has_edits: is_previewing
                || history.is_some_and(|history| history.position() > 0)
                || document.is_some_and(|document| document.shows_before()),
            has_selection: document.is_some_and(|document| document.selection().is_some()),
            has_last_selection: document.is_some_and(|document| document.last_selection().is_some()),
            has_spectrum: self.measured.spectrum.slice().is_some(),
            has_noise: self.context.tools.noise().is_some(),
            is_learning: self.searches.finding.is_learning(),
            n_kept_noises: self.keeping().names(PresetKind::Noise).len(),
            n_presets: self.keeping().names(kind_of_options(document, self.tools())).len(),
            has_figures: document.is_some_and(|document| document.figures().is_some()),
            is_drawing_polygon: false,
            is_playing: self.transport().status.playing || self.transport().is_auditioning(),
            is_recording: self.recorder.is_recording(),
            is_busy,
            has_brush: self.context.tools.active().has_radius(),
            is_selecting: self.context.tools.active().selects(),
            needs_stroke: !self.tools().settings().works_without_stroke(self.tools().applied()),
            lacks_noise: self.tools().applied() == Tool::DENOISE && self.tools().noise().is_none(),
            n_places: document.and_then(OpenDocument::selection).map_or(0, |selection| places(selection).len()),
            is_band_only: self.monitor.hearing() == Hearing::Band,
            is_delta: self.monitor.hearing() == Hearing::Delta,
            n_documents: self.documents().len(),
            has_library_sound: self.browser.chosen().is_some(),
            has_hole: document
                .is_some_and(|document| document.selection().is_some() || document.last_stroke().is_some()),
        }
    }
}
