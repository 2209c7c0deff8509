//! Rulers and colour bar: painting only; pointer input is handled elsewhere.

use crate::canvas::layout::CanvasRects;
use crate::view::{LabelSize, Viewport, hz_ticks, phase_rgb, time_ticks};
use crate::widgets::theme;
use crate::widgets::theme::{CAPTION, Palette};
use crate::workbench::View;
use egui::{Align2, Color32, Mesh, Painter, Rect, Shape, Stroke, pos2, vec2};

/// Levels at the lower and upper end of the colour bar, in dB.
pub const BAR_DB: [f32; 2] = [-120.0, 6.0];
/// Numbers closer to a tag than this, in points, are hidden.
const TAG_ROOM: f32 = 16.0;
/// Half the width of the cursor's head plus a gap, in points.
pub const HEAD_ROOM: f32 = 8.5;
/// Drawn size of the colour bar's handles.
const HANDLE: egui::Vec2 = vec2(14.0, 6.0);

/// The rectangle of the coloured strip in the colour bar.
pub fn bar_strip(rects: &CanvasRects) -> Rect {
    let bar = rects.colour_bar;
    Rect::from_min_max(pos2(bar.left() + 3.0, bar.top() + 8.0), pos2(bar.left() + 11.0, bar.bottom() - 8.0))
}

/// Vertical position of a level on the colour bar.
pub fn y_from_db(strip: Rect, db: f32) -> f32 {
    strip.bottom() - (db - BAR_DB[0]) / (BAR_DB[1] - BAR_DB[0]) * strip.height()
}

/// Level at a vertical position on the colour bar.
pub fn db_from_y(strip: Rect, y: f32) -> f32 {
    BAR_DB[0] + (strip.bottom() - y) / strip.height() * (BAR_DB[1] - BAR_DB[0])
}

/// Marks on the rulers in addition to numbers.
#[derive(Debug, Default)]
pub struct Tags {
    /// The pointer's position in the pane with this viewport.
    pub pointer: Option<egui::Pos2>,
    /// Position of the head of the cursor or the playhead on the time ruler.
    pub head_x: Option<f32>,
    /// The audible frequencies, if playback changes them.
    pub audible_hz: Option<[f64; 2]>,
    /// The selection's extent: seconds, hertz.
    pub selected: Option<[Option<[f64; 2]>; 2]>,
}

fn label_size(painter: &Painter) -> LabelSize {
    let zero = painter.layout_no_wrap("0".into(), theme::regular(CAPTION), Color32::WHITE);
    LabelSize { letter: f64::from(zero.size().x), line: f64::from(CAPTION) + 2.0, gap: 8.0 }
}

/// Left edge of the number of a tick at `x`: beside the tick, or right of the cursor's head if that covers it. `None`
/// if it would overlap the head, the pointer's tag, or the previous number.
pub fn time_label_left(x: f32, width: f32, tags: &Tags, last_right: f32) -> Option<f32> {
    let is_apart = |left: f32, mark: f32, room: f32| mark + room <= left || mark - room >= left + width;
    let beside = x + 3.0;
    let left = match tags.head_x {
        Some(head) if is_apart(beside, head, HEAD_ROOM) => beside,
        Some(head) if (head - x).abs() < HEAD_ROOM => head + HEAD_ROOM,
        Some(_) => return None,
        None => beside,
    };
    let is_free = tags.pointer.is_none_or(|tag| is_apart(left, tag.x, 32.0 + TAG_ROOM / 2.0));
    (is_free && left > last_right).then_some(left)
}

/// The time ruler.
pub fn time_ruler(painter: &Painter, rect: Rect, viewport: &Viewport, tags: &Tags, palette: &Palette) {
    let painter = painter.with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, palette.raised);
    let line = |x: f32, height: f32, colour| {
        painter.line_segment([pos2(x, rect.bottom() - height), pos2(x, rect.bottom())], Stroke::new(1.0, colour));
    };
    let tag_x = tags.pointer.map(|at| at.x);
    let mut last_right = f32::MIN;
    for tick in time_ticks(viewport, label_size(&painter)) {
        let x = rect.left() + tick.pixel as f32;
        match tick.label {
            None => line(x, 4.0, palette.stroke_strong),
            Some(label) => {
                line(x, 9.0, palette.text_weak);
                let galley = painter.layout_no_wrap(label, theme::regular(CAPTION), palette.text_weak);
                if let Some(left) = time_label_left(x, galley.size().x, tags, last_right) {
                    last_right = left + galley.size().x + 4.0;
                    painter.galley(pos2(left, rect.top() + 3.0), galley, palette.text_weak);
                }
            }
        }
    }
    if let Some([Some([from, to]), _]) = tags.selected {
        let [left, right] = [from, to].map(|secs| viewport.x_from_secs(secs) as f32);
        let bar = Rect::from_min_max(pos2(left, rect.bottom() - 3.0), pos2(right, rect.bottom()));
        painter.rect_filled(bar, 0.0, palette.accent);
    }
    if let Some(x) = tag_x {
        let text = crate::base::clock_from_secs(viewport.secs_from_x(f64::from(x)).max(0.0));
        tag(&painter, text, pos2(x, rect.center().y - 2.0), Align2::CENTER_CENTER, rect, palette);
    }
}

/// The part of the frequency ruler beside one picture.
pub fn hz_ruler(painter: &Painter, rect: Rect, viewport: &Viewport, tags: &Tags, palette: &Palette) {
    let painter = painter.with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, palette.raised);
    let tag_y = tags.pointer.map(|at| at.y);
    for tick in hz_ticks(viewport, label_size(&painter)) {
        let y = rect.top() + tick.pixel as f32;
        let (length, colour) =
            if tick.label.is_some() { (8.0, palette.text_weak) } else { (4.0, palette.stroke_strong) };
        painter.line_segment([pos2(rect.right() - length, y), pos2(rect.right(), y)], Stroke::new(1.0, colour));
        if let Some(label) = tick.label
            && tag_y.is_none_or(|tag| (tag - y).abs() >= TAG_ROOM)
        {
            let at = pos2(rect.right() - 11.0, y);
            painter.text(at, Align2::RIGHT_CENTER, label, theme::regular(CAPTION), palette.text_weak);
        }
    }
    if let Some([low, high]) = tags.audible_hz {
        let [top, bottom] = [high, low].map(|hz| viewport.y_from_hz(hz.max(1.0)).clamp(-1e6, 1e6) as f32);
        let bar = Rect::from_min_max(pos2(rect.left(), top), pos2(rect.left() + 3.0, bottom));
        painter.rect_filled(bar, 0.0, palette.series_2);
    }
    if let Some([_, Some([low, high])]) = tags.selected {
        let [top, bottom] = [high, low].map(|hz| viewport.y_from_hz(hz).clamp(-1e6, 1e6) as f32);
        let bar = Rect::from_min_max(pos2(rect.right() - 3.0, top), pos2(rect.right(), bottom));
        painter.rect_filled(bar, 0.0, palette.accent);
    }
    if let Some(y) = tag_y {
        let hz = viewport.hz_from_y(f64::from(y));
        let text = if hz < 10_000.0 { format!("{hz:.1}") } else { format!("{hz:.0}") };
        tag(&painter, text, pos2(rect.right() - 8.0, y), Align2::RIGHT_CENTER, rect, palette);
    }
}

fn tag(painter: &Painter, text: String, at: egui::Pos2, align: Align2, within: Rect, palette: &Palette) {
    let galley = painter.layout_no_wrap(text, theme::regular(CAPTION), palette.text_strong);
    let text = align.anchor_size(at, galley.size());
    let mut face = text.expand2(vec2(4.0, 2.0));
    let shift = (within.left() - face.left()).max(0.0) - (face.right() - within.right()).max(0.0);
    face = face.translate(vec2(shift, 0.0));
    painter.rect_filled(face, theme::RADIUS_SEGMENT, palette.active);
    painter.galley(text.min + vec2(shift, 0.0), galley, palette.text_strong);
}

/// The colour bar: the colour map stretched between two handles, and a scale in decibels.
pub fn colour_bar(painter: &Painter, rects: &CanvasRects, view: &View, palette: &Palette) {
    let painter = painter.with_clip_rect(rects.colour_bar);
    painter.rect_filled(rects.colour_bar, 0.0, palette.raised);
    let strip = bar_strip(rects);
    let [dark, bright] = view.range_db;
    let mut mesh = Mesh::default();
    let n_bands = 64u32;
    for band in 0..=n_bands {
        let part = band as f32 / n_bands as f32;
        let db = BAR_DB[0] + (BAR_DB[1] - BAR_DB[0]) * part;
        let [r, g, b] = view.colormap.rgb((db - dark) / (bright - dark));
        let y = y_from_db(strip, db);
        mesh.colored_vertex(pos2(strip.left(), y), Color32::from_rgb(r, g, b));
        mesh.colored_vertex(pos2(strip.right(), y), Color32::from_rgb(r, g, b));
        if band > 0 {
            let i = 2 * band;
            mesh.add_triangle(i - 2, i - 1, i);
            mesh.add_triangle(i - 1, i, i + 1);
        }
    }
    painter.add(Shape::mesh(mesh));
    let points_per_db = strip.height() / (BAR_DB[1] - BAR_DB[0]);
    let step = [20.0, 40.0].into_iter().find(|step| step * points_per_db >= 18.0).unwrap_or(60.0);
    let mut db = 0.0;
    while db >= BAR_DB[0] {
        let y = y_from_db(strip, db);
        let minus = if db < 0.0 { "\u{2212}" } else { "" };
        // No tick, since it would touch the minus sign.
        let at = pos2(rects.colour_bar.right() - 1.0, y);
        painter.text(
            at,
            Align2::RIGHT_CENTER,
            format!("{minus}{:.0}", db.abs()),
            theme::regular(CAPTION),
            palette.text_weak,
        );
        db -= step;
    }
    for db in view.range_db {
        let face = Rect::from_center_size(pos2(strip.center().x, y_from_db(strip, db)), HANDLE);
        painter.rect_filled(face, 2.0, palette.text_strong);
    }
}

/// The colour bar of phases, from −½ to +½ turn.
pub fn phase_bar(painter: &Painter, rect: Rect, palette: &Palette) {
    let painter = painter.with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, palette.raised);
    let strip =
        Rect::from_min_max(pos2(rect.left() + 3.0, rect.top() + 8.0), pos2(rect.left() + 11.0, rect.bottom() - 8.0));
    let mut mesh = Mesh::default();
    let n_bands = 64u32;
    for band in 0..=n_bands {
        let part = band as f32 / n_bands as f32;
        let [r, g, b] = phase_rgb((part - 0.5).clamp(-0.5, 0.4999));
        let y = strip.bottom() - part * strip.height();
        mesh.colored_vertex(pos2(strip.left(), y), Color32::from_rgb(r, g, b));
        mesh.colored_vertex(pos2(strip.right(), y), Color32::from_rgb(r, g, b));
        if band > 0 {
            let i = 2 * band;
            mesh.add_triangle(i - 2, i - 1, i);
            mesh.add_triangle(i - 1, i, i + 1);
        }
    }
    painter.add(Shape::mesh(mesh));
    for (part, text) in [(0.0, "\u{2212}\u{bd}"), (0.5, "0"), (1.0, "+\u{bd}")] {
        let at = pos2(rect.right() - 6.0, strip.bottom() - part * strip.height());
        painter.text(at, Align2::RIGHT_CENTER, text, theme::regular(CAPTION), palette.text_weak);
    }
}
