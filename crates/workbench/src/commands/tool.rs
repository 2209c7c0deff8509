//! Commands of the tools and their settings.

use super::Need::Brush;
use super::table::icons;
use super::table::key::{key, shift};
use super::table::row::rows;
use super::{Key, Menu, Row, Tool};
use crate::settings::tools::PaintTool;

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

/// Number of brush tools.
const N_PAINT: usize = PaintTool::ALL.len();

/// Maximum number of keys of a brush tool.
const MAX_KEYS: usize = 2;

static PAINT_KEYS: [[Key; MAX_KEYS]; N_PAINT] = {
    let mut keys = [[key(' '); MAX_KEYS]; N_PAINT];
    let mut i = 0;
    while i < keys.len() {
        let of_tool = PaintTool::ALL[i].row().keys;
        let mut k = 0;
        while k < of_tool.len() {
            keys[i][k] = if of_tool[k].shift { shift(of_tool[k].code) } else { key(of_tool[k].code) };
            k += 1;
        }
        i += 1;
    }
    keys
};

/// Rows of the brush tools.
static PAINT_ROWS: [Row; N_PAINT] = {
    let mut rows = [Row::new(Menu::Edit, "", "", "", &[]); N_PAINT];
    let mut i = 0;
    while i < rows.len() {
        let tool = PaintTool::ALL[i].row();
        let row = Row::new(Menu::Edit, tool.id, tool.name, tool.what, &[]).submenu("Brushes");
        rows[i] = row.keys(PAINT_KEYS[i].split_at(tool.keys.len()).0).icon(tool.icon);
        i += 1;
    }
    rows
};

impl ToolCommand {
    /// The brush tools, in the order of their list.
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
            "Snaps edges and the cursor to peaks, onsets and beats, and strokes to the pitch line; hold the key to snap \
             temporarily.",
            &[]).keys(&[key('N')]),
    }
    SELECTING in (Menu::Select, "Selection tools") {
        Pick(Tool::SelectTime) => row("tool_time", "Time range",
            "Drag to select a time range; click to place the cursor.", &[])
            .keys(&[key('T'), key('1')]).icon(icons::ALIGN_HORIZONTAL_SPACE_AROUND),
        Pick(Tool::SelectBand) => row("tool_band", "Band", "Drag to select a frequency band over the whole file.", &[])
            .keys(&[key('Y')]).icon(icons::ALIGN_VERTICAL_SPACE_AROUND),
        Pick(Tool::SelectBox) => row("tool_box", "Box", "Drag to select a rectangle in time and frequency.", &[])
            .keys(&[key('Y').with_shift(), key('2')]).icon(icons::SQUARE_DASHED),
        Pick(Tool::Lasso) => row("tool_lasso", "Lasso",
            "Drag around an area, or click its corners; Enter or the first corner closes it, Esc cancels.", &[])
            .keys(&[key('V')]).icon(icons::LASSO),
        Pick(Tool::SelectBrush) => row("tool_select_brush", "Selection brush",
            "Paint over the area to select.", &[]).keys(&[key('Q')]).icon(icons::PAINTBRUSH),
        Pick(Tool::Wand) => row("tool_wand", "Magic wand",
            "Click to select connected areas of similar level.", &[]).keys(&[key('I')]).icon(icons::WAND),
        Pick(Tool::SelectHarmonics) => row("tool_harmonics", "Harmonics of a tone",
            "Click a tone, or the pitch line, to select it and its harmonics for as long as it sounds; drag along it to \
             set the time range.",
            &[]).keys(&[key('X')]).icon(icons::ALIGN_JUSTIFY),
        Pick(Tool::Label) => row("tool_label", "Label",
            "Drag to draw a label of the class in hand; 1 to 9 choose the class, Esc lays the tool down.", &[])
            .keys(&[key('U').with_shift()]).icon(icons::TAG),
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
