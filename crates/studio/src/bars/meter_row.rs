//! A row of a level meter: the coloured bar, the peak-hold tick, and the clip light.

use crate::workbench::{FLOOR_DB, Meter};
use egui::{Color32, Painter, Rect, pos2};

const ZONES: [(f32, Color32); 3] = [
    (-18.0, Color32::from_rgb(0x3f, 0xa8, 0x7f)),
    (-6.0, Color32::from_rgb(0xd9, 0xb4, 0x40)),
    (0.0, Color32::from_rgb(0xee, 0x7f, 0x55)),
];
const CLIP: Color32 = Color32::from_rgb(0xff, 0x56, 0x48);
/// Colours of the peak-hold tick and of the bar's background (well), in the dark and the light theme. The light theme
/// has a light well, since a dark one would look like a full bar.
const TICKS: [Color32; 2] = [Color32::from_rgb(0xf2, 0xf4, 0xf6), Color32::from_rgb(0x22, 0x27, 0x2d)];
const WELLS: [Color32; 2] = [Color32::from_rgb(0x0e, 0x10, 0x13), Color32::from_rgb(0xc6, 0xcc, 0xd3)];

/// Horizontal position of a level in a bar.
pub(crate) fn x_from_db(bar: Rect, db: f32) -> f32 {
    bar.left() + bar.width() * (1.0 - db.clamp(FLOOR_DB, 0.0) / FLOOR_DB)
}

/// Draws a row; `light` is the area of the clip light.
pub(crate) fn draw(painter: &Painter, bar: Rect, light: Rect, meter: &Meter, is_dark: bool) {
    let [well, tick] = [WELLS, TICKS].map(|by_theme| by_theme[usize::from(!is_dark)]);
    let part = |x0: f32, x1: f32| Rect::from_min_max(pos2(x0, bar.top()), pos2(x1, bar.bottom()));
    painter.rect_filled(bar, 0.0, well);
    let mut from_db = FLOOR_DB;
    for (to_db, colour) in ZONES {
        if meter.db > from_db {
            painter.rect_filled(part(x_from_db(bar, from_db), x_from_db(bar, meter.db.min(to_db))), 0.0, colour);
        }
        from_db = to_db;
    }
    if meter.held_db > FLOOR_DB {
        let x = x_from_db(bar, meter.held_db);
        painter.rect_filled(part(x - 2.0, x), 0.0, tick);
    }
    painter.rect_filled(light, 1.0, if meter.clipped { CLIP } else { well });
}
