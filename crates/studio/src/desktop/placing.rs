//! Position of the window at startup: the previous one, if it is still on a screen.

use crate::workbench::WindowPreferences;
use egui::{Context, Pos2, Rect, Vec2, ViewportCommand, pos2, vec2};

/// Minimum visible part of the title bar in points, so that the user can see and move the window.
const MIN_VISIBLE_SIZE: Vec2 = vec2(120.0, 16.0);
/// Assumed height of the title bar in points.
const TITLE: f32 = 24.0;

/// A screen's rectangle in points at an interface scale of 1, from position and size in pixels and its scale factor.
pub fn screen([x, y]: [i32; 2], [width, height]: [u32; 2], scale_factor: f64) -> Rect {
    let points = |pixels: f64| (pixels / scale_factor.max(0.1)) as f32;
    Rect::from_min_size(
        pos2(points(f64::from(x)), points(f64::from(y))),
        vec2(points(f64::from(width)), points(f64::from(height))),
    )
}

/// The previous position of the window in points at an interface scale of 1. `None` if the title bar would not be
/// visible there: the system chooses.
pub fn place_of(window: &WindowPreferences, screens: &[Rect]) -> Option<Pos2> {
    let place = Pos2::from(window.position?);
    let title = Rect::from_min_size(place, vec2(window.size[0], TITLE));
    let is_seen = |screen: &Rect| {
        let seen = title.intersect(*screen);
        seen.width() >= MIN_VISIBLE_SIZE.x && seen.height() >= MIN_VISIBLE_SIZE.y
    };
    screens.iter().any(is_seen).then_some(place)
}

/// Whether a window with its title bar fits on a screen, leaving room for a system bar.
pub fn has_room(window: &WindowPreferences, screens: &[Rect]) -> bool {
    let needed = Vec2::from(window.size) + vec2(0.0, 2.0 * TITLE);
    screens.is_empty() || screens.iter().any(|screen| needed.x <= screen.width() && needed.y <= screen.height())
}

/// Requests the window's previous position, or maximises the window if it was maximised or does not fit on any screen.
/// Takes effect after the first frame, once the interface's scale is set: X11 does not maximise a window before it is
/// visible.
pub(crate) fn place(ctx: &Context, window: &WindowPreferences, screens: &[Rect]) {
    if window.is_maximized || !has_room(window, screens) {
        ctx.send_viewport_cmd(ViewportCommand::Maximized(true));
    } else if let Some(place) = place_of(window, screens) {
        ctx.send_viewport_cmd(ViewportCommand::OuterPosition(place / window.scale));
    }
}
