//! Colours, fonts and sizes. Only the spectrogram is colourful: the interface is neutral, with one accent colour for
//! active elements.

use crate::base::number;
use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke, TextStyle, Vec2,
};
use std::sync::Arc;

/// All colours of the interface in one theme. The canvas has its own two: [`CANVAS_LIGHT`] and [`CANVAS_DARK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Background of the window and of the empty canvas.
    pub window: Color32,
    /// Tools, panels, option bar, transport.
    pub panel: Color32,
    /// Top bar, rulers, status, notices, menus, tooltips.
    pub raised: Color32,
    /// Values, buttons with a face, current row.
    pub field: Color32,
    /// Elements under the pointer.
    pub hover: Color32,
    /// Pressed buttons, the chosen segment.
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
    /// Disabled commands, undone steps.
    pub text_off: Color32,
    /// Active elements, the focus ring, the selection on rulers.
    pub accent: Color32,
    /// Text and icons on the accent colour.
    pub on_accent: Color32,
    /// Background of an active tool or toggle.
    pub accent_soft: Color32,
    /// The second series of a plot.
    pub series_2: Color32,
    /// Icon of a warning.
    pub warning: Color32,
    /// Icon of an error, text about failures and losses.
    pub danger: Color32,
    /// Status dot.
    pub ok: Color32,
    /// Background of the overview, plots and sliders.
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

/// The dark theme, which is the default.
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

/// The light theme.
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

/// Colours of labels by index: distinct from each other, and visible in both themes.
const LABELS: [Color32; 12] = [
    rgb(0x4FA8F0),
    rgb(0xF08A3C),
    rgb(0x4CB86B),
    rgb(0xE8609A),
    rgb(0x9B7BE8),
    rgb(0xD9B22E),
    rgb(0xE85C50),
    rgb(0x2FB3A8),
    rgb(0x9BC13C),
    rgb(0xC86FD9),
    rgb(0xB5835A),
    rgb(0x93A0AE),
];

/// The colour of a label; the accent if it has none.
pub fn label_colour(colour: Option<u8>, palette: &Palette) -> Color32 {
    colour.and_then(|colour| LABELS.get(usize::from(colour))).copied().unwrap_or(palette.accent)
}

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
/// Height of rows in lists, and minimum size of pointer targets.
pub const ROW_HEIGHT: f32 = 24.0;

/// Font size of body text, buttons and values, in points.
pub const BODY: f32 = 13.0;
/// Font size of panel headings, in points.
pub const HEADING: f32 = 12.0;
/// Font size of captions, units, rulers and status, in points; the smallest in use.
pub const CAPTION: f32 = 11.0;

const MEDIUM: &str = "medium";
const SEMIBOLD: &str = "semibold";
const ICONS: &str = "icons";

/// The current palette.
pub fn palette(ctx: &egui::Context) -> &'static Palette {
    match ctx.theme() {
        egui::Theme::Dark => &DARK,
        egui::Theme::Light => &LIGHT,
    }
}

/// Inter Regular, weight 400.
pub fn regular(points: f32) -> FontId {
    FontId::new(points, FontFamily::Proportional)
}

/// Inter Medium, weight 500.
pub fn medium(points: f32) -> FontId {
    FontId::new(points, FontFamily::Name(MEDIUM.into()))
}

/// Inter SemiBold, weight 600.
pub fn semibold(points: f32) -> FontId {
    FontId::new(points, FontFamily::Name(SEMIBOLD.into()))
}

/// The Lucide icon font.
pub fn icons(points: f32) -> FontId {
    FontId::new(points, FontFamily::Name(ICONS.into()))
}

/// Installs the fonts and both themes; dark is the default.
pub fn install(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    ctx.set_style_of(egui::Theme::Dark, style(&DARK, true));
    ctx.set_style_of(egui::Theme::Light, style(&LIGHT, false));
    ctx.set_theme(egui::Theme::Dark);
    // Ctrl with plus and minus zooms frequency, not the interface.
    ctx.options_mut(|options| {
        options.zoom_with_keyboard = false;
        // Ctrl+Q is a command of our own, which asks about unsaved edits; egui's shortcut would ask a second time.
        options.quit_shortcuts.clear();
    });
}

/// Toggles between the dark and the light theme.
pub fn toggle(ctx: &egui::Context) {
    ctx.set_theme(if ctx.theme() == egui::Theme::Dark { egui::Theme::Light } else { egui::Theme::Dark });
}

fn fonts() -> FontDefinitions {
    // egui's default fonts are left out: they are larger than these, and add hardly any glyphs.
    let mut fonts = FontDefinitions::empty();
    let files: [(&str, FontFamily, &'static [u8]); 4] = [
        ("Inter-Regular", FontFamily::Proportional, include_bytes!("../../../../assets/fonts/Inter-Regular.ttf")),
        ("Inter-Medium", FontFamily::Name(MEDIUM.into()), include_bytes!("../../../../assets/fonts/Inter-Medium.ttf")),
        (
            "Inter-SemiBold",
            FontFamily::Name(SEMIBOLD.into()),
            include_bytes!("../../../../assets/fonts/Inter-SemiBold.ttf"),
        ),
        ("lucide", FontFamily::Name(ICONS.into()), include_bytes!("../../../../assets/fonts/lucide.ttf")),
    ];
    for (name, family, bytes) in files {
        fonts.font_data.insert(name.into(), Arc::new(FontData::from_static(bytes)));
        fonts.families.insert(family, vec![name.to_string()]);
    }
    let regular = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    fonts.families.insert(FontFamily::Monospace, regular);
    fonts
}

fn style(palette: &Palette, is_dark: bool) -> egui::Style {
    let mut style = egui::Style { visuals: visuals(palette, is_dark), ..Default::default() };
    style.text_styles = [
        (TextStyle::Heading, semibold(HEADING)),
        (TextStyle::Body, regular(BODY)),
        (TextStyle::Button, regular(BODY)),
        (TextStyle::Monospace, FontId::new(BODY, FontFamily::Monospace)),
        (TextStyle::Small, regular(CAPTION)),
    ]
    .into();
    style.number_formatter = egui::style::NumberFormatter::new(|value, decimals| number(value, *decimals.start()));
    style.animation_time = 0.1;
    style.explanation_tooltips = false;
    style.interaction.tooltip_delay = 0.4;
    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::new(8.0, 4.0);
    spacing.button_padding = Vec2::new(8.0, 4.0);
    spacing.interact_size = Vec2::new(24.0, FIELD_HEIGHT);
    spacing.menu_margin = Margin::same(4);
    spacing.window_margin = Margin::same(16);
    spacing.combo_width = 64.0;
    spacing.tooltip_width = 320.0;
    style
}

fn visuals(palette: &Palette, is_dark: bool) -> egui::Visuals {
    let mut visuals = if is_dark { egui::Visuals::dark() } else { egui::Visuals::light() };
    let outline = if is_dark { Stroke::NONE } else { Stroke::new(1.0, palette.stroke) };
    let face = |fill: Color32, text: Color32, stroke: Stroke| egui::style::WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: stroke,
        corner_radius: RADIUS_BUTTON,
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    visuals.widgets.noninteractive = face(palette.panel, palette.text, Stroke::new(1.0, palette.stroke));
    visuals.widgets.inactive = face(palette.field, palette.text, outline);
    visuals.widgets.hovered = face(palette.hover, palette.text_strong, outline);
    visuals.widgets.active = face(palette.active, palette.text_strong, outline);
    visuals.widgets.open = face(palette.active, palette.text_strong, outline);
    visuals.selection.bg_fill = palette.accent_soft;
    visuals.selection.stroke = Stroke::new(2.0, palette.accent);
    visuals.weak_text_color = Some(palette.text_weak);
    visuals.hyperlink_color = palette.accent;
    visuals.faint_bg_color = palette.panel;
    visuals.extreme_bg_color = palette.well;
    visuals.text_edit_bg_color = Some(palette.field);
    visuals.code_bg_color = palette.field;
    visuals.warn_fg_color = palette.warning;
    visuals.error_fg_color = palette.danger;
    visuals.window_fill = palette.raised;
    visuals.window_stroke = Stroke::new(1.0, palette.stroke_strong);
    visuals.window_shadow = Shadow::NONE;
    visuals.window_corner_radius = RADIUS_CARD;
    visuals.menu_corner_radius = RADIUS_CARD;
    visuals.popup_shadow = Shadow::NONE;
    visuals.panel_fill = palette.panel;
    // Disabled text has its own legible colour; fading would make it illegible.
    visuals.disabled_alpha = 1.0;
    visuals
}

/// WCAG 2 contrast of two opaque colours, 1 to 21.
pub fn contrast(a: Color32, b: Color32) -> f64 {
    let luminance = |colour: Color32| {
        let linear = |channel: u8| {
            let s = f64::from(channel) / 255.0;
            if s <= 0.03928 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}
