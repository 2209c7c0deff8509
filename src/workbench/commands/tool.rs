//! The tool in hand and its settings.

use super::Need::Brush;
use super::key::{key, shift};
use super::row::rows;
use super::{Menu, Tool, icons};

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
    LockRadius,
    ResetTool,
}

rows! { ToolCommand:
    SNAPPING in (Menu::Select) {
        Snapping => row("snapping", "Snap to peaks and onsets",
            "Edges and the cursor catch on spectral peaks and on where sounds begin; held, for as long as it is held.",
            &[]).keys(&[key('N')]),
    }
    SELECTING in (Menu::Select) {
        Pick(Tool::SelectTime) => row("tool_time", "Time range",
            "Drag to select a range of time; click to put the cursor.", &[])
            .keys(&[key('T'), key('1')]).icon(icons::ALIGN_HORIZONTAL_SPACE_AROUND),
        Pick(Tool::SelectBand) => row("tool_band", "Band", "Drag to select a band of frequencies at all times.", &[])
            .keys(&[key('Y')]).icon(icons::ALIGN_VERTICAL_SPACE_AROUND),
        Pick(Tool::SelectBox) => row("tool_box", "Box", "Drag to select a range of time and frequency.", &[])
            .keys(&[key('M'), key('2')]).icon(icons::SQUARE_DASHED),
        Pick(Tool::Lasso) => row("tool_lasso", "Lasso",
            "Drag around what you want, or click corner by corner; Enter or the first corner closes, Esc drops.", &[])
            .keys(&[key('V')]).icon(icons::LASSO),
        Pick(Tool::SelectBrush) => row("tool_select_brush", "Selection brush",
            "Paint over what you want to select.", &[]).keys(&[key('Q')]).icon(icons::PAINTBRUSH),
        Pick(Tool::Wand) => row("tool_wand", "Magic wand",
            "Click to select what hangs together and is about as loud.", &[]).keys(&[key('I')]).icon(icons::WAND),
        Pick(Tool::SelectHarmonics) => row("tool_harmonics", "Harmonics of a tone",
            "Click a tone to select it and its harmonics as long as it sounds; drag along it for a time of your own.",
            &[]).keys(&[key('X')]).icon(icons::ALIGN_JUSTIFY),
    }
    BRUSHES in (Menu::Edit, "Brushes") {
        Pick(Tool::Gain) => row("tool_gain", "Gain brush", "Makes what it touches louder or quieter.", &[])
            .keys(&[key('G'), key('3')]).icon(icons::VOLUME_2),
        Pick(Tool::Erase) => row("tool_erase", "Erase brush", "Silences what it touches.", &[])
            .keys(&[key('E'), key('4')]).icon(icons::ERASER),
        Pick(Tool::Blur) => row("tool_blur", "Blur brush",
            "Spreads loudness over its neighbours in time and frequency.", &[])
            .keys(&[key('U'), key('5')]).icon(icons::DROPLET),
        Pick(Tool::BandFilter) => row("tool_band_filter", "Band filter brush",
            "Keeps or takes away a band of frequencies where it touches.", &[])
            .keys(&[key('F'), key('6')]).icon(icons::FUNNEL),
        Pick(Tool::ModulationFilter) => row("tool_modulation_filter", "Modulation filter brush",
            "Keeps slow or fast changes of loudness: tremolo, roughness, ripples.", &[])
            .keys(&[key('O'), key('7')]).icon(icons::WAVES_HORIZONTAL),
        Pick(Tool::Warp) => row("tool_warp", "Warp brush",
            "Pushes sound along with the pointer, in time and pitch.", &[])
            .keys(&[key('W'), key('8')]).icon(icons::TORNADO),
        Pick(Tool::Heal) => row("tool_heal", "Heal brush",
            "Makes what it touches like its surroundings; the option bar says how.", &[])
            .keys(&[shift('H')]).icon(icons::BANDAGE),
        Pick(Tool::Clone) => row("tool_clone", "Clone brush",
            "Paints with sound from elsewhere; Ctrl+click says from where.", &[])
            .keys(&[shift('C')]).icon(icons::STAMP),
        Pick(Tool::Smudge) => row("tool_smudge", "Smudge brush", "Drags sound along like wet paint.", &[])
            .keys(&[key('R')]).icon(icons::POINTER),
        Pick(Tool::Tone) => row("tool_tone", "Tone brush",
            "Draws a tone along the stroke, with harmonics if you like.", &[]).keys(&[shift('T')]).icon(icons::PENCIL),
        Pick(Tool::Noise) => row("tool_noise", "Noise brush", "Adds noise where it touches.", &[])
            .keys(&[shift('N')]).icon(icons::AUDIO_WAVEFORM),
        Pick(Tool::Sharpen) => row("tool_sharpen", "Sharpen brush",
            "Brings out what differs from its surroundings.", &[]).keys(&[shift('E')]).icon(icons::TRIANGLE),
        Pick(Tool::Denoise) => row("tool_denoise", "Denoise brush",
            "Takes a noise away where it touches; learn the noise first, from a selection that holds nothing else.",
            &[]).keys(&[shift('Q')]).icon(icons::WIND),
        Pick(Tool::HarmonicPercussive) => row("tool_harmonic_percussive", "Tones and hits brush",
            "Makes what goes on in time and what is brief louder or quieter, each by itself.", &[])
            .keys(&[shift('X')]).icon(icons::SPLIT),
        Pick(Tool::RebuildPhase) => row("tool_rebuild_phase", "Phase brush",
            "Makes the phase anew from the loudness, where it was torn.", &[])
            .keys(&[shift('R')]).icon(icons::REFRESH_CW),
    }
    HAND in (Menu::View) {
        Pick(Tool::Hand) => row("tool_hand", "Hand",
            "Drag to move the view; the middle button does so with any tool.", &[])
            .keys(&[key('H'), key('9')]).icon(icons::HAND),
    }
    SETTINGS in (Menu::Edit, "Brushes") {
        BrushSmaller => row("brush_smaller", "Smaller brush", "Makes the brush a fifth smaller.", &[Brush])
            .keys(&[key('[')]).repeats(),
        BrushLarger => row("brush_larger", "Larger brush", "Makes the brush a quarter larger.", &[Brush])
            .keys(&[key(']')]).repeats(),
        BrushSofter => row("brush_softer", "Softer brush", "Lowers the hardness by a tenth.", &[Brush])
            .keys(&[key('{')]).repeats(),
        BrushHarder => row("brush_harder", "Harder brush", "Raises the hardness by a tenth.", &[Brush])
            .keys(&[key('}')]).repeats(),
        LockRadius => row("lock_radius", "Lock the radius",
            "Keeps the radius in milliseconds and octaves at any zoom, not in points on the screen.", &[Brush])
            .keys(&[shift('K')]).icon(icons::LOCK_OPEN),
        ResetTool => row("reset_tool", "Reset the tool", "Gives the tool in hand the settings it came with.", &[Brush])
            .icon(icons::ROTATE_CCW),
    }
}
