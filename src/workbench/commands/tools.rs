//! What is written about each tool.

use super::Spec;
use super::table::{edit, key, select, shift, view};
use crate::workbench::commands::icons;
use crate::workbench::tools::Tool;

/// Id, name, menu, keys, icon, one sentence.
pub fn spec(tool: Tool) -> Spec {
    match tool {
        Tool::SelectTime => {
            select("tool_time", "Time range", "Drag to select a range of time; click to put the cursor.")
                .keys(const { &[key('T'), key('1')] })
                .icon(icons::ALIGN_HORIZONTAL_SPACE_AROUND)
        }
        Tool::SelectBox => select("tool_box", "Box", "Drag to select a range of time and frequency.")
            .keys(const { &[key('M'), key('2')] })
            .icon(icons::SQUARE_DASHED),
        Tool::SelectBand => select("tool_band", "Band", "Drag to select a band of frequencies at all times.")
            .keys(const { &[key('Y')] })
            .icon(icons::ALIGN_VERTICAL_SPACE_AROUND),
        Tool::Lasso => select(
            "tool_lasso",
            "Lasso",
            "Drag around what you want, or click corner by corner; Enter or the first corner closes, Esc drops.",
        )
        .keys(const { &[key('V')] })
        .icon(icons::LASSO),
        Tool::SelectBrush => select("tool_select_brush", "Selection brush", "Paint over what you want to select.")
            .keys(const { &[key('Q')] })
            .icon(icons::PAINTBRUSH),
        Tool::Wand => select("tool_wand", "Magic wand", "Click to select what hangs together and is about as loud.")
            .keys(const { &[key('I')] })
            .icon(icons::WAND),
        Tool::SelectHarmonics => select(
            "tool_harmonics",
            "Harmonics of a tone",
            "Click a tone to select it and its harmonics as long as it sounds; drag along it for a time of your own.",
        )
        .keys(const { &[key('X')] })
        .icon(icons::ALIGN_JUSTIFY),
        Tool::Gain => edit("tool_gain", "Gain brush", "Makes what it touches louder or quieter.")
            .keys(const { &[key('G'), key('3')] })
            .icon(icons::VOLUME_2),
        Tool::Erase => edit("tool_erase", "Erase brush", "Silences what it touches.")
            .keys(const { &[key('E'), key('4')] })
            .icon(icons::ERASER),
        Tool::Blur => edit("tool_blur", "Blur brush", "Spreads loudness over its neighbours in time and frequency.")
            .keys(const { &[key('U'), key('5')] })
            .icon(icons::DROPLET),
        Tool::BandFilter => {
            edit("tool_band_filter", "Band filter brush", "Keeps or takes away a band of frequencies where it touches.")
                .keys(const { &[key('F'), key('6')] })
                .icon(icons::FUNNEL)
        }
        Tool::ModulationFilter => edit(
            "tool_modulation_filter",
            "Modulation filter brush",
            "Keeps slow or fast changes of loudness: tremolo, roughness, ripples.",
        )
        .keys(const { &[key('O'), key('7')] })
        .icon(icons::WAVES_HORIZONTAL),
        Tool::Warp => edit("tool_warp", "Warp brush", "Pushes sound along with the pointer, in time and pitch.")
            .keys(const { &[key('W'), key('8')] })
            .icon(icons::TORNADO),
        Tool::Heal => {
            edit("tool_heal", "Heal brush", "Makes what it touches like its surroundings; the option bar says how.")
                .keys(const { &[shift('H')] })
                .icon(icons::BANDAGE)
        }
        Tool::Clone => {
            edit("tool_clone", "Clone brush", "Paints with sound from elsewhere; Ctrl+click says from where.")
                .keys(const { &[shift('C')] })
                .icon(icons::STAMP)
        }
        Tool::Smudge => edit("tool_smudge", "Smudge brush", "Drags sound along like wet paint.")
            .keys(const { &[key('R')] })
            .icon(icons::POINTER),
        Tool::Tone => edit("tool_tone", "Tone brush", "Draws a tone along the stroke, with harmonics if you like.")
            .keys(const { &[shift('T')] })
            .icon(icons::PENCIL),
        Tool::Noise => edit("tool_noise", "Noise brush", "Adds noise where it touches.")
            .keys(const { &[shift('N')] })
            .icon(icons::AUDIO_WAVEFORM),
        Tool::Sharpen => edit("tool_sharpen", "Sharpen brush", "Brings out what differs from its surroundings.")
            .keys(const { &[shift('E')] })
            .icon(icons::TRIANGLE),
        Tool::Denoise => edit(
            "tool_denoise",
            "Denoise brush",
            "Takes a noise away where it touches; learn the noise first, from a selection that holds nothing else.",
        )
        .keys(const { &[shift('Q')] })
        .icon(icons::WIND),
        Tool::HarmonicPercussive => edit(
            "tool_harmonic_percussive",
            "Tones and hits brush",
            "Makes what goes on in time and what is brief louder or quieter, each by itself.",
        )
        .keys(const { &[shift('X')] })
        .icon(icons::SPLIT),
        Tool::RebuildPhase => {
            edit("tool_rebuild_phase", "Phase brush", "Makes the phase anew from the loudness, where it was torn.")
                .keys(const { &[shift('R')] })
                .icon(icons::REFRESH_CW)
        }
        Tool::Hand => view("tool_hand", "Hand", "Drag to move the view; the middle button does so with any tool.")
            .keys(const { &[key('H'), key('9')] })
            .icon(icons::HAND),
    }
}
