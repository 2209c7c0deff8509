//! Collects the state that the probe publishes.

use super::controls::{controls, of_rect};
use super::{Input, ProbeDocument, ProbeLibrary, ProbePane, ProbeState};
use crate::studio::app::Studio;
use crate::studio::canvas::Canvas;
use crate::studio::cards::Card;
use crate::workbench::commands::ToolCommand;
use crate::workbench::{EditPreview, Panes, Question, Radius};

/// Maximum number of published labels.
const MAX_LABELS: usize = 200;

impl Studio {
    /// Publishes the state for tests, if the probe is on.
    pub(crate) fn watch(&mut self, ctx: &egui::Context) {
        if self.watched.probe.is_on() {
            self.watched.probe.count_input(ctx);
            let state = self.probe_state(ctx);
            self.watched.probe.write_if_changed(ctx, &state);
        }
    }

    /// The state for tests, as of this frame.
    fn probe_state(&self, ctx: &egui::Context) -> ProbeState {
        ProbeState {
            tabs: self.bench.documents().iter().map(|document| document.name().to_string()).collect(),
            document: self.probe_document(),
            settled: self.canvas.as_ref().is_none_or(Canvas::is_settled),
            busy: self.bench.is_working(),
            input: Input { is_out: self.sides.drops.cursor().is_some(), ..self.watched.probe.input },
            painting: self.hand.is_painting,
            is_hovering: self.bench.readout().is_some(),
            playing: self.bench.transport().status.playing,
            underruns: self.bench.transport().status.underruns,
            tool: ToolCommand::Pick(self.bench.tools().active()).row().id.to_owned(),
            notices: self.bench.notices().log().cloned().collect(),
            is_typing: ctx.egui_wants_keyboard_input(),
            card: self.card.as_ref().map(card_name),
            restarts: self.watched.probe.n_restarts,
            engine: self.graphics.words.clone(),
            pixels_per_point: ctx.pixels_per_point(),
            size: ctx.content_rect().size().into(),
            panes: self.probe_panes(),
            library: self.probe_library(),
            controls: controls(ctx),
        }
    }

    fn probe_library(&self) -> ProbeLibrary {
        let library = self.bench.browser();
        let entries = library.entries();
        ProbeLibrary {
            n_listed: entries.len(),
            is_adding: library.added().is_running,
            chosen: library.chosen().map(|(_, id)| id),
            names: entries.iter().take(20).filter_map(|entry| Some(library.row(entry.id)?.name())).collect(),
            null_rms_db: library.null_pair().and_then(|pair| pair.test?.rms_db),
        }
    }

    fn probe_document(&self) -> Option<ProbeDocument> {
        let document = self.bench.document()?;
        let radius_points = match self.bench.tools().radius() {
            Radius::Screen { points } => Some(points),
            Radius::Locked { .. } => None,
        };
        Some(ProbeDocument {
            path: document.path().map(std::path::Path::to_path_buf),
            position: document.history().position(),
            n_entries: document.history().entries().len(),
            secs: document.view().secs,
            hz: document.view().hz,
            axis: document.view().axis.name(),
            range_db: document.view().range_db,
            radius_points,
            floating: document.floating().map(|floating| floating.offset),
            selected_secs: document.selected_secs(),
            n_places: self.bench.facts().n_places,
            n_labels: document.history().labels().len(),
            labels: document
                .history()
                .labels()
                .iter()
                .take(MAX_LABELS)
                .map(|label| (label.text.to_string(), label.secs))
                .collect(),
            preview: document.open_preview().map(EditPreview::is_up_to_date),
            show_before: document.shows_before(),
            project: document.project().map(|project| project.path.clone()),
            n_kept: self.n_kept(),
            session: self.session_folder(),
        })
    }

    fn probe_panes(&self) -> Vec<ProbePane> {
        let Some(rects) = self.canvas.as_ref().and_then(Canvas::rects) else { return Vec::new() };
        let upper = match self.bench.document().map(|document| document.view().panes) {
            Some(Panes::Phase) => "phase",
            _ => "magnitude",
        };
        let pane = |plane, rect: egui::Rect| ProbePane { plane, rect: of_rect(rect) };
        std::iter::once(pane(upper, rects.picture)).chain(rects.phase.map(|rect| pane("phase", rect))).collect()
    }
}

fn card_name(card: &Card) -> String {
    let name = match card {
        Card::Question(question) => match question {
            Question::Export { .. } => "export",
            Question::ExportParts(_) => "export_by_label",
            Question::Path { .. } => "path",
            Question::Unsaved { .. } => "unsaved",
            Question::SaveProject(_) => "save_project",
            Question::Locate { .. } => "locate",
            Question::Recover(_) => "left",
            Question::Record(_) => "record",
            Question::StillRecording => "still_recording",
            Question::New(_) => "new",
            Question::Lengthen { .. } => "lengthen",
            Question::InsertSilence { .. } => "insert_silence",
            Question::Label(_) => "label",
            Question::Beat(_) => "beat",
            Question::PitchShift { .. } => "pitch_shift",
            Question::Stretch(_) => "time_stretch",
            Question::Normalise(_) => "normalise",
            Question::Resample(_) => "resample",
            Question::RunFiles(_) => "run_files",
            Question::FilesRun(_) => "files_run",
            Question::Output(_) => "output",
            Question::Graphics(_) => "graphics",
            Question::Keep(_) => "keep",
            Question::Kept(_) => "kept",
        },
        Card::Palette { .. } => "palette",
        Card::FirstSteps => "first_steps",
        Card::Keys { .. } => "keys",
        Card::About => "about",
    };
    name.into()
}
