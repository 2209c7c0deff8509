//! The tool in hand and its settings.

use super::Need::Brush;
use super::key::{key, shift};
use super::row::rows;
use super::{Key, Menu, Row, Tool, icons};
use crate::tools::PaintTool;

/// A command that picks a tool or changes its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum ToolCommand {
    Pick(Tool),
    Snapping,
    BrushSmaller,
    BrushLarger,
    BrushSofter,
    BrushHarder,
    ResetTool,
}

/// How many brushes state their tool.
const N_PAINT: usize = PaintTool::ALL.len();

static PAINT_KEYS: [[Key; 1]; N_PAINT] = {
    let mut keys = [[key(' ')]; N_PAINT];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = [shift(PaintTool::ALL[i].row().key)];
        i += 1;
    }
    keys
};

/// The rows of the tools that brushes state.
static PAINT_ROWS: [Row; N_PAINT] = {
    let mut rows = [Row::new(Menu::Edit, "", "", "", &[]); N_PAINT];
    let mut i = 0;
    while i < rows.len() {
        let tool = PaintTool::ALL[i].row();
        let row = Row::new(Menu::Edit, tool.id, tool.name, tool.what, &[]).submenu("Brushes");
        rows[i] = row.keys(&PAINT_KEYS[i]).icon(tool.icon);
        i += 1;
    }
    rows
};

impl ToolCommand {
    /// The tools that brushes state, in the order of their list.
    pub(super) const PAINT: &'static [ToolCommand] = &{
        let mut all = [ToolCommand::Snapping; N_PAINT];
        let mut i = 0;
        while i < all.len() {
            all[i] = ToolCommand::Pick(Tool::Brush(PaintTool::ALL[i]));
            i += 1;
        }
        all
    };
}

rows! { ToolCommand (ToolCommand::Pick(Tool::Brush(tool)) => &PAINT_ROWS[tool.number()]):
    SNAPPING in (Menu::Select) {
        Snapping => row("snapping", "Snap to peaks and onsets",
            "Snaps edges and the cursor to spectral peaks and onsets; hold the key to snap temporarily.",
            &[]).keys(&[key('N')]),
    }
    SELECTING in (Menu::Select, "Selection tools") {
        Pick(Tool::SelectTime) => row("tool_time", "Time range",
            "Drag to select a time range; click to place the cursor.", &[])
            .keys(&[key('T'), key('1')]).icon(icons::ALIGN_HORIZONTAL_SPACE_AROUND),
        Pick(Tool::SelectBand) => row("tool_band", "Band", "Drag to select a frequency band over the whole file.", &[])
            .keys(&[key('Y')]).icon(icons::ALIGN_VERTICAL_SPACE_AROUND),
        Pick(Tool::SelectBox) => row("tool_box", "Box", "Drag to select a rectangle in time and frequency.", &[])
            .keys(&[key('M'), key('2')]).icon(icons::SQUARE_DASHED),
        Pick(Tool::Lasso) => row("tool_lasso", "Lasso",
            "Drag around an area, or click its corners; Enter or the first corner closes it, Esc cancels.", &[])
            .keys(&[key('V')]).icon(icons::LASSO),
        Pick(Tool::SelectBrush) => row("tool_select_brush", "Selection brush",
            "Paint over the area to select.", &[]).keys(&[key('Q')]).icon(icons::PAINTBRUSH),
        Pick(Tool::Wand) => row("tool_wand", "Magic wand",
            "Click to select connected areas of similar level.", &[]).keys(&[key('I')]).icon(icons::WAND),
        Pick(Tool::SelectHarmonics) => row("tool_harmonics", "Harmonics of a tone",
            "Click a tone to select it and its harmonics for as long as it sounds; drag along it to set the time \
             range.",
            &[]).keys(&[key('X')]).icon(icons::ALIGN_JUSTIFY),
    }
    BRUSHES in (Menu::Edit, "Brushes") {
        Pick(Tool::Gain) => row("tool_gain", "Gain brush", "Raises or lowers the level.", &[])
            .keys(&[key('G'), key('3')]).icon(icons::VOLUME_2),
        Pick(Tool::Erase) => row("tool_erase", "Erase brush", "Silences the painted area.", &[])
            .keys(&[key('E'), key('4')]).icon(icons::ERASER),
        Pick(Tool::Blur) => row("tool_blur", "Blur brush",
            "Blurs magnitudes in time and frequency.", &[])
            .keys(&[key('U'), key('5')]).icon(icons::DROPLET),
        Pick(Tool::BandFilter) => row("tool_band_filter", "Band filter brush",
            "Passes or removes a frequency band.", &[])
            .keys(&[key('F'), key('6')]).icon(icons::FUNNEL),
        Pick(Tool::ModulationFilter) => row("tool_modulation_filter", "Modulation filter brush",
            "Filters how fast the level changes: tremolo, roughness, ripples.", &[])
            .keys(&[key('O'), key('7')]).icon(icons::WAVES_HORIZONTAL),
        Pick(Tool::Warp) => row("tool_warp", "Warp brush",
            "Pushes sound with the pointer in time and pitch.", &[])
            .keys(&[key('W'), key('8')]).icon(icons::TORNADO),
        Pick(Tool::Heal) => row("tool_heal", "Heal brush",
            "Repairs the painted area from its surroundings; choose the mode in the option bar.", &[])
            .keys(&[shift('H')]).icon(icons::BANDAGE),
        Pick(Tool::Clone) => row("tool_clone", "Clone brush",
            "Paints with sound from elsewhere; Ctrl+click sets the source.", &[])
            .keys(&[shift('C')]).icon(icons::STAMP),
        Pick(Tool::Smudge) => row("tool_smudge", "Smudge brush", "Smears sound along the stroke like wet paint.", &[])
            .keys(&[key('R')]).icon(icons::POINTER),
        Pick(Tool::Tone) => row("tool_tone", "Tone brush",
            "Draws a tone along the stroke, with optional harmonics.", &[]).keys(&[shift('T')]).icon(icons::PENCIL),
        Pick(Tool::Noise) => row("tool_noise", "Noise brush", "Adds noise.", &[])
            .keys(&[shift('N')]).icon(icons::AUDIO_WAVEFORM),
        Pick(Tool::Sharpen) => row("tool_sharpen", "Sharpen brush",
            "Emphasises what differs from its surroundings.", &[]).keys(&[shift('E')]).icon(icons::TRIANGLE),
        Pick(Tool::Denoise) => row("tool_denoise", "Denoise brush",
            "Removes a noise; first learn it from a selection of noise alone.",
            &[]).keys(&[shift('Q')]).icon(icons::WIND),
        Pick(Tool::HarmonicPercussive) => row("tool_harmonic_percussive", "Tonal and transient brush",
            "Changes sustained and percussive sound separately.", &[])
            .keys(&[shift('X')]).icon(icons::SPLIT),
        Pick(Tool::RebuildPhase) => row("tool_rebuild_phase", "Phase brush",
            "Rebuilds damaged phase from the magnitudes.", &[])
            .keys(&[shift('R')]).icon(icons::REFRESH_CW),
    }
    HAND in (Menu::View) {
        Pick(Tool::Hand) => row("tool_hand", "Hand",
            "Drag to move the view; the middle mouse button does this with any tool.", &[])
            .keys(&[key('H'), key('9')]).icon(icons::HAND),
    }
    SETTINGS in (Menu::Edit, "Brush settings") {
        BrushSmaller => row("brush_smaller", "Smaller brush", "Makes the brush 20 % smaller.", &[Brush])
            .keys(&[key('[')]).repeats(),
        BrushLarger => row("brush_larger", "Larger brush", "Makes the brush 25 % larger.", &[Brush])
            .keys(&[key(']')]).repeats(),
        BrushSofter => row("brush_softer", "Softer brush", "Lowers the hardness by 10 %.", &[Brush])
            .keys(&[key('{')]).repeats(),
        BrushHarder => row("brush_harder", "Harder brush", "Raises the hardness by 10 %.", &[Brush])
            .keys(&[key('}')]).repeats(),
    }
    RESET in (Menu::Edit, "Brush settings") {
        ResetTool => row("reset_tool", "Reset tool", "Resets this tool to its defaults.", &[Brush])
            .icon(icons::ROTATE_CCW),
    }
}
