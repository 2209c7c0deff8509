//! The second half of a frame: drawing the canvas.

use super::super::widgets::theme;
use super::hand::pointer::is_uncovered;
use super::layout::PaneAt;
use super::lookups::Lookups;
use super::overlay::loupe;
use super::overlay::marks::{MarkContext, PlaybackMarks};
use super::report::DrawReport;
use super::scene::{LaneId, LaneRequest};
use super::{Canvas, paint, strips};
use crate::base::trace;
use crate::view::{CellStyle, Seen, Viewport, grid_of};
use crate::workbench::{OpenDocument, Readout, ReadoutQuery, Tools, View};
use egui::Rect;

impl Canvas {
    /// The second half of a frame: draws picture, rulers and colour bar into the whole of `ui`.
    pub fn draw(
        &mut self,
        ui: &mut egui::Ui,
        document: &OpenDocument,
        tools: &Tools,
        heard: PlaybackMarks,
    ) -> DrawReport {
        let mut report = DrawReport::default();
        let grid = grid_of(document.shown(), &document.view().transform);
        // Laid out again, since gestures may have moved the view or the splitter.
        let n_channels = document.shown().n_channels();
        let rects = self.layout.lay_out(
            ui.max_rect(),
            document.view(),
            (n_channels, strips(document, tools)),
            ui.ctx().pixels_per_point(),
        );
        let hovered = self.hovered(ui);
        let more = self.draw_panes(ui, document, hovered.map(|(at, _)| at));
        // Waits until the picture is complete: warming up takes about as much computation, and would delay it.
        if self.scene.is_settled() {
            let Lookups { warm, reader, .. } = &mut self.lookups;
            warm.follow(&document.view().transform, &self.engine, reader.lobes(), &self.jobs);
        }
        let over = MarkContext { document, tools, grid: &grid, hovered, heard };
        let mut view = document.view().clone();
        if self.draw_over(ui, &rects, &over) {
            view.range_locked = !view.range_locked;
        }
        self.follow_range(document, &mut view);
        report.view = Some(view);
        if let Some((at, viewport)) = hovered {
            if !self.reads_at_cursor() {
                report.readout = Some(self.read(document, &viewport, at));
            }
            // While a menu is open, its own cursor icon is kept.
            if self.input.pinned.is_none() {
                ui.ctx().set_cursor_icon(self.pointer_icon(at, document, tools));
            }
        }
        if let Some(PaneAt { viewport, rect, .. }) = self.layout.panes().first().cloned() {
            if self.reads_at_cursor() {
                report.readout =
                    Some(self.read_at(document, &viewport, [document.cursor_secs(), document.cursor_hz()]));
            }
            self.draw_cursor(ui, document, &viewport, rect, report.readout.as_ref());
        }
        report.notice = self.notice.take();
        let is_waiting = document.is_reading() || self.scene.has_jobs();
        if more || !self.scene.is_settled() && !is_waiting {
            ui.ctx().request_repaint();
        }
        report
    }

    /// Fits the colour range to the visible part, unless it is locked or the user is painting.
    fn follow_range(&mut self, document: &OpenDocument, view: &mut View) {
        let seen = Seen {
            snapshot: document.shown().clone(),
            secs: view.secs,
            hz: view.hz,
            transform: view.transform.clone(),
            channels: view.channels,
        };
        // A stroke must not change the colours that it is judged by.
        let is_free = !view.range_locked && !self.is_painting();
        if let Some(range_db) = self.lookups.auto_range.follow(&seen, is_free, &self.jobs, self.scene.plans()) {
            view.range_db = range_db;
        }
    }

    /// Draws the pictures, the waveform over them, and the loupe. True if tiles are still waiting for upload.
    fn draw_panes(&mut self, ui: &egui::Ui, document: &OpenDocument, pointer: Option<egui::Pos2>) -> bool {
        let _span = trace::span("draw panes");
        let pixels_per_point = ui.ctx().pixels_per_point();
        let palette = theme::palette(ui.ctx());
        let pixels = |points: f32| (points * pixels_per_point).round().max(1.0) as u32;
        let lane_view = |channels| View { channels, ..document.view().clone() };
        let loupe = pointer.filter(|_| self.overlays.loupe.is_on()).and_then(|at| {
            let pane = self.layout.pane_at(at)?;
            let rect = self.overlays.loupe.rect(pane.rect, at, pixels_per_point);
            Some((
                *pane,
                rect,
                self.overlays.loupe.view(document.view(), pane, rect, document.shown().sample_rate_hz()),
            ))
        });
        let cells = CellStyle::new(document.view().smooth, pixels_per_point.into());
        let mut requests: Vec<LaneRequest> = Vec::new();
        for pane in self.layout.panes() {
            let lane = LaneId { channels: pane.channels, is_loupe: false };
            if requests.iter().all(|request| request.lane != lane) {
                let width_px = pixels(pane.rect.width()) as usize;
                requests.push(LaneRequest { lane, view: lane_view(pane.channels), width_px, cells });
            }
        }
        requests.extend(loupe.as_ref().map(|(pane, rect, view)| LaneRequest {
            lane: LaneId { channels: pane.channels, is_loupe: true },
            view: view.clone(),
            width_px: pixels(rect.width()) as usize,
            cells,
        }));
        let more = self.scene.lay_out(&requests);
        let silence = [palette.window.r(), palette.window.g(), palette.window.b()].map(|byte| f64::from(byte) / 255.0);
        let mut draw = |pane: &PaneAt, rect: Rect, view: &View, is_loupe: bool| {
            let size = [pixels(rect.width()), pixels(rect.height())];
            let lane = LaneId { channels: pane.channels, is_loupe };
            if let Some(drawn) = self.scene.draw(lane, view, pane.plane, size, silence) {
                drawn.set_place([rect.left(), rect.top()].map(|points| (points * pixels_per_point).round()));
                ui.painter().add(paint::pane_shape(rect, drawn.painter()));
            }
        };
        for pane in self.layout.panes() {
            draw(pane, pane.rect, &lane_view(pane.channels), false);
        }
        if document.view().waveform > 0.0 {
            let picture = self.layout.rects().map(|rects| rects.picture);
            let is_of_levels = |pane: &&PaneAt| picture.is_some_and(|picture| picture.contains_rect(pane.rect));
            let panes: Vec<PaneAt> = self.layout.panes().iter().filter(is_of_levels).copied().collect();
            let opacity = document.view().waveform;
            self.overlays.waveforms.draw(ui.painter(), &panes, opacity, document.shown(), &self.jobs);
        }
        if let Some((pane, rect, view)) = &loupe {
            draw(pane, *rect, view, true);
            let clipped = ui.painter().with_clip_rect(pane.rect);
            loupe::frame(&clipped, *rect, &view.transform, document.shown().sample_rate_hz());
        }
        self.scene.end_frame();
        more
    }

    /// Whether the readout is at the keyboard's cursor.
    fn reads_at_cursor(&self) -> bool {
        self.keyboard.reads_at_cursor() && self.input.pinned.is_none()
    }

    /// The pointer's position and the viewport of its pane, unless covered by a widget; while a menu is open, the
    /// position at which it was opened.
    fn hovered(&self, ui: &egui::Ui) -> Option<(egui::Pos2, Viewport)> {
        if let Some(at) = self.input.pinned {
            return self.layout.viewport_at(at).map(|viewport| (at, viewport));
        }
        let at = self.input.pointer.at()?;
        let is_ours = self.input.drag.is_some() || is_uncovered(ui, at);
        self.layout.viewport_at(at).filter(|_| is_ours).map(|viewport| (at, viewport))
    }

    fn read(&mut self, document: &OpenDocument, viewport: &Viewport, at: egui::Pos2) -> Readout {
        let place = [viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y))];
        self.read_at(document, viewport, place)
    }

    fn read_at(&mut self, document: &OpenDocument, viewport: &Viewport, place: [f64; 2]) -> Readout {
        let y = viewport.y_from_hz(place[1]);
        let at = egui::pos2(viewport.x_from_secs(place[0]) as f32, y as f32);
        let query = ReadoutQuery {
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: self.layout.pane_at(at).map_or(document.view().channels, |pane| pane.channels),
            secs: place[0],
            hz: place[1],
            pixel_hz: [viewport.hz_from_y(y + 0.5), viewport.hz_from_y(y - 0.5)],
            raw_phase: document.view().raw_phase,
        };
        self.lookups.reader.read(&query, &self.jobs, self.scene.plans())
    }
}
