//! One frame of the window: what arrived is taken in, bars, panels and canvas are laid out, what they ask is done.

use super::{FOLD_WIDTH, Studio};
use crate::base::trace;
use crate::studio::audition::Hearing;
use crate::studio::bars::{self, Status};
use crate::studio::cards::{self, About};
use crate::studio::commands::{Command, Facts};
use crate::studio::files::Then;
use crate::studio::notices::{Level, about_file, sentence};
use crate::studio::state::OpenDocument;
use crate::studio::state::Panel::Spectrum;
use crate::studio::{empty, keys, overview, panels, theme, transport_bar, widgets};
use egui::{Context, Panel, Rangef, Ui, ViewportCommand};

/// Four minutes at 44.1 kHz.
const LONG_SAMPLES: u64 = 10_000_000;

/// Under this height, in points, bars are lower and some things are left out.
const LOW_HEIGHT: f32 = 560.0;

impl eframe::App for Studio {
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        self.frame_times.begin();
        self.think(ctx);
        self.frame_times.end_logic();
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.frame_times.begin();
        self.lay_out(ui);
        self.frame_times.end_ui();
        if self.probe.is_on() {
            self.probe.count_input(ui.ctx());
            let state = self.probe_state(ui.ctx());
            self.probe.write_if_changed(ui.ctx(), &state);
        }
    }

    fn on_exit(&mut self) {
        self.keep_at_the_end();
        self.end_session();
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        let palette = if visuals.dark_mode { &theme::DARK } else { &theme::LIGHT };
        palette.window.to_normalized_gamma_f32()
    }
}

impl Studio {
    /// Takes in what arrived since the last frame.
    fn think(&mut self, ctx: &Context) {
        let _span = trace::span("frame: logic");
        let now_secs = self.services.clock.now_secs();
        while let Ok(error) = self.faults.try_recv() {
            let advice = Some("Nothing is lost; restart to use the graphics card again.");
            self.notices.tell(now_secs, Level::Error, sentence(&error.to_string()), advice);
        }
        let outcome = self.edits.advance(self.document.as_mut(), &self.services.jobs, &self.engine, now_secs);
        if let Some(outcome) = outcome {
            self.take_outcome(outcome, now_secs);
        }
        if let Some(error) = self.document.as_ref().and_then(|document| document.history.take_fault()) {
            let advice = Some("Older edits stay in memory until there is room on the disk. Nothing is lost.");
            self.notices.tell(now_secs, Level::Warning, sentence(&error.to_string()), advice);
        }
        if let Some(document) = &mut self.document {
            document.stay_within();
            let source = document.history.original().source();
            if let Some(notice) = source.take_notice() {
                match source.fault() {
                    Some(fault) => self.notices.fail(now_secs, "read", &fault),
                    None => {
                        self.notices.tell(now_secs, Level::Warning, about_file(&document.name(), &notice), None);
                    }
                }
            }
        }
        self.poll_files();
        self.poll_sessions();
        self.poll_projects(ctx, now_secs);
        let engine = self.engine.clone();
        self.poll_clipboard(&engine);
        self.poll_similar();
        self.poll_orders(now_secs);
        // What has been read of a file says nothing of what is not there yet.
        let whole = self.document.as_ref().filter(|document| !document.is_reading());
        let figures = self.measuring.follow(whole, &self.services.jobs);
        if let Some(document) = &mut self.document {
            document.figures = figures;
        }
        // All of a long file is read for its strip: only once there is a picture.
        let is_seen = self.canvas.as_ref().is_none_or(super::Canvas::is_seen_whole);
        let may_read = |document: &&OpenDocument| {
            is_seen || document.is_reading() || document.history.original().n_samples() < LONG_SAMPLES
        };
        self.overview.follow(self.document.as_ref().filter(may_read), &self.services.jobs);
        self.follow_spectrum(ctx);
        let is_delta = self.audition.hearing == Hearing::Delta;
        self.difference = self.differing.follow(self.document.as_ref(), is_delta, &self.services.jobs);
        self.preparing_since_secs =
            self.audition.work().is_some().then(|| self.preparing_since_secs.unwrap_or(now_secs));
        self.poll_outputs(now_secs);
        self.follow_sound(now_secs);
        if let Some(fault) = self.transport.status.fault.take() {
            self.notices.fail(now_secs, "play", &fault);
        }
        if let Some(canvas) = &mut self.canvas {
            canvas.logic(self.document.as_ref(), self.edits.is_busy());
        }
        self.keep(ctx, now_secs);
        self.follow_end(ctx, now_secs);
        self.follow_session(ctx, now_secs);
        self.answer_close_request(ctx);
        self.retitle(ctx);
        self.repaint_when_needed(ctx, now_secs);
    }

    /// Takes the answers of what is selected, learnt and found.
    fn poll_orders(&mut self, now_secs: f64) {
        let jobs = &self.services.jobs;
        match self.selecting.advance(self.document.as_mut(), jobs, now_secs) {
            Ok(told) => self.tell(told),
            Err(error) => self.notices.fail(now_secs, "select", &error),
        }
        match self.finding.advance(self.document.as_mut(), &mut self.tools, &self.services.jobs) {
            Some((_, Ok(told))) => self.tell(Some(told)),
            Some((doing, Err(error))) => self.notices.fail(now_secs, doing, &error),
            None => {}
        }
        self.tools.is_learning = self.finding.is_learning();
    }

    /// Bars, panels, canvas, cards, and what they ask.
    fn lay_out(&mut self, ui: &mut Ui) {
        let _span = trace::span("frame: ui");
        let ctx = ui.ctx().clone();
        let palette = theme::palette(&ctx);
        self.take_dropped(&ctx);
        let canvas_id = self.canvas.as_ref().and_then(super::Canvas::id);
        for command in keys::commands_pressed(&ctx, self.card.as_ref(), canvas_id) {
            // A menu shows it greyed, a key would do nothing and say nothing.
            if let Err(why) = command.enabled(&self.facts())
                && !command.repeats()
            {
                let now_secs = self.services.clock.now_secs();
                self.notices.tell(now_secs, Level::Info, format!("{}: {why}", command.spec().name), None);
            }
            self.apply(&ctx, command);
        }
        self.follow_snap_key(&ctx);
        let is_asking = self.card.is_some();
        let facts = self.facts();
        let mut commands = Vec::new();
        let bar = |panel: Panel, size, fill| panel.exact_size(size).resizable(false).frame(widgets::plain(fill));
        bar(Panel::top("top"), 36.0, palette.raised)
            .show(ui, |ui| bars::top(ui, &facts, self.document.as_ref(), &self.remembered.recent, &mut commands));
        bar(Panel::top("options"), 44.0, palette.panel)
            .show(ui, |ui| bars::options(ui, &facts, &mut self.tools, self.document.as_ref(), &mut commands));
        let work = self.work();
        let status = Status {
            document: self.document.as_ref(),
            tool: self.tools.active,
            player: &self.transport.status,
            engine: (&self.engine_words, &self.engine_why),
            work: work.as_ref().map(|(words, _)| words.clone()),
            n_hidden_notices: self.notices.n_hidden(),
        };
        bar(Panel::bottom("status"), 24.0, palette.raised).show(ui, |ui| bars::status(ui, &status, &mut commands));
        bar(Panel::bottom("transport"), 56.0, palette.panel).show(ui, |ui| {
            let shown = transport_bar::Shown {
                document: self.document.as_ref(),
                readout: self.readout.as_ref(),
                hearing: self.audition.hearing,
                difference: self.difference,
            };
            transport_bar::ui(ui, &facts, &shown, &mut self.transport, &mut commands);
        });
        bar(Panel::left("tools"), 48.0, palette.panel)
            .show(ui, |ui| bars::tools(ui, &facts, self.tools.active, &mut commands));
        self.panels(ui, &facts, &mut commands);
        self.strip(ui, &facts, &mut commands);
        egui::CentralPanel::no_frame().show(ui, |ui| self.middle(ui, &facts, &mut commands));
        if let Some((_, part)) = work {
            // The accent line under the tab.
            let top = ctx.content_rect().top() + 34.0;
            let line =
                egui::Rect::from_min_size(egui::pos2(0.0, top), egui::vec2(ctx.content_rect().width() * part, 2.0));
            ui.painter().rect_filled(line, egui::CornerRadius::ZERO, palette.accent);
        }
        if is_asking {
            // Screen readers reach what lies behind the card, too.
            commands.clear();
        }
        self.overlays(&ctx, &facts, &mut commands);
        if !commands.is_empty() {
            // What they change is drawn in the next frame.
            ctx.request_repaint();
        }
        for command in commands {
            self.apply(&ctx, command);
        }
    }

    fn retitle(&mut self, ctx: &Context) {
        let title = match &self.document {
            Some(document) if document.has_unsaved_edits() => format!("{}* - Sonobrush", document.name()),
            Some(document) => format!("{} - Sonobrush", document.name()),
            None => "Sonobrush".into(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    fn answer_close_request(&mut self, ctx: &Context) {
        if self.is_quitting {
            ctx.send_viewport_cmd(ViewportCommand::Close);
            return;
        }
        if !ctx.input(|input| input.viewport().close_requested()) {
            return;
        }
        if self.files.is_exporting() || self.projects.is_busy() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            let now_secs = self.services.clock.now_secs();
            let advice = Some("Close the window when it is done, or press Esc to stop it.");
            self.notices.tell(now_secs, Level::Warning, "A file is being written.", advice);
            return;
        }
        self.unless_unsaved(Then::Quit);
        if !self.is_quitting {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        }
    }

    fn take_dropped(&mut self, ctx: &Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        self.open_all(dropped.iter().map(|file| file.path().to_path_buf()).collect());
    }

    fn panels(&mut self, ui: &mut Ui, facts: &Facts, commands: &mut Vec<Command>) {
        let _span = trace::span("panels");
        if !self.layout.has_panels {
            return;
        }
        let palette = theme::palette(ui.ctx());
        let mut document = self.document.as_mut();
        let is_narrow = ui.ctx().content_rect().width() < FOLD_WIDTH;
        let width = if is_narrow { 40.0 } else { panels::WIDTH };
        let layout = &mut self.layout;
        let shown = panels::Shown { facts, spectrum: &self.spectrum, session: self.sessions.writer() };
        let panel = Panel::right("panels").exact_size(width).resizable(false).frame(widgets::plain(palette.panel));
        let asked = panel
            .show(ui, |ui| match is_narrow {
                true => panels::strip(ui, layout, shown, &mut document, commands),
                false => panels::column(ui, layout, shown, &mut document, commands),
            })
            .inner;
        self.take_asked(asked);
    }

    /// Spectra are found while their panel is in view: at the pointer, else where it sounds, else at the cursor.
    fn follow_spectrum(&mut self, ctx: &Context) {
        let is_narrow = ctx.content_rect().width() < FOLD_WIDTH;
        let fold = self.layout.fold(Spectrum);
        let is_seen = if is_narrow { self.layout.over == Some(Spectrum) } else { fold.is_shown && fold.is_open };
        if is_seen && self.layout.has_panels {
            let cursor_secs = self.document.as_ref().map_or(0.0, |document| document.cursor_secs);
            let pointed_secs = self.readout.map(|readout| readout.secs);
            let secs = pointed_secs.or(self.transport.playhead_secs()).unwrap_or(cursor_secs);
            let whole = self.document.as_ref().filter(|document| !document.is_reading());
            self.spectrum.follow(whole, secs, &self.services.jobs);
        } else {
            // What nobody sees holds no sound of a document that may be gone.
            self.spectrum.follow(None, 0.0, &self.services.jobs);
        }
        if let Some(text) = self.spectrum.take_copy() {
            ctx.copy_text(text);
        }
    }

    /// The overview above the canvas, its edges those of the pictures below.
    fn strip(&mut self, ui: &mut Ui, facts: &Facts, commands: &mut Vec<Command>) {
        let (Some(document), Some(canvas)) = (&mut self.document, &self.canvas) else { return };
        let is_low = ui.ctx().content_rect().height() < LOW_HEIGHT;
        let height = if is_low { overview::LOW_HEIGHT } else { overview::HEIGHT };
        let playhead_secs = self.transport.playhead_secs();
        let panel = Panel::top("overview").exact_size(height).resizable(false);
        panel.frame(widgets::plain(theme::palette(ui.ctx()).panel)).show(ui, |ui| {
            let all = ui.max_rect();
            // The canvas is laid out after this; what it was in the frame before is where it is, but for the first.
            let edges = match canvas.rects() {
                Some(rects) => rects.picture.x_range(),
                None => {
                    ui.ctx().request_repaint();
                    Rangef::new(all.left() + 52.0, all.right() - 46.0)
                }
            };
            self.overview.ui(ui, facts, document, edges, playhead_secs, commands);
        });
    }

    fn middle(&mut self, ui: &mut Ui, facts: &Facts, commands: &mut Vec<Command>) {
        let _span = trace::span("canvas");
        let is_file_over = ui.input(|input| !input.raw.hovered_files.is_empty());
        let rect = ui.max_rect();
        self.canvas_rect = rect;
        let playhead_secs = self.transport.playhead_secs();
        if self.document.is_some() {
            self.demo_picture.put_away();
        }
        match (&mut self.document, &mut self.canvas) {
            (Some(document), Some(canvas)) => {
                let gestures = canvas.ui(ui, document, &mut self.tools, playhead_secs);
                self.take_gestures(gestures);
                // A stroke that was just pressed is not kept waiting for the next frame.
                if self.is_painting {
                    let now_secs = self.services.clock.now_secs();
                    self.follow_sound(now_secs);
                }
                if is_file_over {
                    empty::drop_outline(ui, rect);
                }
            }
            (Some(_), None) => {
                ui.centered_and_justified(|ui| {
                    ui.label("Nothing can be drawn: the window has no graphics device. Playing and exporting work.")
                });
            }
            (None, _) => {
                self.readout = None;
                self.is_painting = false;
                let picture = self.demo_picture.get(ui.ctx(), &self.services.jobs);
                empty::ui(ui, facts, picture, &self.remembered.recent, is_file_over, commands);
            }
        }
    }

    fn overlays(&mut self, ctx: &Context, facts: &Facts, commands: &mut Vec<Command>) {
        // Out of the way of a stroke.
        if !self.is_painting {
            self.notices.ui(ctx, self.canvas_rect, self.services.clock.now_secs(), commands);
        }
        self.profiler.ui(ctx, self.canvas_rect, self.services.clock.now_secs(), commands);
        let source_format = self.document.as_ref().map(|document| document.history.original().source().info().format);
        let name = self.document.as_ref().map(OpenDocument::name).unwrap_or_default();
        let about = About { facts, name, source_format };
        if let Some(card) = &mut self.card
            && let Some(answer) = cards::ui(ctx, self.canvas_rect, card, &about)
        {
            self.take_answer(ctx, answer);
        }
    }
}
