//! Actions of the pointer: strokes, selections, zoom, pan, rulers, colour bar.

use super::brush::CloneFrom;
use super::drag::{Drag, MenuKind, Press};
use super::label_drag::LabelDrawn;
use super::outline_drag::OutlineDrag;
use super::pointer::{Action, CLICK_POINTS, is_uncovered};
use super::ruler_drag::{Ruler, RulerDrag};
use super::{brush, float};
use crate::base::{Error, ErrorKind, Note};
use crate::canvas::Canvas;
use crate::canvas::axes::rulers;
use crate::canvas::overlay::picture_ghost;
use crate::canvas::report::Gestures;
use crate::document::brushes::PictureBrush;
use crate::dsp::{Grid, Selection, Shape};
use crate::view::{Limits, Viewport};
use crate::workbench::bench::limits::{MIN_RANGE_DB, RANGE_DB};
use crate::workbench::{OpenDocument, StrokeAct, Tool, Tools, View};
use egui::{Modifiers, PointerButton, Pos2, Vec2};

/// Zoom factor per notch of the wheel.
const ZOOM_PER_NOTCH: f64 = 1.2;
/// Fraction of the width scrolled per notch.
const SCROLL_PER_NOTCH: f64 = 0.1;
/// Maximum distance of a press from a handle of the colour bar, in points: an area 24 points high for a handle of 6.
const HANDLE_REACH: f32 = 12.0;

impl Canvas {
    pub(in crate::canvas) fn handle_pointer(
        &mut self,
        ui: &egui::Ui,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        limits: &Limits,
        gestures: &mut Gestures,
    ) {
        let (events, time_secs) = ui.input(|input| (input.events.clone(), input.time));
        self.input.is_shift = ui.input(|input| input.modifiers.shift);
        for action in self.input.pointer.actions(&events, time_secs) {
            match action {
                Action::Press { at, button, modifiers, double, force } => {
                    // The release was lost, outside the window or to a dialog: the drag ends here.
                    if self.input.drag.as_ref().is_some_and(|drag| drag.button() == button) {
                        self.release(at, button, document, tools, grid, limits, gestures);
                    }
                    let is_ours = is_uncovered(ui, at);
                    // egui closes an open popup only on a click, and this press may become a drag. A right-click
                    // moves the menu.
                    let closes = is_ours && egui::Popup::is_any_open(ui.ctx()) && button != PointerButton::Secondary;
                    if closes {
                        egui::Popup::close_all(ui.ctx());
                    }
                    if is_ours && !closes && self.input.drag.is_none() {
                        // A drag by the keyboard may have ended other than by its key: stops ignoring pointer moves.
                        self.keyboard.set_pen(false);
                        self.input.force = force;
                        self.press(at, button, modifiers, double, document, tools, grid, limits, gestures);
                    }
                }
                // Accidental mouse movement must not draw while the keyboard holds the tool down.
                Action::Move { .. } if self.has_key_pen() => {}
                Action::Move { at, force } => {
                    self.input.force = force;
                    self.follow(at, document, grid, limits, gestures);
                }
                Action::Release { at, button, .. } => {
                    self.release(at, button, document, tools, grid, limits, gestures);
                }
                Action::Wheel { at, notches, .. }
                    if self.overlays.loupe.is_on() && self.layout.viewport_at(at).is_some() =>
                {
                    let rate_hz = document.shown().sample_rate_hz();
                    self.overlays.loupe.turn(notches.x + notches.y, &document.view().transform, rate_hz);
                }
                Action::Wheel { at, notches, modifiers } if is_uncovered(ui, at) && !self.is_painting() => {
                    self.wheel(at, notches, modifiers, limits, gestures.view_of(document));
                }
                Action::Pinch { at, factor } if is_uncovered(ui, at) && !self.is_painting() => {
                    if let Some(viewport) = self.layout.viewport_at(at) {
                        let secs = viewport.secs_from_x(f64::from(at.x));
                        let view = gestures.view_of(document);
                        view.secs = limits.zoom_secs(view.secs, secs, f64::from(factor));
                    }
                }
                Action::Wheel { .. } | Action::Pinch { .. } => {}
            }
        }
        self.follow_outline_out(ui.ctx(), gestures);
    }

    #[expect(clippy::too_many_arguments, reason = "a press may mean anything")]
    fn press(
        &mut self,
        at: Pos2,
        button: PointerButton,
        modifiers: Modifiers,
        double: bool,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        limits: &Limits,
        gestures: &mut Gestures,
    ) {
        let Some(rects) = self.layout.rects() else { return };
        let pane = self.layout.viewport_at(at);
        if button == PointerButton::Middle && pane.is_some() {
            self.input.drag = Some(Drag::Pan { last: at, along: [true, true], button });
            return;
        }
        let on_ruler = self.layout.ruler_at(at);
        if let Some((ruler, viewport)) = on_ruler.filter(|_| button == PointerButton::Secondary || modifiers.shift) {
            self.input.drag = Some(Drag::Ruler(RulerDrag::new(ruler, at, button, viewport, true)));
            return;
        }
        if button == PointerButton::Secondary && pane.is_some() {
            let kind = if modifiers.shift { MenuKind::Brushes } else { MenuKind::Commands };
            self.input.drag = Some(Drag::Menu { start: at, kind });
        }
        if button != PointerButton::Primary {
            return;
        }
        if rects.splitter().is_some_and(|splitter| splitter.contains(at)) {
            self.input.drag = Some(Drag::Splitter);
        } else if !modifiers.any() && self.take_label(at, double, document, tools, gestures) {
            // A label is dragged, or a new one is drawn.
        } else if let Some(viewport) = pane {
            match self.take_outline(at, modifiers, viewport, document, tools) {
                Some(drag) => self.input.drag = Some(drag),
                None => self.press_in_pane(Press { at, modifiers, double, viewport }, document, tools, grid, gestures),
            }
        } else if let Some((ruler, viewport)) = on_ruler {
            match ruler {
                Ruler::Time if double => gestures.view_of(document).secs = [0.0, limits.duration_secs],
                Ruler::Hz
                    if tools.brush().is_some_and(|brush| brush.is_pitched())
                        && rects.piano.is_some_and(|keys| keys.contains(at)) =>
                {
                    let note = Note::from_hz(viewport.hz_from_y(f64::from(at.y)));
                    self.input.drag = note.map(|note| Drag::Key(note.midi, viewport));
                }
                Ruler::Hz if double => gestures.view_of(document).hz = limits.all_hz(document.view().axis),
                Ruler::Time if modifiers.ctrl || modifiers.command => {
                    gestures.cursor_secs = Some(self.input.secs_at(&viewport, at, limits));
                    self.input.drag = Some(Drag::Scrub);
                }
                _ => self.input.drag = Some(Drag::Ruler(RulerDrag::new(ruler, at, button, viewport, false))),
            }
        } else if rects.colour_bar.contains(at) {
            let strip = rulers::bar_strip(&rects);
            let distance = |db: f32| (rulers::y_from_db(strip, db) - at.y).abs();
            let view = gestures.view_of(document);
            let [dark, bright] = view.range_db.map(distance);
            // A range set by hand is locked.
            view.range_locked = true;
            self.input.drag = Some(if dark.min(bright) <= HANDLE_REACH {
                Drag::Handle(usize::from(bright < dark))
            } else {
                Drag::Range { last: at }
            });
        }
    }

    pub(in crate::canvas) fn press_in_pane(
        &mut self,
        press: Press,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        gestures: &mut Gestures,
    ) {
        let Press { at, viewport, modifiers, .. } = press;
        if let Some(floating) = document.floating().filter(|_| tools.active() != Tool::Hand) {
            let grip = floating.picture().and_then(|brush| {
                let grip = picture_ghost::grip_at(&brush.area, &viewport, at)?;
                Some(Drag::Grip { viewport, start: at, grip, from: Box::new(brush.clone()) })
            });
            if grip.is_some() {
                self.input.drag = grip;
            } else if float::is_on(floating, &viewport, at) {
                self.input.drag = Some(Drag::Float { viewport, start: at, from: floating.offset });
            } else {
                gestures.lands = true;
            }
            return;
        }
        match tools.active() {
            Tool::Hand => {
                self.input.drag = Some(Drag::Pan { last: at, along: [true, true], button: PointerButton::Primary });
            }
            Tool::Label if !document.is_reading() => {
                let drawn = LabelDrawn { viewport, start: at, now: at, is_in_lanes: false };
                self.input.drag = Some(Drag::NewLabel(drawn));
            }
            tool if tool.selects() => self.press_to_select(press, document, tools, grid, gestures),
            Tool::CLONE if modifiers.command || modifiers.ctrl => {
                let source = brush::point_at(&viewport, grid, [f64::from(at.x), f64::from(at.y)]);
                self.input.clone_source = Some(source);
                gestures.clones_from_here = true;
            }
            Tool::CLONE if self.input.clone_source.is_none() && document.donor().is_none() => {
                let what = "the clone brush has no source yet; Ctrl+click to set it";
                gestures.notice = Some(Error::new(ErrorKind::Script, what));
            }
            Tool::DENOISE if tools.is_learning() => {
                let what = "the noise profile is still being learnt; paint again when it is ready";
                gestures.notice = Some(Error::new(ErrorKind::Script, what));
            }
            Tool::DENOISE if tools.noise().is_none() => {
                let what = "no noise profile has been learnt yet; select a passage of noise alone and choose Learn \
                            noise in the Edit menu";
                gestures.notice = Some(Error::new(ErrorKind::Script, what));
            }
            _ if document.is_reading() => {
                let what = "this file is still being read; paint when it is complete";
                gestures.notice = Some(Error::new(ErrorKind::Unsupported, what));
            }
            _ if document.open_preview().is_some() => {
                let what = "a preview is open; press Enter to apply it or Esc to cancel it, then paint";
                gestures.notice = Some(Error::new(ErrorKind::Unsupported, what));
            }
            // The sound before the edits is shown; a stroke would not change it.
            _ if document.shows_before() => {}
            _ => {
                let Some(channels) = self.layout.pane_at(at).map(|pane| pane.channels) else { return };
                let select = document.selection();
                // The stroke edits the channels of the pane it begins in.
                let view = View { channels, ..document.view().clone() };
                let source = match document.donor() {
                    Some(donor) => Some(CloneFrom::Sound(donor)),
                    None => self.input.clone_source.map(CloneFrom::Place),
                };
                let pen = self.input.pen(at);
                let Some(edit) = brush::begin_stroke(tools, &view, select, &viewport, grid, &pen, source) else {
                    return;
                };
                self.begin_stroke(edit, channels, viewport, gestures);
            }
        }
    }

    pub(in crate::canvas) fn follow(
        &mut self,
        at: Pos2,
        document: &OpenDocument,
        grid: &Grid,
        limits: &Limits,
        gestures: &mut Gestures,
    ) {
        let Some(rects) = self.layout.rects() else { return };
        let viewport = self.layout.viewport();
        match &mut self.input.drag {
            Some(Drag::Stroke(_)) => self.follow_pen(at, grid, gestures),
            Some(Drag::Select { now, .. } | Drag::Outline(OutlineDrag { now, .. })) => *now = at,
            Some(Drag::Label(drag)) => drag.now = at,
            Some(Drag::NewLabel(drawn)) => drawn.now = at,
            Some(Drag::Mark { stroke, viewport, .. }) => {
                let point = brush::point_at(viewport, grid, [f64::from(at.x), f64::from(at.y)]);
                if stroke.points.last() != Some(&point) {
                    stroke.points.push(point);
                }
            }
            Some(Drag::Lasso { .. }) => self.follow_lasso(at, grid),
            Some(Drag::Pan { last, along, .. }) => {
                let Some(viewport) = viewport else { return };
                let view = gestures.view_of(document);
                let moved = at - *last;
                *last = at;
                if along[0] {
                    let by = f64::from(moved.x) * viewport.secs_per_pixel();
                    view.secs = limits.clamp_secs(view.secs.map(|secs| secs - by));
                }
                if along[1] {
                    view.hz = limits.pan_hz(view.hz, view.axis, f64::from(moved.y) * viewport.units_per_pixel());
                }
            }
            Some(Drag::Handle(which)) => {
                let view = gestures.view_of(document);
                let db = rulers::db_from_y(rulers::bar_strip(&rects), at.y);
                let [dark, bright] = view.range_db;
                let [min, max] = RANGE_DB.map(|db| db as f32);
                view.range_db = if *which == 0 {
                    [db.clamp(min, (bright - MIN_RANGE_DB).max(min)), bright]
                } else {
                    [dark, db.clamp((dark + MIN_RANGE_DB).min(max), max)]
                };
            }
            Some(Drag::Range { last }) => {
                let view = gestures.view_of(document);
                let strip = rulers::bar_strip(&rects);
                let by = rulers::db_from_y(strip, at.y) - rulers::db_from_y(strip, last.y);
                *last = at;
                let [dark, bright] = view.range_db;
                let [min, max] = RANGE_DB.map(|db| db as f32);
                let by = by.clamp((min - dark).min(0.0), (max - bright).max(0.0));
                view.range_db = [dark + by, bright + by];
            }
            Some(Drag::Splitter) => self.layout.split_at(at.y),
            Some(Drag::Scrub) => {
                gestures.cursor_secs = viewport.map(|viewport| self.input.secs_at(&viewport, at, limits));
            }
            Some(Drag::Float { viewport, start, from }) => {
                let floating = document.floating();
                gestures.float = floating.map(|floating| float::dragged(floating, viewport, [*start, at], *from));
            }
            Some(Drag::Key(midi, viewport)) => {
                *midi = Note::from_hz(viewport.hz_from_y(f64::from(at.y))).map_or(*midi, |note| note.midi);
            }
            Some(Drag::Grip { viewport, start, grip, from }) => {
                let area = picture_ghost::resized(&from.area, *grip, viewport, [*start, at], self.input.is_shift);
                gestures.picture = Some(Box::new(PictureBrush { area, ..(**from).clone() }));
            }
            Some(Drag::Ruler(drag)) => drag.follow(at, gestures.view_of(document), limits),
            Some(Drag::Menu { .. }) | None => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a release may mean anything")]
    pub(in crate::canvas) fn release(
        &mut self,
        at: Pos2,
        button: PointerButton,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        limits: &Limits,
        gestures: &mut Gestures,
    ) {
        if self.input.drag.as_ref().is_none_or(|drag| drag.button() != button) {
            return;
        }
        self.follow(at, document, grid, limits, gestures);
        match self.input.drag.take() {
            Some(Drag::Stroke(_)) => gestures.strokes.push(StrokeAct::End),
            Some(Drag::Select { tool: Tool::SelectHarmonics, viewport, start, joining, .. }) => {
                Canvas::request_harmonics(&viewport, [start, at], &joining, tools, gestures);
            }
            Some(Drag::Select { tool, viewport, start, joining, .. }) => {
                if start.distance(at) < CLICK_POINTS {
                    if joining.combine.is_none() {
                        gestures.selection = Some(None);
                    }
                    gestures.cursor_secs = Some(self.input.secs_at(&viewport, at, limits));
                } else {
                    let places = self.snapped(&viewport, in_pane(&viewport, start, at));
                    gestures.selection = Some(joining.with(brush::shape_between(tool, &viewport, grid, places)));
                }
            }
            Some(Drag::Mark { stroke, joining, .. }) => {
                gestures.selection = Some(joining.with(Shape::Stroke(stroke)));
            }
            Some(Drag::Outline(outline)) => gestures.selection = self.outlined(&outline, grid).map(Some),
            Some(Drag::Label(drag)) => self.release_label(&drag, gestures),
            Some(Drag::NewLabel(drawn)) => self.release_new_label(&drawn, document, gestures),
            Some(Drag::Lasso { has_moved, .. }) => self.release_lasso(has_moved, grid, gestures),
            Some(Drag::Ruler(drag)) => {
                let is_click = drag.release(gestures.view_of(document), limits);
                if is_click && drag.ruler == Ruler::Time {
                    gestures.cursor_secs =
                        self.layout.viewport().map(|viewport| self.input.secs_at(&viewport, at, limits));
                }
                // A right-click in the label lanes opens a menu.
                if button == PointerButton::Secondary && drag.range().is_none() && self.layout.lanes_at(at).is_some() {
                    gestures.menu = Some(self.menu_at(at, MenuKind::Commands, document));
                }
            }
            Some(Drag::Menu { start, kind }) if start.distance(at) < CLICK_POINTS => {
                gestures.menu = Some(self.menu_at(start, kind, document));
            }
            _ => {}
        }
    }

    fn wheel(&mut self, at: Pos2, notches: Vec2, modifiers: Modifiers, limits: &Limits, view: &mut View) {
        let on_ruler = self.layout.ruler_at(at);
        let over_pictures = self.layout.viewport_at(at).is_some();
        let Some(viewport) = self.layout.viewport_at(at).or(on_ruler.map(|(_, viewport)| viewport)) else { return };
        let over_hz = matches!(on_ruler, Some((Ruler::Hz, _)));
        let zoom = ZOOM_PER_NOTCH.powf(f64::from(notches.y));
        let hz = viewport.hz_from_y(f64::from(at.y));
        if over_hz || (over_pictures && (modifiers.ctrl || modifiers.command)) {
            view.hz = limits.zoom_hz(view.hz, view.axis, hz, zoom);
            return;
        }
        // Some systems report the vertical wheel as horizontal while Shift is held.
        let scroll = if modifiers.shift { notches.x + notches.y } else { notches.x };
        if scroll != 0.0 {
            let by = f64::from(scroll) * SCROLL_PER_NOTCH * (view.secs[1] - view.secs[0]);
            view.secs = limits.clamp_secs(view.secs.map(|secs| secs - by));
        }
        if !modifiers.shift && notches.y != 0.0 {
            view.secs = limits.zoom_secs(view.secs, viewport.secs_from_x(f64::from(at.x)), zoom);
        }
    }

    /// The ends of a drag, snapped to onsets and peaks. The keyboard's cursor doesn't snap.
    pub(in crate::canvas) fn snapped(&self, viewport: &Viewport, places: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
        if self.keyboard.has_pen() {
            return places;
        }
        places.map(|place| self.input.snapper.place(viewport, place))
    }

    /// The selection as if the button were released now.
    pub(in crate::canvas) fn selection_in_the_making(&self, grid: &Grid) -> Option<Selection> {
        match &self.input.drag {
            Some(Drag::Select { tool, viewport, start, now, joining }) if start.distance(*now) >= CLICK_POINTS => {
                // The harmonics are only found after the release; until then the time range is shown.
                let tool = if *tool == Tool::SelectHarmonics { Tool::SelectTime } else { *tool };
                let shape =
                    brush::shape_between(tool, viewport, grid, self.snapped(viewport, in_pane(viewport, *start, *now)));
                joining.with(shape)
            }
            Some(Drag::Mark { stroke, joining, .. }) => joining.with(Shape::Stroke(stroke.clone())),
            Some(Drag::Outline(outline)) => self.outlined(outline, grid),
            _ => None,
        }
    }
}

/// Two positions, clamped to the pane.
fn in_pane(viewport: &Viewport, a: Pos2, b: Pos2) -> [[f64; 2]; 2] {
    [a, b].map(|at| {
        let clamp =
            |value: f32, k: usize| f64::from(value).clamp(viewport.origin[k], viewport.origin[k] + viewport.size[k]);
        [clamp(at.x, 0), clamp(at.y, 1)]
    })
}
