//! Overlays on and beside the pictures: marks, rulers, colour bar.

use super::marks::MarkContext;
use super::{found, ghost, labels, marks, pitch};
use crate::canvas::axes::rulers::Tags;
use crate::canvas::axes::{beat, piano, rulers};
use crate::canvas::hand::brush;
use crate::canvas::hand::brush::Pen;
use crate::canvas::hand::drag::{Drag, combine_of};
use crate::canvas::hand::hand_stroke::HandStroke;
use crate::canvas::layout::PaneAt;
use crate::canvas::{Canvas, CanvasRects};
use crate::dsp::Selection;
use crate::view::{Plane, Viewport};
use crate::widgets::theme;
use crate::workbench::commands::ViewCommand;
use crate::workbench::commands::table::icons;
use crate::workbench::{EditPreview, Floating, FloatingSound, OpenDocument, Tool, channel_label};
use egui::{Align2, Pos2, Rect, Role, Sense, WidgetInfo, pos2, vec2};

impl Canvas {
    /// Marks on the pictures, rulers and colour bar. True if the lock of the range was clicked.
    pub(in crate::canvas) fn draw_over(&mut self, ui: &egui::Ui, rects: &CanvasRects, over: &MarkContext<'_>) -> bool {
        let floating = over.document.floating().map(Floating::selection);
        let making = floating.or_else(|| self.selection_in_the_making(over.grid));
        let selection: Option<&Selection> = making.as_ref().or(over.document.selection());
        let places = if making.is_none() { found::places_alone(over.document) } else { Vec::new() };
        let outlined = selection.filter(|_| places.is_empty());
        let ants = self.overlays.ants.offset(ui, outlined.is_some() && making.is_none());
        let panes = self.layout.panes().to_vec();
        let palette = theme::palette(ui.ctx());
        let speech = over.document.open_preview().and_then(EditPreview::speech);
        if speech.is_none() {
            self.overlays.speech.clear();
        }
        let (moved, new_label) = (self.label_in_the_making(), self.label_being_drawn());
        let labelled = labels::Labelled {
            labels: over.document.history().labels(),
            in_progress: over.document.current_label().map(|label| label.id),
            instead: moved.as_ref(),
        };
        for (index, pane) in panes.iter().enumerate() {
            let clipped = ui.painter().with_clip_rect(pane.rect);
            if let Some(map) = speech {
                self.overlays.speech.draw(&clipped, (index, pane.rect), &pane.viewport, map, palette.accent);
            }
            if let Some(grid) = over.document.shown_beat() {
                beat::lines(&clipped, pane.rect, &pane.viewport, grid);
            }
            if let Some(line) = over.document.pitch_line() {
                pitch::line(&clipped, pane.rect, &pane.viewport, line);
            }
            found::tints(&clipped, pane.rect, &pane.viewport, &places);
            if let Some(selection) = outlined {
                self.overlays.outlines.draw(
                    &clipped,
                    &pane.viewport,
                    pane.rect,
                    selection,
                    ants.filter(|_| making.is_none()),
                );
                self.draw_handles(&clipped, pane, selection, over);
            }
            labels::draw(&clipped, pane.rect, &pane.viewport, &labelled, palette);
            if let Some((drawn, edges)) = new_label.as_ref().filter(|(drawn, _)| drawn.viewport == pane.viewport) {
                labels::draw_new(&clipped, drawn, *edges, palette.accent);
            }
            if let Some(FloatingSound::Picture { brush, bitmap }) =
                over.document.floating().map(|floating| &floating.sound)
            {
                self.overlays.picture.draw(&clipped, &pane.viewport, &brush.area, bitmap, brush.look);
            }
            if over.tools.is_snapping() && over.tools.brush().is_some_and(|brush| brush.is_pitched()) {
                let scale = over.tools.settings().note_scale;
                let pointer = over.hovered.map(|(at, _)| at).filter(|at| pane.rect.contains(*at));
                piano::note_lines(&clipped, pane.rect, &pane.viewport, scale, pointer.map(|at| at.y), palette);
            }
            self.draw_marks(ui, &clipped, pane, over);
        }
        if let Some(pane) = panes.first() {
            self.draw_hint(ui, pane, over);
            self.draw_compared(ui, pane, over);
            if let Some(selection) = selection {
                self.draw_grip(ui, pane, selection, over);
            }
        }
        self.draw_rulers(ui, rects, &panes, outlined, over);
        if let Some(first) = panes.first() {
            let painter = ui.painter().with_clip_rect(rects.time_ruler);
            found::time_ticks(&painter, rects.time_ruler, &first.viewport, &places, palette);
        }
        for pane in &panes {
            let ruler = Rect::from_x_y_ranges(rects.hz_ruler.x_range(), pane.rect.y_range());
            found::hz_ticks(&ui.painter().with_clip_rect(ruler), ruler, &pane.viewport, &places, palette);
        }
        self.draw_lanes(ui, over, moved.as_ref());
        self.draw_dragged_range(ui, rects, &panes);
        lock_button(ui, rects, over.document)
    }

    fn draw_marks(&self, ui: &egui::Ui, clipped: &egui::Painter, pane: &PaneAt, over: &MarkContext<'_>) {
        let &PaneAt { rect, viewport, .. } = pane;
        let hovered = over.hovered.map(|(at, _)| at).filter(|at| rect.contains(*at));
        if let Some(lasso) = &self.input.lasso {
            marks::lasso(clipped, lasso.on_screen(&viewport), lasso.is_polygon, hovered);
        }
        if let Some(at) = hovered.filter(|_| over.tools.active().selects()) {
            marks::joining(clipped, at, combine_of(ui.input(|input| input.modifiers)));
        }
        if let Some(at) = hovered.filter(|_| over.tools.active().selects() || over.tools.active() == Tool::Label) {
            self.draw_snap(clipped, &viewport, rect, at);
        }
        if let Some(floating) = over.document.floating() {
            let [secs, hz] = floating.selection().extent();
            let x = secs.map_or(rect.left(), |[start, _]| viewport.x_from_secs(start) as f32);
            let y = hz.map_or(rect.top(), |[_, high]| viewport.y_from_hz(high) as f32);
            marks::tag(clipped, rect, pos2(x, y), &floating.words());
            if let Some(phrase) = floating.notes() {
                ghost::draw_notes(clipped, &viewport, phrase);
            }
        }
        marks::time_line(clipped, rect, viewport.x_from_secs(over.document.cursor_secs()) as f32, true);
        if let Some(secs) = over.heard.playhead_secs {
            marks::time_line(clipped, rect, viewport.x_from_secs(secs) as f32, false);
        }
        if over.tools.active() == Tool::CLONE && over.document.donor().is_none() {
            self.draw_clone_source(clipped, pane, over);
        }
        if let Some(at) = hovered.filter(|_| over.tools.active().has_radius()) {
            let is_shaped = over.tools.active().is_shaped();
            let hz = viewport.hz_from_y(f64::from(at.y));
            let radius = if is_shaped { self.radius_on_screen(&viewport, over, hz) } else { [0.0; 2] };
            self.draw_ghost(clipped, pane, over, at);
            let at = self.on_pitch_line(&viewport, over, at);
            marks::brush(clipped, at, radius, over.tools.settings().hardness as f32);
        }
    }

    /// Marks the onset or beat line and the spectral peak that the pointer would snap to, each with a diamond.
    fn draw_snap(&self, painter: &egui::Painter, viewport: &Viewport, pane: egui::Rect, at: egui::Pos2) {
        let place = [f64::from(at.x), f64::from(at.y)];
        let [x, y] = self.input.snapper.place(viewport, place);
        let onset = (x != place[0]).then_some(x as f32);
        let peak = (y != place[1]).then_some(y as f32);
        marks::snapped(painter, pane, onset, peak, at);
    }

    /// The brush's position for a pointer position: moved vertically onto the pitch line that a stroke snaps to.
    fn on_pitch_line(&self, viewport: &Viewport, over: &MarkContext<'_>, at: egui::Pos2) -> egui::Pos2 {
        let line = self.current_stroke().map_or(self.input.snapper.line(), HandStroke::line);
        let (Some(line), Some(brush)) = (line, over.tools.brush()) else { return at };
        let pen = Pen { line: Some(line.clone()), catch: None, ..self.input.pen(at) };
        let point = brush::drawn_point(&brush, viewport, over.grid, &pen);
        pos2(at.x, viewport.y_from_hz(point.hz) as f32)
    }

    /// The brush's radius in points: that of the stroke in progress, or of a stroke that would begin at `hz`.
    fn radius_on_screen(&self, viewport: &Viewport, over: &MarkContext<'_>, hz: f64) -> [f32; 2] {
        let drawing = self.current_stroke().and_then(HandStroke::stroke);
        let marking = match &self.input.drag {
            Some(Drag::Mark { stroke, .. }) => Some(stroke),
            _ => None,
        };
        let radius = match drawing.or(marking) {
            Some(stroke) => stroke.radius,
            None => brush::radius_at(over.tools, viewport, over.grid, hz),
        };
        [radius[0] / viewport.secs_per_pixel(), radius[1] / viewport.units_per_pixel()].map(|radius| radius as f32)
    }

    fn draw_clone_source(&self, clipped: &egui::Painter, pane: &PaneAt, over: &MarkContext<'_>) {
        let Some(source) = self.clone_source_now() else { return };
        let viewport = &pane.viewport;
        let at = pos2(viewport.x_from_secs(source.secs) as f32, viewport.y_from_hz(source.hz) as f32);
        let radius = self.radius_on_screen(viewport, over, source.hz);
        let pointer = over.hovered.map(|(at, _)| at).filter(|at| pane.rect.contains(*at));
        marks::clone_source(clipped, at, radius, pointer);
    }

    fn draw_rulers(
        &self,
        ui: &egui::Ui,
        rects: &CanvasRects,
        panes: &[PaneAt],
        selection: Option<&Selection>,
        over: &MarkContext<'_>,
    ) {
        let palette = theme::palette(ui.ctx());
        let painter = ui.painter();
        let Some(first) = panes.first() else { return };
        let tags = |pointer: Option<Pos2>| Tags {
            pointer,
            selected: selection.map(Selection::extent),
            audible_hz: over.heard.audible_hz,
            ..Tags::default()
        };
        let head_secs = over.heard.playhead_secs.unwrap_or(over.document.cursor_secs());
        let head_x = first.viewport.x_from_secs(head_secs) as f32;
        let pointer = over.hovered.map(|(at, _)| at);
        let time_tags = Tags { head_x: Some(head_x), ..tags(pointer) };
        let starts_at_secs = over.document.starts_at_secs().filter(|_| over.document.view().time_of_day);
        let (viewport, time_tags) = later(&first.viewport, time_tags, starts_at_secs.unwrap_or(0.0));
        rulers::time_ruler(painter, rects.time_ruler, &viewport, &time_tags, palette);
        if let Some((strip, grid)) = rects.beats.zip(over.document.shown_beat()) {
            beat::ruler(painter, strip, &first.viewport, grid, palette);
        }
        let axis = rects.hz_axis();
        painter.rect_filled(axis, 0.0, palette.raised);
        // The corner also extends beside the bar numbers and the label lanes.
        let upper = rects.time_ruler.top()..=rects.picture.top();
        let corner = Rect::from_x_y_ranges(axis.x_range(), upper.clone());
        painter.rect_filled(corner, 0.0, palette.raised);
        let caption = theme::regular(theme::CAPTION);
        let at = corner.left_top() + vec2(8.0, 3.0);
        let unit = if starts_at_secs.is_some() { "h:min:s" } else { "min:s" };
        painter.text(at, Align2::LEFT_TOP, unit, caption.clone(), palette.text_weak);
        if let Some(strip) = rects.beats {
            let at = pos2(corner.left() + 8.0, strip.top() + 1.0);
            painter.text(at, Align2::LEFT_TOP, "bar.beat", theme::regular(theme::CAPTION), palette.text_weak);
        }
        painter.rect_filled(Rect::from_x_y_ranges(rects.colour_bar.x_range(), upper), 0.0, palette.raised);
        // The clip rectangle is wider than the ruler: near its ends, half of the head extends over a corner.
        let beyond = painter.with_clip_rect(rects.time_ruler.expand2(vec2(7.0, 0.0)));
        marks::playhead_head(&beyond, head_x, rects.time_ruler.bottom(), palette.text_strong);
        for pane in panes {
            let beside = Rect::from_x_y_ranges(rects.hz_ruler.x_range(), pane.rect.y_range());
            let pointer = pointer.filter(|at| pane.rect.contains(*at));
            rulers::hz_ruler(painter, beside, &pane.viewport, &tags(pointer), palette);
            if over.document.view().stacked && panes.len() > 1 {
                // The channel's name is drawn on the picture, as the axis numbers fill the space beside it.
                let info = over.document.shown().source().info();
                let name = channel_label(pane.channels, info.n_channels, info.channel_mask);
                let corner = pane.rect.left_top() + vec2(4.0, 2.0);
                marks::tag(&painter.with_clip_rect(pane.rect), pane.rect, corner, &name);
            }
            if let Some(keys) = rects.piano {
                let keys = Rect::from_x_y_ranges(keys.x_range(), pane.rect.y_range());
                piano::piano(painter, keys, &pane.viewport, pointer.map(|at| at.y), palette);
            }
        }
        if panes[0].plane == Plane::Phase {
            rulers::phase_bar(painter, rects.colour_bar, palette);
        } else {
            rulers::colour_bar(painter, rects, over.document.view(), palette);
        }
        if let Some(phase) = rects.phase {
            let below = Rect::from_x_y_ranges(rects.colour_bar.x_range(), rects.picture.bottom()..=phase.bottom());
            painter.rect_filled(below, 0.0, palette.raised);
            rulers::phase_bar(painter, Rect::from_x_y_ranges(below.x_range(), phase.y_range()), palette);
        }
        // Separators between panes, which also cross the rulers.
        for pair in panes.windows(2) {
            let gap =
                Rect::from_x_y_ranges(axis.left()..=pair[0].rect.right(), pair[0].rect.bottom()..=pair[1].rect.top());
            painter.rect_filled(gap, 0.0, palette.stroke);
        }
    }

    /// Draws the range being dragged on a ruler, and its two edges as lines on the pictures.
    fn draw_dragged_range(&self, ui: &egui::Ui, rects: &CanvasRects, panes: &[PaneAt]) {
        let Some(Drag::Ruler(drag)) = &self.input.drag else { return };
        let Some([from, to]) = drag.range() else { return };
        let face = theme::palette(ui.ctx()).accent.gamma_multiply(0.5);
        let is_time = drag.ruler == crate::canvas::hand::ruler_drag::Ruler::Time;
        let ruler = if is_time { rects.time_ruler } else { rects.hz_ruler };
        let band = if is_time {
            Rect::from_x_y_ranges(from..=to, ruler.y_range())
        } else {
            Rect::from_x_y_ranges(ruler.x_range(), from..=to)
        };
        ui.painter().with_clip_rect(ruler).rect_filled(band, 0.0, face);
        for pane in panes {
            let clipped = ui.painter().with_clip_rect(pane.rect);
            for at in [from, to] {
                if is_time {
                    marks::time_line(&clipped, pane.rect, at, false);
                } else {
                    marks::hz_line(&clipped, pane.rect, at);
                }
            }
        }
    }
}

/// The viewport and tags, shifted later by `by_secs`.
fn later(viewport: &Viewport, tags: Tags, by_secs: f64) -> (Viewport, Tags) {
    let moved = |secs: [f64; 2]| secs.map(|secs| secs + by_secs);
    let selected = tags.selected.map(|[secs, hz]| [secs.map(moved), hz]);
    (Viewport { secs: moved(viewport.secs), ..*viewport }, Tags { selected, ..tags })
}

/// Draws the lock above the colour bar, and the bar's unit. True if the lock was clicked.
fn lock_button(ui: &egui::Ui, rects: &CanvasRects, document: &OpenDocument) -> bool {
    let palette = theme::palette(ui.ctx());
    let place = rects.lock();
    let side = place.height().min(24.0);
    let face = Rect::from_min_size(place.left_top(), vec2(side, side));
    let response = ui.interact(face, ui.scope_id().with("lock range"), Sense::click());
    let is_locked = document.view().range_locked;
    let spec = ViewCommand::LockRange.row();
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_locked, spec.name));
    if response.hovered() {
        ui.painter().rect_filled(face, theme::RADIUS_BUTTON, palette.hover);
    }
    let icon = if is_locked { icons::LOCK } else { icons::LOCK_OPEN };
    let colour = if is_locked { palette.text } else { palette.accent };
    ui.painter().text(face.center(), Align2::CENTER_CENTER, icon, theme::icons(14.0), colour);
    let at = place.right_center() - vec2(2.0, 2.0);
    ui.painter().text(at, Align2::RIGHT_CENTER, "dB", theme::regular(theme::CAPTION), palette.text_weak);
    crate::widgets::tooltip(response, ViewCommand::LockRange, None).clicked()
}
