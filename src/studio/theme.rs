//! Colours, type and sizes. The sound is the only thing with colour: chrome is neutral, one accent marks what is active.

use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke, TextStyle, Vec2,
};
use std::sync::Arc;

/// Every colour of the chrome in one theme. The canvas has its own two: [`CANVAS_LIGHT`] and [`CANVAS_DARK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Behind everything, empty canvas.
    pub window: Color32,
    /// Tools, panels, option bar, transport.
    pub panel: Color32,
    /// Top bar, rulers, status, notices, menus, tooltips.
    pub raised: Color32,
    /// Values, buttons with a face, current row.
    pub field: Color32,
    /// Under the pointer.
    pub hover: Color32,
    /// Pressed, chosen segment.
    pub active: Color32,
    /// Separators.
    pub stroke: Color32,
    /// Minor ticks, outlines of notices and cards.
    pub stroke_strong: Color32,
    /// Values, headings.
    pub text_strong: Color32,
    /// Labels of buttons, menus, rows.
    pub text: Color32,
    /// Captions, units, ruler numbers.
    pub text_weak: Color32,
    /// Disabled, undone.
    pub text_off: Color32,
    /// Active, focus, selection's echo.
    pub accent: Color32,
    /// On a filled accent.
    pub on_accent: Color32,
    /// Behind an active tool or toggle.
    pub accent_soft: Color32,
    /// A second curve.
    pub series_2: Color32,
    /// Icon of a warning.
    pub warning: Color32,
    /// Icon of an error, text of what is lost.
    pub danger: Color32,
    /// Status dot.
    pub ok: Color32,
    /// Overview, slider well.
    pub well: Color32,
    /// White keys of the piano strip.
    pub key_white: Color32,
    /// Black keys of the piano strip.
    pub key_black: Color32,
    /// Names on white keys.
    pub key_text: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The theme at the start.
pub const DARK: Palette = Palette {
    window: rgb(0x0E1013),
    panel: rgb(0x17191D),
    raised: rgb(0x1D2025),
    field: rgb(0x272B31),
    hover: rgb(0x30353D),
    active: rgb(0x3B424B),
    stroke: rgb(0x2A2E35),
    stroke_strong: rgb(0x6B7582),
    text_strong: rgb(0xF2F4F6),
    text: rgb(0xCDD3DA),
    text_weak: rgb(0x9AA4AF),
    text_off: rgb(0x8E98A3),
    accent: rgb(0x5CC8EE),
    on_accent: rgb(0x06212C),
    accent_soft: rgb(0x153847),
    series_2: rgb(0xC3A6FF),
    warning: rgb(0xF2B750),
    danger: rgb(0xFF8073),
    ok: rgb(0x6CD19A),
    well: rgb(0x0E1013),
    key_white: rgb(0x474E58),
    key_black: rgb(0x16181C),
    key_text: rgb(0xF2F4F6),
};

/// The other theme.
pub const LIGHT: Palette = Palette {
    window: rgb(0xE0E3E7),
    panel: rgb(0xF4F5F7),
    raised: rgb(0xE9EBEE),
    field: rgb(0xFFFFFF),
    hover: rgb(0xE3E8ED),
    active: rgb(0xD3DAE1),
    stroke: rgb(0xCDD2D8),
    stroke_strong: rgb(0x7A848F),
    text_strong: rgb(0x12161B),
    text: rgb(0x2A313A),
    text_weak: rgb(0x525C67),
    text_off: rgb(0x5A646F),
    accent: rgb(0x0A6A90),
    on_accent: rgb(0xFFFFFF),
    accent_soft: rgb(0xCCE5EF),
    series_2: rgb(0x6A45C2),
    warning: rgb(0x805300),
    danger: rgb(0xB0261C),
    ok: rgb(0x17663F),
    well: rgb(0xDADEE3),
    key_white: rgb(0xFFFFFF),
    key_black: rgb(0x4A515A),
    key_text: rgb(0x2A313A),
};

/// The upper, light line of every mark on the canvas.
pub const CANVAS_LIGHT: Color32 = Color32::WHITE;
/// The lower, dark line of every mark on the canvas.
pub const CANVAS_DARK: Color32 = Color32::BLACK;

/// Radius of segments and tags.
pub const RADIUS_SEGMENT: CornerRadius = CornerRadius::same(3);
/// Radius of fields, buttons and tools.
pub const RADIUS_BUTTON: CornerRadius = CornerRadius::same(4);
/// Radius of notices, menus and cards.
pub const RADIUS_CARD: CornerRadius = CornerRadius::same(6);

/// Height of fields and buttons.
pub const FIELD_HEIGHT: f32 = 26.0;
/// Height of rows in lists, and the least target of a pointer.
pub const ROW_HEIGHT: f32 = 24.0;

/// Points of body text, buttons and values.
pub const BODY: f32 = 13.0;
/// Points of headings of panels.
pub const HEADING: f32 = 12.0;
/// Points of captions, units, rulers and status. Nothing is smaller.
pub const CAPTION: f32 = 11.0;

const MEDIUM: &str = "medium";
const SEMIBOLD: &str = "semibold";
const ICONS: &str = "icons";

/// The palette in force.
pub fn palette(ctx: &egui::Context) -> &'static Palette {
    match ctx.theme() {
        egui::Theme::Dark => &DARK,
        egui::Theme::Light => &LIGHT,
    }
}

/// Weight 400.
pub fn regular(points: f32) -> FontId {
    FontId::new(points, FontFamily::Proportional)
}

/// Weight 500.
pub fn medium(points: f32) -> FontId {
    FontId::new(points, FontFamily::Name(MEDIUM.into()))
}

/// Weight 600.
pub fn semibold(points: f32) -> FontId {
    FontId::new(points, FontFamily::Name(SEMIBOLD.into()))
}

/// Lucide.
pub fn icons(points: f32) -> FontId {
    FontId::new(points, FontFamily::Name(ICONS.into()))
}
