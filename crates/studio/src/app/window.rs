//! The window's interface to the system: title, size, theme, clipboard, drag and drop, closing.

use super::{Canvas, Studio};
use crate::base::is_quit_requested;
use crate::document::session::SessionWriter;
use crate::workbench::commands::FileCommand;
use crate::workbench::{BenchEvent, DragOutAct, FileAct, LayoutAct, NoticeAct, OpenDocument, Severity};
use egui::{Context, ViewportCommand};
use std::path::Path;
use std::time::Duration;

use super::super::desktop::pictures;
use super::restart;
use super::restart::{OpenDocumentState, StateAge, WindowState};

impl Studio {
    /// Restores theme, scale and pane heights; call once before the first frame.
    pub(super) fn recall(&mut self, ctx: &Context) {
        let remembered = self.bench.remembered();
        ctx.set_theme(if remembered.window.is_light { egui::Theme::Light } else { egui::Theme::Dark });
        ctx.set_zoom_factor(remembered.window.scale);
        if let Some(canvas) = &mut self.canvas {
            canvas.set_phase_part(remembered.view.phase_part);
        }
    }

    /// Call once a frame: notes size, position and theme of the window, to be remembered.
    pub(super) fn note_window(&mut self, ctx: &Context) {
        let phase_part = self.canvas.as_ref().map(Canvas::phase_part);
        if let Some(part) = phase_part.filter(|&part| part != self.bench.remembered().view.phase_part) {
            self.bench.act(LayoutAct::PhasePart(part));
        }
        let mut window = self.bench.remembered().window.clone();
        window.is_light = ctx.theme() == egui::Theme::Light;
        window.scale = ctx.zoom_factor();
        let (size, place, is_whole, is_maximized) = ctx.input(|input| {
            let viewport = input.viewport();
            let is_whole = viewport.maximized == Some(true) || viewport.fullscreen == Some(true);
            let is_other = is_whole || viewport.minimized == Some(true);
            let place = viewport.outer_rect.map(|rect| rect.min);
            (viewport.inner_rect.map(|rect| rect.size()), place, is_other, viewport.maximized)
        });
        if let Some(size) = size.filter(|size| !is_whole && size.min_elem() > 0.0) {
            let size = size * window.scale;
            window.size = [size.x.round(), size.y.round()];
        }
        if let Some(place) = place.filter(|_| !is_whole) {
            let place = place * window.scale;
            window.position = Some([place.x.round(), place.y.round()]);
        }
        // Some systems do not report it: the remembered value is kept.
        window.is_maximized = is_maximized.unwrap_or(window.is_maximized);
        if window != self.bench.remembered().window {
            self.bench.act(LayoutAct::Window(window));
        }
    }

    /// Handles events of the workbench.
    pub(crate) fn take_events(&mut self, ctx: &Context) {
        for event in self.bench.take_events() {
            match event {
                BenchEvent::Ask(question) => self.queue_question(question),
                BenchEvent::Located => self.close_location_card(),
                BenchEvent::Copy(text) => ctx.copy_text(text),
                BenchEvent::CopyPicture(bitmap) => pictures::copy(ctx, &bitmap),
                BenchEvent::SavedBack(_) => self.ending.note_saved_back(),
                BenchEvent::DragOut(file) => self.drag_out(ctx, &file),
                BenchEvent::Quit => self.ending.quit(),
                BenchEvent::Perform(command) => self.apply(ctx, command),
                // Takes the keyboard focus from the canvas.
                BenchEvent::NothingToCancel => {
                    if let Some(id) = self.canvas.as_ref().and_then(Canvas::id) {
                        ctx.memory_mut(|memory| memory.surrender_focus(id));
                    }
                }
            }
            ctx.request_repaint();
        }
        self.open_next_question();
    }

    /// Starts dragging a file to another program, if the mouse button is still down.
    fn drag_out(&mut self, ctx: &Context, file: &Path) {
        let (what, advice) = if !ctx.input(|input| input.pointer.primary_down()) {
            ("The button was released before the sound was ready.", "Drag it out again: it is ready now.")
        } else if !self.sides.drops.drag_out(file, ctx) {
            ("This system gives no sounds to other programs by dragging.", "Use Export in the File menu.")
        } else {
            return;
        };
        self.bench.act(NoticeAct::Show { severity: Severity::Info, what: what.into(), advice: Some(advice.into()) });
    }

    /// Pastes a sound that was dragged out and dropped on this window, at the drop position.
    pub(super) fn take_let_go(&mut self) {
        let Some(at) = self.sides.drops.take_let_go() else { return };
        let pane = self.panes().iter().find(|pane| pane.rect.contains(at));
        if let Some(secs) = pane.map(|pane| pane.viewport.secs_from_x(f64::from(at.x))) {
            self.bench.act(DragOutAct::Paste(secs));
        }
    }

    /// Notes the sessions and files to reopen if the window has to restart.
    pub(super) fn note_restart(&self) {
        let of_document = |document: &OpenDocument| OpenDocumentState {
            file: document.file().map(Path::to_path_buf),
            goes_on: !document.session().is_discarded()
                && (document.has_unsaved_edits() || document.history().entries().len() == 1),
            session: document.session().writer().map(SessionWriter::contact),
        };
        restart::note(|| {
            let (sessions, files) = self.bench.coming();
            WindowState { documents: self.bench.documents().iter().map(of_document).collect(), sessions, files }
        });
    }

    /// Restarts the program if the graphics device is lost; does not return in that case.
    pub(super) fn leave_if_lost(&mut self) {
        if self.canvas.as_ref().is_some_and(Canvas::is_device_lost) {
            restart::request_restart();
        }
        if !restart::is_restart_wanted() {
            return;
        }
        self.bench.act(FileAct::StopWriting);
        while self.bench.is_exporting() && self.ending.is_patient(self.bench.now_secs()) {
            std::thread::sleep(Duration::from_millis(10));
            self.bench.advance();
        }
        self.note_restart();
        self.bench.end(false);
        restart::leave(StateAge::Now);
    }

    /// Call once a frame: closes the window if the system has requested it, once exports have stopped.
    pub(super) fn follow_end(&mut self, ctx: &Context) {
        if self.ending.is_quitting() || !is_quit_requested() {
            return;
        }
        let is_patient = self.ending.is_patient(self.bench.now_secs());
        self.bench.act(FileAct::StopWriting);
        if self.bench.is_exporting() && is_patient {
            ctx.request_repaint_after(Duration::from_millis(10));
            return;
        }
        self.ending.quit();
        ctx.request_repaint();
    }

    pub(super) fn retitle(&mut self, ctx: &Context) {
        let title = match self.bench.document() {
            Some(document) if document.has_unsaved_edits() => format!("{}* - Sonobrush", document.name()),
            Some(document) => format!("{} - Sonobrush", document.name()),
            None => "Sonobrush".into(),
        };
        if self.note_title(&title) {
            ctx.send_viewport_cmd(ViewportCommand::Title(title));
        }
    }

    pub(super) fn answer_close_request(&mut self, ctx: &Context) {
        if self.ending.is_quitting() {
            ctx.send_viewport_cmd(ViewportCommand::Close);
            return;
        }
        if !ctx.input(|input| input.viewport().close_requested()) {
            return;
        }
        if self.bench.is_writing() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            let advice = Some("Close the window when it is done, or press Esc to stop it.".into());
            let what = "A file is being written.".into();
            self.bench.act(NoticeAct::Show { severity: Severity::Warning, what, advice });
            return;
        }
        self.bench.act(FileCommand::Quit);
        self.take_events(ctx);
        if !self.ending.is_quitting() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        }
    }
}
