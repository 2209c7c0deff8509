//! Where the window opens: where it was, if a screen is still there.

use crate::workbench::WindowHabits;
use egui::{Context, Pos2, Rect, Vec2, ViewportCommand, pos2, vec2};

/// As much of the bar with the title has to lie on a screen, so that the window can be seen and moved.
const LEAST_SEEN: Vec2 = vec2(120.0, 16.0);
/// Height of that bar.
const TITLE: f32 = 24.0;

/// A screen in points at a scale of 1, from its place and size in pixels and its scale factor.
pub fn screen([x, y]: [i32; 2], [width, height]: [u32; 2], scale_factor: f64) -> Rect {
    let points = |pixels: f64| (pixels / scale_factor.max(0.1)) as f32;
    Rect::from_min_size(
        pos2(points(f64::from(x)), points(f64::from(y))),
        vec2(points(f64::from(width)), points(f64::from(height))),
    )
}

/// Where a window was that can be seen there, in points at a scale of 1; none: the system finds a place.
pub fn place_of(window: &WindowHabits, screens: &[Rect]) -> Option<Pos2> {
    let place = Pos2::from(window.position?);
    let title = Rect::from_min_size(place, vec2(window.size[0], TITLE));
    let is_seen = |screen: &Rect| {
        let seen = title.intersect(*screen);
        seen.width() >= LEAST_SEEN.x && seen.height() >= LEAST_SEEN.y
    };
    screens.iter().any(is_seen).then_some(place)
}

/// Whether a screen has room for a window and its title, beside a bar of the system's own.
pub fn has_room(window: &WindowHabits, screens: &[Rect]) -> bool {
    let needed = Vec2::from(window.size) + vec2(0.0, 2.0 * TITLE);
    screens.is_empty() || screens.iter().any(|screen| needed.x <= screen.width() && needed.y <= screen.height())
}

/// Asks for that place, or for all of the screen, which has none of its own, or where no screen has room for the
/// window. Both are done after the first frame: it has the interface's scale, and X11 forgets that a window which is
/// not seen yet should fill the screen.
pub(super) fn place(ctx: &Context, window: &WindowHabits, screens: &[Rect]) {
    if window.is_maximized || !has_room(window, screens) {
        ctx.send_viewport_cmd(ViewportCommand::Maximized(true));
    } else if let Some(place) = place_of(window, screens) {
        ctx.send_viewport_cmd(ViewportCommand::OuterPosition(place / window.scale));
    }
}
