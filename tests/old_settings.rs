//! Settings of tools that version 0.1 wrote, where each brush had fields of its own, mean the same today; what did not
//! exist then is as it first comes.

use serde_json::{Value, json};
use sonobrush::document::Brush;
use sonobrush::workbench::{Radius, Tool, Tools};

/// All fields of the tools as 0.1 wrote them, each another than at the start.
const GOLDEN: &str = include_str!("golden/tools_0_1.json");

fn brush(tools: &Tools, tool: Tool) -> Value {
    serde_json::from_str(&tools.settings().brush_of(tool).unwrap().to_json()).unwrap()
}

#[test]
fn every_field_reaches_its_brush() {
    let tools: Tools = serde_json::from_str(GOLDEN).unwrap();
    let tools = tools.within_limits();
    assert_eq!((tools.active(), tools.is_snapping()), (Tool::SHARPEN, true));
    let settings = tools.settings();
    assert_eq!((settings.hardness, settings.strength, settings.build_up), (0.25, 0.75, true));
    assert_eq!(settings.radius_of(Tool::GAIN), Radius::Screen { points: 40.0 });
    assert_eq!(settings.radius_of(Tool::ERASE), Radius::Screen { points: 20.0 });
    assert_eq!((settings.wand_tolerance_db, settings.harmonic_count, settings.harmonic_width_hz), (6.0, 8, 30.0));
    assert_eq!((settings.hum_strength, settings.find_sensitivity), (0.5, 0.75));
    let expected = [
        (Tool::GAIN, json!({"kind": "gain", "gain_db": 3.0})),
        (Tool::BLUR, json!({"kind": "blur", "sigma": [0.05, 90.0], "rebuild_phase": true})),
        (Tool::BAND_FILTER, json!({"kind": "band_filter", "pass": "notch", "cutoff": [300.0, 700.0], "order": 6})),
        (
            Tool::MODULATION_FILTER,
            json!({"kind": "modulation_filter", "pass": "band", "along": "both", "cutoff": [[3.0, 6.0], [1.0, 5.0]],
                   "order": 2, "rebuild_phase": true}),
        ),
        (
            Tool::TONE,
            json!({"kind": "tone", "level_db": -12.0, "harmonics": 5, "spacing": 2.0, "inharmonicity": 0.01,
                   "slope_db": -3.0, "pan": 0.5, "fade": 0.005}),
        ),
        (Tool::NOISE, json!({"kind": "noise", "level_db": -30.0, "seed": 0})),
        (Tool::SHARPEN, json!({"kind": "sharpen", "sigma": [0.01, 30.0], "amount": 4.0})),
        (
            Tool::DENOISE,
            json!({"kind": "denoise", "learn": [0.0, 1.0], "reduction_db": 18.0, "margin_db": 3.0,
                   "smoothing": [0.2, 250.0], "even_gains": true}),
        ),
        (
            Tool::HARMONIC_PERCUSSIVE,
            json!({"kind": "harmonic_percussive", "harmonic_db": -6.0, "percussive_db": 6.0, "reach": [0.2, 200.0]}),
        ),
        (Tool::WARP, json!({"kind": "warp", "mode": "push", "peak_locking": false})),
        (Tool::HEAL, json!({"kind": "heal", "mode": "gap", "context": [0.2, 0.3], "orders": "weighed"})),
        (
            Tool::Brush(sonobrush::workbench::PaintTool::of_kind("contrast").unwrap()),
            json!({"kind": "contrast", "amount": 2.5, "pivot_db": -20.0}),
        ),
    ];
    for (tool, expected) in expected {
        assert_eq!(brush(&tools, tool), expected, "{tool:?}");
        assert_ne!(Some(brush(&tools, tool)), brush_at_start(tool), "{tool:?}: the comparison can fail");
    }
    // The other cutoff of the band filter is kept, too.
    assert_eq!(settings.band_filter.bend_hz, 400.0);
    // Written and read again they are the same.
    let again: Tools = serde_json::from_str(&serde_json::to_string(&tools).unwrap()).unwrap();
    assert_eq!(again, tools);
}

fn brush_at_start(tool: Tool) -> Option<Value> {
    let brush: Brush = Tools::default().settings().brush_of(tool)?;
    serde_json::from_str(&brush.to_json()).ok()
}
