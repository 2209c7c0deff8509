//! A frame of the window: takes events and results, lays out bars, panels and canvas, and performs their acts.

use super::{Canvas, FOLD_WIDTH, Studio};
use crate::base::{clock_from_secs, trace};
use crate::media::is_audio_name;
use crate::studio::app::{empty, restart};
use crate::studio::bars::typing_strip::TypingShown;
use crate::studio::bars::{self, Status};
use crate::studio::bars::{compare_strip, overview, transport_bar, typing_strip};
use crate::studio::canvas::{PlaybackMarks, UPLOAD_BYTES_PER_FRAME};
use crate::studio::cards::card_parts::{CardContext, expanded};
use crate::studio::cards::record_card;
use crate::studio::cards::{self, Card};
use crate::studio::desktop::pictures;
use crate::studio::input::keys;
use crate::studio::library_panel::LibraryContext;
use crate::studio::widgets::{splitter, theme};
use crate::studio::{notices, panels, widgets};
use crate::workbench::commands::Facts;
use crate::workbench::{
    Act, Acts, DocumentAct, ExportQuery, FileAct, NoticeAct, OpenDocument, Panel as SidePanel, PanelSide, Question,
    RecordingShown, Severity, Tool, sentence,
};
use egui::{Color32, Context, Panel, Rangef, Ui, UiBuilder};
use std::time::Duration;

/// Number of samples above which a sound is long, for the overview: four minutes at 44.1 kHz.
const LONG_SAMPLES: u64 = 10_000_000;

/// Window height in points below which bars are lower and some items are hidden.
const LOW_HEIGHT: f32 = 560.0;

impl eframe::App for Studio {
    fn raw_input_hook(&mut self, ctx: &Context, input: &mut egui::RawInput) {
        self.sides.drops.take(ctx, input).into_iter().for_each(|notice| self.bench.act(notice));
    }

    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        if let Some(surface) = &mut self.graphics.surface {
            surface.begin_frame();
        }
        self.leave_if_lost();
        self.profiler.begin_frame();
        self.watched.frame_times.begin();
        self.think(ctx);
        self.watched.frame_times.end_logic();
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        self.watched.frame_times.begin();
        self.lay_out(ui);
        self.watched.frame_times.end_ui();
        self.profiler.end_frame();
        self.watch(ui.ctx());
        self.leave_if_lost();
        if let Some(surface) = &mut self.graphics.surface {
            surface.end_frame(frame);
        }
    }

    fn on_exit(&mut self) {
        self.bench.end(!restart::is_restart_wanted());
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        let palette = if visuals.dark_mode { &theme::DARK } else { &theme::LIGHT };
        palette.window.to_normalized_gamma_f32()
    }
}

/// Text of the status line during a recording, such as `Recording 0:12.345, 3 h free`.
fn recording_words(shown: &RecordingShown<'_>) -> Option<String> {
    let time = clock_from_secs(shown.status.secs());
    let left = shown.status.left_secs.map_or_else(String::new, |secs| format!(", {}", record_card::left_words(secs)));
    shown.is_recording.then(|| format!("Recording {time}{left}"))
}

/// Adds a bar of fixed size, whose contents cannot move its neighbours.
fn fixed_bar(ui: &mut Ui, panel: Panel, size: f32, fill: Color32, add: impl FnOnce(&mut Ui)) {
    panel.exact_size(size).resizable(false).frame(widgets::plain(fill)).show(ui, |ui| {
        let all = ui.max_rect();
        ui.advance_cursor_after_rect(all);
        add(&mut ui.new_child(UiBuilder::new().max_rect(all)));
    });
}

/// Draws progress, 0 to 1, as a line under the tabs.
fn progress_line(ui: &Ui, part: f32, colour: Color32) {
    let window = ui.ctx().content_rect();
    let size = egui::vec2(window.width() * part, 2.0);
    let line = egui::Rect::from_min_size(egui::pos2(0.0, window.top() + 34.0), size);
    ui.painter().rect_filled(line, egui::CornerRadius::ZERO, colour);
}

impl Studio {
    /// Takes events and results since the last frame, before anything is drawn.
    fn think(&mut self, ctx: &Context) {
        let _span = trace::span("frame: logic");
        while let Ok(error) = self.graphics.faults.try_recv() {
            let advice = Some("Nothing is lost; restart to use the graphics card again.".into());
            self.bench.act(NoticeAct::Show { severity: Severity::Error, what: sentence(&error.to_string()), advice });
        }
        self.note_window(ctx);
        self.bench.advance();
        // An edit may have just arrived, and the rest of this frame may end the window.
        self.note_restart();
        self.follow_spectrum(ctx);
        let requested = match &self.card {
            Some(cards::Card::Question(Question::Export { options, text, .. })) => {
                Some(ExportQuery::File(options, text))
            }
            Some(cards::Card::Question(Question::ExportParts(options))) => {
                Some(ExportQuery::Parts(options, expanded(&options.folder)))
            }
            _ => None,
        };
        self.bench.follow_export(requested);
        // The overview reads the whole file; for a long file it waits until the canvas can show the whole length, at
        // least coarsely.
        let is_seen = self.canvas.as_ref().is_none_or(Canvas::is_seen_whole);
        let may_read = |document: &&OpenDocument| {
            is_seen || document.is_reading() || document.history().original().n_samples() < LONG_SAMPLES
        };
        self.sides.overview.follow(self.bench.document().filter(may_read), self.bench.jobs());
        self.play();
        if let Some(canvas) = &mut self.canvas {
            let (shown, fault) = self.bench.take_shown(UPLOAD_BYTES_PER_FRAME);
            if let Some(fault) = fault {
                canvas.note(fault);
            }
            canvas.logic(self.bench.document(), shown, self.bench.painting().is_at_rest());
        }
        self.take_events(ctx);
        self.note_restart();
        self.follow_end(ctx);
        self.answer_close_request(ctx);
        self.retitle(ctx);
        self.repaint_when_needed(ctx);
    }

    /// The engine, figures of graphics, and where the last edit was computed, as far as the status line shows them.
    fn engine_figures(&self) -> Option<String> {
        let engine = self.profiler.is_on().then_some(self.graphics.words.as_str());
        let shown: Vec<&str> = engine.into_iter().chain(self.profiler.summary()).collect();
        let edited = self.bench.document().and_then(|document| document.edits().engines());
        (!shown.is_empty()).then(|| shown.into_iter().chain(edited).collect::<Vec<&str>>().join("    "))
    }

    fn repaint_when_needed(&mut self, ctx: &Context) {
        let transport = self.bench.transport();
        if transport.status.playing || transport.is_auditioning() || !transport.meters.is_at_rest() {
            ctx.request_repaint();
        } else if self.bench.is_working() || self.bench.monitor().is_preparing() {
            ctx.request_repaint_after(Duration::from_millis(100));
        }
        if let Some(secs) = self.bench.take_wake_after_secs() {
            ctx.request_repaint_after(Duration::from_secs_f64(secs));
        }
    }

    /// Lays out bars, panels, canvas and cards, and performs their acts.
    fn lay_out(&mut self, ui: &mut Ui) {
        let _span = trace::span("frame: ui");
        let ctx = ui.ctx().clone();
        let palette = theme::palette(&ctx);
        self.take_pasted(&ctx);
        self.perform_keys(&ctx);
        self.follow_snap_key(&ctx);
        let is_asking = self.card.is_some();
        let facts = self.facts();
        let mut acts = Acts::default();
        fixed_bar(ui, Panel::top("top"), 36.0, palette.raised, |ui| {
            let recent = &self.bench.remembered().recent;
            bars::top(ui, &facts, self.bench.documents(), recent, &mut acts);
        });
        fixed_bar(ui, Panel::top("options"), 44.0, palette.panel, |ui| {
            let (document, classes) = (self.bench.document(), self.bench.labels().suggested_classes());
            let shown = (document, classes, self.bench.keeping());
            bars::options(ui, &facts, self.bench.tools(), shown, &mut acts);
        });
        if let Some(comparison) = self.bench.document().and_then(|document| document.open_preview()?.comparison()) {
            fixed_bar(ui, Panel::top("compare"), compare_strip::HEIGHT, palette.panel, |ui| {
                self.sides.compare_strip.ui(ui, comparison, self.bench.tools(), &mut acts);
            });
        }
        self.typing_strip(ui, &facts, &mut acts);
        let canvas = self.canvas.as_ref();
        self.profiler.follow(&self.graphics.words, || canvas.map(Canvas::memory).unwrap_or_default());
        let work = self.bench.work();
        let offers_bass = self.sides.bass_offer.follow(self.bench.document());
        let status = Status {
            typing: self.hand.typing.words().or_else(|| self.cloned()),
            document: self.bench.document(),
            tool: self.bench.tools().active(),
            refusal: self.refusal(),
            offers_bass,
            player: &self.bench.transport().status,
            is_profiling: self.profiler.is_on(),
            engine: self.engine_figures().map(|words| (words, &*self.graphics.why)),
            recording: recording_words(&self.bench.recording()),
            work: work.as_ref().map(|(words, _)| words.clone()),
            n_hidden_notices: self.bench.notices().n_hidden(notices::n_rows(ctx.content_rect().height())),
        };
        fixed_bar(ui, Panel::bottom("status"), 24.0, palette.raised, |ui| bars::status(ui, &status, &mut acts));
        fixed_bar(ui, Panel::bottom("transport"), 56.0, palette.panel, |ui| {
            let readout = self.bench.readout();
            let (hearing, difference) = (self.bench.monitor().hearing(), self.bench.monitor().difference());
            let document = self.bench.document();
            let shown = transport_bar::Shown { document, readout: readout.as_ref(), hearing, difference };
            transport_bar::ui(ui, &facts, &shown, self.bench.transport(), &mut acts);
        });
        fixed_bar(ui, Panel::left("tools"), bars::tools_width(&ctx), palette.panel, |ui| {
            bars::tools(ui, &facts, self.bench.tools().active(), &mut acts);
        });
        self.draw_library(ui, &facts, &mut acts);
        self.panels(ui, &facts, &mut acts);
        self.strip(ui, &facts, &mut acts);
        egui::CentralPanel::no_frame().show(ui, |ui| self.middle(ui, &facts, &mut acts));
        self.over_canvas(ui, &facts, &mut acts);
        if let Some((_, part)) = work {
            progress_line(ui, part, palette.accent);
        }
        if is_asking {
            // Screen readers can press buttons behind the card.
            acts.drop_commands();
        }
        self.overlays(&ctx, &facts, &mut acts);
        widgets::ring_focus(&ctx, self.canvas.as_ref().and_then(Canvas::id));
        if acts.need_a_frame() {
            // Their effects are drawn in the next frame.
            ctx.request_repaint();
        }
        for act in acts {
            match act {
                Act::Command(command) => self.apply(&ctx, command),
                act => self.bench.act(act),
            }
        }
        // After the canvas has noted the drop position.
        self.take_dropped(&ctx);
        self.take_let_go();
        if let Some(icon) = self.sides.drops.cursor() {
            ctx.set_cursor_icon(icon);
        }
    }

    /// Draws the strip of the typing keyboard while that is on.
    fn typing_strip(&self, ui: &mut Ui, facts: &Facts, acts: &mut Acts) {
        let Some(document) = self.bench.document().filter(|_| self.hand.typing.is_on()) else { return };
        let has_beat = document.beat().is_some();
        let shown = TypingShown { take: self.bench.monitor().take(), tools: self.bench.tools(), has_beat };
        let face = theme::palette(ui.ctx()).panel;
        fixed_bar(ui, Panel::top("typing"), typing_strip::HEIGHT, face, |ui| {
            typing_strip::ui(ui, facts, &shown, acts);
        });
    }

    /// Performs commands whose keys were pressed.
    fn perform_keys(&mut self, ctx: &Context) {
        let canvas_id = self.canvas.as_ref().and_then(Canvas::id);
        let card_keys = self.card.as_ref().map(cards::Card::keys);
        let has_field = self.card.is_some() && ctx.text_edit_focused();
        let is_text_due = self.hand.typed_on.follow(ctx, self.card.is_some(), has_field, self.bench.is_asking());
        let takers = keys::KeyTakers { canvas: canvas_id, is_typing: self.hand.typing.is_on(), is_text_due };
        let had_card = self.card.is_some();
        for (index, command) in keys::commands_pressed(ctx, card_keys, takers, &self.facts()) {
            // A menu shows a disabled command in grey; a key would have no visible effect without a notice.
            if let Err(why) = command.enabled(&self.facts())
                && !command.row().repeats
            {
                let what = format!("{}: {why}", command.row().name);
                self.bench.act(NoticeAct::Show { severity: Severity::Info, what, advice: None });
            }
            self.apply(ctx, command);
            if !had_card && (self.card.is_some() || self.bench.is_asking()) {
                // Several keys may arrive within a frame: those after this one are for the card that it opens.
                return self.hand.typed_on.keep_after(ctx, Some(index));
            }
        }
    }

    /// Status text while the clone brush copies from a library sound.
    fn cloned(&self) -> Option<String> {
        let donor = self.bench.document().filter(|_| self.bench.tools().active() == Tool::CLONE)?.donor()?;
        Some(format!("Paints with {}. Ctrl+click the canvas to clone from there instead.", donor.name))
    }

    /// The reason why the open preview has no result, or why the current tool cannot paint.
    fn refusal(&self) -> Option<String> {
        let (document, tools) = (self.bench.document()?, self.bench.tools());
        if let Some(preview) = document.open_preview() {
            let why = preview.fault().map(|fault| fault.message()).or(preview.notice())?;
            return Some(sentence(why));
        }
        let lacks_source = self.canvas.as_ref().is_some_and(|canvas| !canvas.has_clone_source());
        if tools.active() == Tool::CLONE && lacks_source && document.donor().is_none() {
            return Some("Ctrl+click the sound to clone from first.".into());
        }
        if tools.active() == Tool::DENOISE && tools.noise().is_none() {
            return Some("Learn a noise first: select noise alone, then press Ctrl+Shift+L.".into());
        }
        let refused = tools.brush()?.works_on(&document.view().transform).err()?;
        Some(refused.message().to_owned())
    }

    fn take_dropped(&mut self, ctx: &Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        let Some(first) = dropped.first() else { return };
        match &mut self.card {
            Some(Card::Question(Question::RunFiles(options))) => {
                for file in &dropped {
                    *options = options.clone().with_input(file.path());
                }
            }
            // Not checked to be a folder, which may block on a network drive; the card reports a file.
            Some(Card::Question(Question::ExportParts(options))) if !is_audio_name(first.path()) => {
                options.folder = first.path().to_string_lossy().into_owned();
            }
            _ => self.bench.act(FileAct::Open(dropped.iter().map(|file| file.path().to_path_buf()).collect())),
        }
    }

    /// Pastes pictures from the system clipboard, unless a card is open or a text field has the focus.
    fn take_pasted(&mut self, ctx: &Context) {
        if self.card.is_some() || ctx.text_edit_focused() {
            return;
        }
        for picture in pictures::pasted(ctx) {
            self.bench.act(FileAct::Paste(picture));
        }
    }

    /// Draws the library at the left, if shown.
    fn draw_library(&mut self, ui: &mut Ui, facts: &Facts, acts: &mut Acts) {
        let _span = trace::span("library");
        if !self.bench.layout().has_library() {
            return;
        }
        let palette = theme::palette(ui.ctx());
        let colormap =
            self.bench.document().map_or(self.bench.remembered().view.colormap, |document| document.view().colormap);
        let context = LibraryContext { facts, browser: self.bench.browser(), colormap };
        let width = splitter::width_in(ui.ctx(), self.bench.layout().width(PanelSide::Left));
        let panel = Panel::left("library").exact_size(width).resizable(false);
        let drawn = panel.frame(widgets::plain(palette.panel)).show(ui, |ui| self.sides.browser.ui(ui, context, acts));
        splitter::ui(ui, PanelSide::Left, (drawn.response.rect, width), acts);
    }

    fn panels(&mut self, ui: &mut Ui, facts: &Facts, acts: &mut Acts) {
        let _span = trace::span("panels");
        if !self.bench.layout().has_panels() {
            return;
        }
        let palette = theme::palette(ui.ctx());
        let is_narrow = ui.ctx().content_rect().width() < FOLD_WIDTH;
        let wide = splitter::width_in(ui.ctx(), self.bench.layout().width(PanelSide::Right));
        let width = if is_narrow { 40.0 } else { wide };
        let (layout, document) = (self.bench.layout(), self.bench.document());
        let context = panels::PanelContext {
            facts,
            spectrum: self.bench.spectrum(),
            labels: self.bench.labels(),
            tools: self.bench.tools(),
        };
        let panel = Panel::right("panels").exact_size(width).resizable(false).frame(widgets::plain(palette.panel));
        let drawn = panel.show(ui, |ui| match is_narrow {
            true => panels::strip(ui, layout, context, document, acts),
            false => panels::column(ui, layout, context, document, acts),
        });
        if !is_narrow {
            splitter::ui(ui, PanelSide::Right, (drawn.response.rect, width), acts);
        }
    }

    /// Computes spectra while their panel is visible: at the pointer, else at the playhead, else at the cursor.
    fn follow_spectrum(&mut self, ctx: &Context) {
        let is_narrow = ctx.content_rect().width() < FOLD_WIDTH;
        let layout = self.bench.layout();
        let layout_has_panels = layout.has_panels();
        let fold = layout.fold(SidePanel::Spectrum);
        let is_seen =
            if is_narrow { layout.over() == Some(SidePanel::Spectrum) } else { fold.is_shown && fold.is_open };
        let cursor_secs = self.bench.document().map_or(0.0, |document| document.cursor_secs());
        let pointed_secs = self.bench.readout().map(|readout| readout.secs);
        let secs = pointed_secs.or(self.bench.transport().playhead_secs()).unwrap_or(cursor_secs);
        // While the panel is hidden, `None` releases the analysed sound, whose document may be closed.
        self.bench.act(DocumentAct::FollowSpectrum(Some(secs).filter(|_| is_seen && layout_has_panels)));
    }

    /// Draws the overview above the canvas, aligned with the picture.
    fn strip(&mut self, ui: &mut Ui, facts: &Facts, acts: &mut Acts) {
        let playhead_secs = self.bench.transport().playhead_secs();
        let (Some(document), Some(canvas)) = (self.bench.document(), &self.canvas) else { return };
        let is_low = ui.ctx().content_rect().height() < LOW_HEIGHT;
        let height = if is_low { overview::LOW_HEIGHT } else { overview::HEIGHT };
        let face = theme::palette(ui.ctx()).panel;
        fixed_bar(ui, Panel::top("overview"), height, face, |ui| {
            let all = ui.max_rect();
            // The canvas is laid out later: uses its position in the previous frame, or an estimate in the first.
            let edges = match canvas.rects() {
                Some(rects) => rects.picture.x_range(),
                None => {
                    ui.ctx().request_repaint();
                    Rangef::new(all.left() + 52.0, all.right() - 46.0)
                }
            };
            self.sides.overview.ui(ui, facts, document, edges, playhead_secs, acts);
        });
    }

    fn middle(&mut self, ui: &mut Ui, facts: &Facts, acts: &mut Acts) {
        let _span = trace::span("canvas");
        let is_file_over = ui.input(|input| !input.raw.hovered_files.is_empty());
        let rect = ui.max_rect();
        self.hand.note_canvas(rect);
        if self.bench.document().is_some() && !matches!(self.card, Some(cards::Card::FirstSteps)) {
            self.demo_picture.put_away();
        }
        match (self.bench.document(), &mut self.canvas) {
            (Some(document), Some(canvas)) => {
                let gestures = canvas.input(ui, document, self.bench.tools());
                self.take_gestures(ui.ctx(), gestures);
                self.draw_canvas(ui);
                // A stroke is heard in the frame in which it starts.
                if self.hand.is_painting {
                    self.play();
                }
                if is_file_over {
                    empty::drop_outline(ui, rect);
                }
            }
            (Some(_), None) => {
                ui.centered_and_justified(|ui| {
                    ui.label(
                        "Nothing can be drawn because the window has no graphics device. Playback and export \
                              still work.",
                    )
                });
            }
            (None, _) => {
                self.bench.act(DocumentAct::Point(None));
                self.hand.set_painting(false);
                let colormap = self.bench.remembered().view.colormap;
                let picture = self.demo_picture.get(colormap, ui.ctx(), self.bench.jobs());
                empty::ui(ui, facts, picture, &self.bench.remembered().recent, is_file_over, acts);
            }
        }
    }

    /// Draws notices, the open menu and sounds dragged from the library over the canvas.
    fn over_canvas(&mut self, ui: &Ui, facts: &Facts, acts: &mut Acts) {
        let rects = self.bench.document().and(self.canvas.as_ref()).and_then(Canvas::rects);
        let pictures = rects.map_or(self.hand.canvas_rect, |rects| rects.pictures());
        self.sides.notices.ui(ui, pictures, self.bench.notices(), acts);
        self.show_menus(ui.ctx(), facts, acts);
        let panes = self.canvas.as_ref().filter(|_| self.bench.document().is_some()).map_or(&[][..], Canvas::panes);
        self.sides.browser.drag(ui.ctx(), panes, acts);
    }

    fn draw_canvas(&mut self, ui: &mut Ui) {
        let (Some(document), Some(canvas)) = (self.bench.document(), &mut self.canvas) else { return };
        let transport = self.bench.transport();
        let heard = PlaybackMarks {
            playhead_secs: transport.playhead_secs(),
            audible_hz: (transport.speed(document.id()) != 1.0).then(|| transport.audible_hz(document.id())),
        };
        let seen = canvas.draw(ui, document, self.bench.tools(), heard);
        if let Some(proposed) = self.bench.proposed_stroke() {
            canvas.propose(ui, &proposed);
        }
        seen.acts(document).into_iter().for_each(|act| self.bench.act(act));
        if self.bench.painting().has_waiting() {
            ui.ctx().request_repaint();
        }
    }

    fn overlays(&mut self, ctx: &Context, facts: &Facts, acts: &mut Acts) {
        let now_secs = self.bench.now_secs();
        let canvas_rect = self.hand.canvas_rect;
        self.profiler.ui(ctx, canvas_rect, now_secs, acts);
        let requested = match &self.card {
            Some(cards::Card::Question(question)) => question.document(),
            _ => None,
        };
        let document = match requested {
            Some(id) => self.bench.documents().get(id),
            None => self.bench.document(),
        };
        let source_format = document.map(|document| document.history().original().source().info().format);
        let name = document.map(OpenDocument::name).unwrap_or_default();
        let selected_secs = document.and_then(OpenDocument::selected_secs);
        let is_recording = document.is_some_and(|document| document.session().is_recording());
        let (recording, levels) = (self.bench.recording(), self.bench.measured_levels());
        let engine = (self.graphics.words.as_str(), self.graphics.why.as_str());
        let colormap = self.bench.remembered().view.colormap;
        let demo = match self.card {
            Some(cards::Card::FirstSteps) => self.demo_picture.get(colormap, ctx, self.bench.jobs()),
            _ => None,
        };
        let demo = demo.map(egui::TextureHandle::id);
        let (keeping, beat) = (self.bench.keeping(), self.bench.found_beat());
        let export = self.bench.export_shown(document);
        let about = CardContext {
            facts,
            name,
            selected_secs,
            source_format,
            is_recording,
            recording,
            levels,
            keeping,
            beat,
            export,
            engine,
            demo,
        };
        if let Some(card) = &mut self.card
            && let Some(answer) = cards::ui(ctx, canvas_rect, card, &about)
        {
            self.take_answer(ctx, answer);
        }
    }
}
