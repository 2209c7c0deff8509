//! The spectrum panel: curves over the canvas' frequency axis, their legend, the loudest peaks.

use super::super::widgets::theme;
use crate::base::{Note, number};
use crate::dsp::Grid;
use crate::view::{Extent, LabelSize, Peak, Slice, Viewport, hz_ticks};
use crate::workbench::{Layout, OpenDocument, Spectrum, View};
use egui::{Align2, Color32, CornerRadius, Id, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Margins for the level scale at the left, and the frequency scale below.
const MARGIN: egui::Vec2 = vec2(32.0, 18.0);
/// Height of the plot, normally and in a short window.
const HEIGHTS: [f32; 2] = [126.0, 96.0];
/// Number of listed peaks, normally and in a short window.
const N_PEAKS: [usize; 2] = [5, 3];
/// Window height in points below which it counts as short.
const LOW: f32 = 900.0;

/// A curve's colour, and whether it is dashed.
#[derive(Clone, Copy)]
struct Pen {
    colour: Color32,
    is_dashed: bool,
}

/// Maps frequencies and levels to points of the plot.
struct Plot {
    rect: Rect,
    view: Viewport,
    range_db: [f32; 2],
}

impl Plot {
    /// A plot whose horizontal axis is the canvas's frequency axis, and whose vertical axis is its colour range.
    fn new(rect: Rect, view: &View) -> Plot {
        // A viewport's frequency axis is vertical, so this one is turned by 90 degrees.
        let size = [f64::from(rect.height()), f64::from(rect.width())];
        let view_port = Viewport { secs: view.secs, hz: view.hz, axis: view.axis, origin: [0.0; 2], size };
        Plot { rect, view: view_port, range_db: view.range_db }
    }

    /// Horizontal position of a frequency, limited to near the plot: on a log axis 0 Hz is at infinity, and a dashed
    /// line from there would have endless dashes.
    fn x(&self, hz: f64) -> f32 {
        let up = self.view.y_from_hz(hz).clamp(-1e4, 1e4) as f32;
        self.rect.right() - up
    }

    fn hz(&self, x: f32) -> f64 {
        self.view.hz_from_y(f64::from(self.rect.right() - x))
    }

    fn y(&self, db: f32) -> f32 {
        let [dark, bright] = self.range_db;
        let part = ((db - dark) / (bright - dark)).clamp(0.0, 1.0);
        self.rect.bottom() - part * self.rect.height()
    }

    /// Polylines with one point per pixel column, or per bin if bins are further apart, with gaps where levels are not
    /// finite.
    fn lines(&self, grid: &Grid, levels: &[f32]) -> Vec<Vec<egui::Pos2>> {
        let mut lines: Vec<Vec<egui::Pos2>> = vec![Vec::new()];
        let mut bin = grid.bin_from_hz(self.view.hz[0]).floor().max(0.0) as usize;
        let last = (grid.bin_from_hz(self.view.hz[1]).ceil() as usize).min(levels.len().saturating_sub(1));
        while bin <= last {
            let x = self.x(grid.hz_from_bin(bin as f64));
            let (mut max, mut next) = (levels[bin], bin + 1);
            // Of the bins in one pixel column, the loudest is drawn.
            let column_end = grid.bin_from_hz(self.hz(x + 1.0)).floor().max(0.0) as usize;
            while next <= column_end.min(last) {
                max = max.max(levels[next]);
                next += 1;
            }
            match lines.last_mut() {
                Some(line) if max.is_finite() => line.push(pos2(x, self.y(max))),
                Some(line) if !line.is_empty() => lines.push(Vec::new()),
                _ => {}
            }
            bin = next;
        }
        lines
    }
}

/// The whole panel below its heading.
pub fn ui(ui: &mut Ui, document: &OpenDocument, spectrum: &Spectrum, layout: &Layout) {
    let palette = theme::palette(ui.ctx());
    let is_low = usize::from(ui.ctx().content_rect().height() < LOW);
    let (all, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHTS[is_low]), Sense::hover());
    let Some(slice) = spectrum.slice() else { return };
    let extent = spectrum.extent().map(AsRef::as_ref);
    let spoken = spoken(slice);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &spoken));
    let rect =
        Rect::from_min_max(pos2(all.left() + MARGIN.x, all.top() + 6.0), all.right_bottom() - vec2(0.0, MARGIN.y));
    let plot = Plot::new(rect, document.view());
    ui.painter().rect_filled(rect, CornerRadius::ZERO, palette.well);
    if let Some([low, high]) = document.selected_hz() {
        let band = Rect::from_x_y_ranges(plot.x(low)..=plot.x(high).max(plot.x(low) + 1.0), rect.y_range());
        ui.painter().with_clip_rect(rect).rect_filled(band, CornerRadius::ZERO, palette.field);
    }
    scales(ui, &plot);
    let painter = ui.painter().with_clip_rect(rect.expand(1.0));
    let curves = curves(palette, slice, extent, layout);
    for (_, grid, levels, pen) in &curves {
        for line in plot.lines(grid, levels).into_iter().filter(|line| line.len() > 1) {
            let stroke = Stroke::new(1.25, pen.colour);
            if pen.is_dashed {
                painter.extend(Shape::dashed_line(&line, stroke, 3.0, 2.0));
            } else {
                painter.add(Shape::line(line, stroke));
            }
        }
    }
    let shown: Vec<Peak> = in_view(&slice.peaks, &plot).take(N_PEAKS[is_low]).collect();
    for peak in &shown {
        painter.circle_stroke(pos2(plot.x(peak.hz), plot.y(peak.db as f32)), 3.0, Stroke::new(1.5, palette.accent));
    }
    if let Some(at) = response.hover_pos().filter(|at| rect.contains(*at)) {
        pointed(ui, &plot, slice, at.x);
    }
    legend(ui, &curves);
    peak_rows(ui, &shown);
    show_new_noise(ui, slice.noise.is_some());
}

/// In a short window the panel may be scrolled out of view: scrolls back to show the curve of a newly learnt noise.
fn show_new_noise(ui: &Ui, has_noise: bool) {
    let id = Id::unique("noise in the spectrum panel");
    let had_noise = ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default::<bool>(id), has_noise));
    if has_noise && !had_noise {
        ui.scroll_to_rect(ui.min_rect(), None);
    }
}

/// The text for screen readers.
fn spoken(slice: &Slice) -> String {
    let at = crate::base::clock_from_secs(slice.secs);
    match slice.peaks.first() {
        Some(peak) => format!("Spectrum at {at}, loudest at {} Hz with {} dB", number(peak.hz, 1), number(peak.db, 1)),
        None => format!("Spectrum at {at}, silence"),
    }
}

type Curve<'a> = (&'static str, Grid, &'a [f32], Pen);

/// The curves to draw, from bottom to top.
fn curves<'a>(
    palette: &theme::Palette,
    slice: &'a Slice,
    extent: Option<&'a Extent>,
    layout: &Layout,
) -> Vec<Curve<'a>> {
    let mut curves: Vec<Curve<'a>> = Vec::new();
    let pen = |colour, is_dashed| Pen { colour, is_dashed };
    if let Some(extent) = extent {
        if layout.curves().has_most {
            curves.push(("maximum", extent.grid.clone(), &extent.max, pen(palette.series_2, true)));
        }
        if layout.curves().has_mean {
            curves.push(("mean", extent.grid.clone(), &extent.mean, pen(palette.series_2, false)));
        }
    }
    if let Some(noise) = &slice.noise {
        curves.push(("noise", slice.grid.clone(), noise, pen(palette.warning, true)));
    }
    if let Some(before) = slice.before.as_deref().filter(|_| layout.curves().has_before) {
        curves.push(("before", slice.grid.clone(), before, pen(palette.text_weak, false)));
    }
    let name = if slice.before.is_some() { "after" } else { "here" };
    curves.push((name, slice.grid.clone(), &slice.after, pen(palette.accent, false)));
    curves
}

fn in_view<'a>(peaks: &'a [Peak], plot: &'a Plot) -> impl Iterator<Item = Peak> + 'a {
    let [low, high] = plot.view.hz;
    peaks.iter().copied().filter(move |peak| (low..=high).contains(&peak.hz))
}

/// Lines and numbers of both scales.
fn scales(ui: &Ui, plot: &Plot) {
    let palette = theme::palette(ui.ctx());
    let painter = ui.painter();
    let font = theme::regular(theme::CAPTION);
    let [dark, bright] = plot.range_db;
    let points_per_db = plot.rect.height() / (bright - dark);
    let step = [5.0, 10.0, 20.0, 40.0, 60.0].into_iter().find(|step| step * points_per_db >= 22.0).unwrap_or(60.0);
    let mut db = (bright / step).floor() * step;
    while db >= dark {
        let y = plot.y(db);
        painter.hline(plot.rect.x_range(), y, Stroke::new(1.0, palette.stroke));
        let at = pos2(plot.rect.left() - 5.0, y.max(plot.rect.top() + 4.0));
        painter.text(at, Align2::RIGHT_CENTER, number(f64::from(db), 0), font.clone(), palette.text_weak);
        db -= step;
    }
    let zero = painter.layout_no_wrap("0".into(), font.clone(), Color32::WHITE).size().x;
    // On a horizontal axis, numbers are spaced by their width, not their height.
    let size = LabelSize { letter: f64::from(zero), line: f64::from(zero) * 4.0, gap: 6.0 };
    let mut last_right = f32::MIN;
    let mut ticks: Vec<(f32, Option<String>)> =
        hz_ticks(&plot.view, size).into_iter().map(|t| (plot.rect.right() - t.pixel as f32, t.label)).collect();
    ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (x, label) in ticks {
        let bottom = plot.rect.bottom();
        let Some(label) = label else {
            painter.vline(x, bottom..=bottom + 2.0, Stroke::new(1.0, palette.stroke_strong));
            continue;
        };
        painter.vline(x, plot.rect.y_range(), Stroke::new(1.0, palette.stroke));
        let galley = painter.layout_no_wrap(label, font.clone(), palette.text_weak);
        let right = plot.rect.right() - galley.size().x;
        let left = (x - galley.size().x / 2.0).clamp(plot.rect.left() - 8.0, right);
        if left > last_right + 4.0 {
            last_right = left + galley.size().x;
            painter.galley(pos2(left, bottom + 3.0), galley, palette.text_weak);
        }
    }
}

/// A line under the pointer, and the curve's value there.
fn pointed(ui: &Ui, plot: &Plot, slice: &Slice, x: f32) {
    let palette = theme::palette(ui.ctx());
    let hz = plot.hz(x);
    let bin = (slice.grid.bin_from_hz(hz).round().max(0.0) as usize).min(slice.after.len().saturating_sub(1));
    let db = slice.after.get(bin).copied().filter(|db| db.is_finite());
    let painter = ui.painter();
    painter.vline(x, plot.rect.y_range(), Stroke::new(1.0, palette.text_strong));
    let level = db.map_or_else(|| "silence".into(), |db| format!("{} dB", number(f64::from(db), 1)));
    let note = Note::from_hz(hz).map(|note| format!(" {}", note.name())).unwrap_or_default();
    let text = format!("{} Hz{note}  {level}", number(hz, 1));
    let galley = painter.layout_no_wrap(text, theme::regular(theme::CAPTION), palette.text_strong);
    let is_left = x > plot.rect.center().x;
    let left = if is_left { x - galley.size().x - 10.0 } else { x + 6.0 };
    let at = pos2(left, plot.rect.top() + 4.0);
    painter.rect_filled(
        Rect::from_min_size(at, galley.size()).expand2(vec2(4.0, 2.0)),
        theme::RADIUS_SEGMENT,
        palette.active,
    );
    painter.galley(at, galley, palette.text_strong);
}

fn legend(ui: &mut Ui, curves: &[Curve<'_>]) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal_wrapped(|ui| {
        ui.add_space(MARGIN.x);
        for (name, .., pen) in curves.iter().rev() {
            let (mark, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            let ends = [mark.left_center(), mark.right_center()];
            let stroke = Stroke::new(2.0, pen.colour);
            if pen.is_dashed {
                ui.painter().extend(Shape::dashed_line(&ends, stroke, 3.0, 2.0));
            } else {
                ui.painter().line_segment(ends, stroke);
            }
            ui.label(egui::RichText::new(*name).size(theme::CAPTION).color(palette.text));
            ui.add_space(2.0);
        }
    });
}

/// Hertz, note, cents and level, each right-aligned in its column.
fn peak_rows(ui: &mut Ui, peaks: &[Peak]) {
    let palette = theme::palette(ui.ctx());
    ui.spacing_mut().item_spacing.y = 0.0;
    for (i, peak) in peaks.iter().enumerate() {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
        let note = Note::from_hz(peak.hz);
        let name = note.map(Note::name).unwrap_or_default();
        let cents = note.map(|note| number(note.cents, 0)).unwrap_or_default();
        let (hz, db) = (number(peak.hz, 1), number(peak.db, 1));
        let spoken = format!("Peak {}: {hz} Hz, {name} {cents} cents, {db} dB", i + 1);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
        let left = rect.left() + MARGIN.x;
        let column = |right: f32, number: &str, unit: &str, colour| {
            let painter = ui.painter();
            let font = theme::regular(theme::HEADING);
            let at = pos2(right, rect.center().y);
            let drawn = painter.text(at, Align2::RIGHT_CENTER, unit, font.clone(), palette.text_weak);
            painter.text(drawn.left_center() - vec2(3.0, 0.0), Align2::RIGHT_CENTER, number, font, colour);
        };
        column(left + 76.0, &hz, "Hz", palette.text_strong);
        ui.painter().text(
            pos2(left + 100.0, rect.center().y),
            Align2::LEFT_CENTER,
            &name,
            theme::regular(theme::HEADING),
            palette.text_strong,
        );
        let cents = if note.is_some_and(|note| note.cents.round() > 0.0) { format!("+{cents}") } else { cents };
        column(left + 176.0, &cents, "ct", palette.text);
        column(rect.right(), &db, "dB", palette.text_strong);
    }
    if peaks.is_empty() {
        ui.label(egui::RichText::new("No peak in view.").color(palette.text_weak));
    }
}
