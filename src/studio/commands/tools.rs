//! What is written about each tool.

use super::table::key;
use super::{Key, Menu, Spec};
use crate::studio::icons;
use crate::studio::state::Tool;

/// Id, name, menu, keys, icon, one sentence.
pub fn spec(tool: Tool) -> Spec {
    let (id, name, menu, keys, icon, what): (_, _, _, &'static [Key], _, _) = match tool {
        Tool::SelectTime => (
            "tool_time",
            "Time range",
            Menu::Select,
            const { &[key('T'), key('1')] },
            icons::ALIGN_HORIZONTAL_SPACE_AROUND,
            "Drag to select a range of time; click to put the cursor.",
        ),
        Tool::SelectBox => (
            "tool_box",
            "Box",
            Menu::Select,
            const { &[key('M'), key('2')] },
            icons::SQUARE_DASHED,
            "Drag to select a range of time and frequency.",
        ),
        Tool::SelectBand => (
            "tool_band",
            "Band",
            Menu::Select,
            const { &[key('Y')] },
            icons::ALIGN_VERTICAL_SPACE_AROUND,
            "Drag to select a band of frequencies at all times.",
        ),
        Tool::Lasso => (
            "tool_lasso",
            "Lasso",
            Menu::Select,
            const { &[key('V')] },
            icons::LASSO,
            "Drag around what you want, or click corner by corner; Enter or the first corner closes, Esc drops.",
        ),
        Tool::SelectBrush => (
            "tool_select_brush",
            "Selection brush",
            Menu::Select,
            const { &[key('Q')] },
            icons::PAINTBRUSH,
            "Paint over what you want to select.",
        ),
        Tool::Wand => (
            "tool_wand",
            "Magic wand",
            Menu::Select,
            const { &[key('I')] },
            icons::WAND,
            "Click to select what hangs together and is about as loud.",
        ),
        Tool::SelectHarmonics => (
            "tool_harmonics",
            "Harmonics of a tone",
            Menu::Select,
            const { &[key('X')] },
            icons::ALIGN_JUSTIFY,
            "Click a tone to select it and its harmonics as long as it sounds; drag along it for a time of your own.",
        ),
        Tool::Gain => (
            "tool_gain",
            "Gain brush",
            Menu::Edit,
            const { &[key('G'), key('3')] },
            icons::VOLUME_2,
            "Makes what it touches louder or quieter.",
        ),
        Tool::Erase => (
            "tool_erase",
            "Erase brush",
            Menu::Edit,
            const { &[key('E'), key('4')] },
            icons::ERASER,
            "Silences what it touches.",
        ),
        Tool::Blur => (
            "tool_blur",
            "Blur brush",
            Menu::Edit,
            const { &[key('U'), key('5')] },
            icons::DROPLET,
            "Spreads loudness over its neighbours in time and frequency.",
        ),
        Tool::BandFilter => (
            "tool_band_filter",
            "Band filter brush",
            Menu::Edit,
            const { &[key('F'), key('6')] },
            icons::FUNNEL,
            "Keeps or takes away a band of frequencies where it touches.",
        ),
        Tool::ModulationFilter => (
            "tool_modulation_filter",
            "Modulation filter brush",
            Menu::Edit,
            const { &[key('O'), key('7')] },
            icons::WAVES_HORIZONTAL,
            "Keeps slow or fast changes of loudness: tremolo, roughness, ripples.",
        ),
        Tool::Warp => (
            "tool_warp",
            "Warp brush",
            Menu::Edit,
            const { &[key('W'), key('8')] },
            icons::TORNADO,
            "Pushes sound along with the pointer, in time and pitch.",
        ),
        Tool::Hand => (
            "tool_hand",
            "Hand",
            Menu::View,
            const { &[key('H'), key('9')] },
            icons::HAND,
            "Drag to move the view; the middle button does so with any tool.",
        ),
    };
    Spec { id, name, menu, keys, icon: Some(icon), what }
}
