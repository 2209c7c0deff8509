//! The transform of the view, and its parameters.

use super::row::row;
use crate::base::number;
use crate::dsp::transforms::rows::{RowScale, RowsGamma, RowsParams};
use crate::dsp::{StftParams, Transform, Window};
use crate::studio::widgets;
use crate::workbench::{Acts, ViewAct};
use egui::Ui;

/// Kinds of transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransformKind {
    Stft,
    ConstantQ,
    VariableQ,
    Mel,
    Bark,
    /// Rows at listed frequencies, as set by scripts; not offered in the panel.
    List,
}

/// Offered numbers of rows per octave, and of bands.
const BINS: [u32; 5] = [12, 24, 36, 48, 96];
const BANDS: [u32; 6] = [40, 64, 80, 96, 128, 256];

/// Named parameters for a purpose.
const PRESETS: [Preset; 4] = [
    Preset { name: "Music", params: RowsParams::music },
    Preset { name: "Fine pitch", params: RowsParams::fine_pitch },
    Preset { name: "Bass", params: RowsParams::bass },
    Preset { name: "Speech", params: RowsParams::speech },
];

struct Preset {
    name: &'static str,
    params: fn() -> RowsParams,
}

/// If the longest atoms of a row transform extend further than this on each side, the panel shows their length.
const FAR_SECS: f64 = 1.0;

impl TransformKind {
    const OFFERED: [TransformKind; 5] = [
        TransformKind::Stft,
        TransformKind::ConstantQ,
        TransformKind::VariableQ,
        TransformKind::Mel,
        TransformKind::Bark,
    ];

    fn of(transform: &Transform) -> TransformKind {
        match transform {
            Transform::Stft(_) => TransformKind::Stft,
            Transform::Rows(rows) => match rows.scale {
                RowScale::Log { .. } if rows.gamma == RowsGamma::ZERO => TransformKind::ConstantQ,
                RowScale::Log { .. } => TransformKind::VariableQ,
                RowScale::Mel { .. } => TransformKind::Mel,
                RowScale::Bark { .. } => TransformKind::Bark,
                RowScale::List(_) => TransformKind::List,
            },
        }
    }

    fn name(self) -> &'static str {
        match self {
            TransformKind::Stft => "STFT",
            TransformKind::ConstantQ => "Constant-Q",
            TransformKind::VariableQ => "Variable-Q",
            TransformKind::Mel => "Mel",
            TransformKind::Bark => "Bark",
            TransformKind::List => "List",
        }
    }

    /// The default transform of this kind, if it is valid at the sample rate.
    fn usual(self, sample_rate_hz: f64) -> Option<Transform> {
        let transform = match self {
            TransformKind::Stft => Transform::for_rate(sample_rate_hz),
            TransformKind::ConstantQ => RowsParams::log(24).with_gamma_hz(0.0).into(),
            TransformKind::VariableQ => RowsParams::music().into(),
            TransformKind::Mel => RowsParams::mel(128).into(),
            TransformKind::Bark => RowsParams::bark(96).into(),
            TransformKind::List => return None,
        };
        transform.validated_at(sample_rate_hz).ok()
    }
}

/// The choice of the transform, and its parameters; those invalid at the sample rate aren't offered.
pub fn choose(ui: &mut Ui, transform: &Transform, sample_rate_hz: f64, acts: &mut Acts) {
    let kind = TransformKind::of(transform);
    row(ui, "Transform", |ui, width| {
        let offered: Vec<TransformKind> =
            TransformKind::OFFERED.into_iter().filter(|kind| kind.usual(sample_rate_hz).is_some()).collect();
        let name = |kind: TransformKind| kind.name().to_string();
        let chosen = widgets::choice(ui, "Transform", width * 0.5, kind, &offered, name);
        if let Some(chosen) = chosen.and_then(|kind| kind.usual(sample_rate_hz)) {
            acts.push(ViewAct::Transform(chosen));
        }
        let presets: Vec<usize> = (0..PRESETS.len())
            .filter(|&preset| (PRESETS[preset].params)().validated_at(sample_rate_hz).is_ok())
            .collect();
        let current = presets.iter().copied().find(|&preset| *transform == Transform::from((PRESETS[preset].params)()));
        let name = |preset: usize| PRESETS.get(preset).map_or("Preset", |preset| preset.name).to_string();
        let current = current.unwrap_or(PRESETS.len());
        if let Some(preset) = widgets::choice(ui, "Preset", ui.available_width(), current, &presets, name) {
            acts.push(ViewAct::Transform((PRESETS[preset].params)().into()));
        }
    });
    match transform {
        Transform::Stft(stft) => stft_row(ui, *stft, acts),
        Transform::Rows(rows) => rows_row(ui, rows, sample_rate_hz, acts),
    }
}

/// Rows per octave or bands, and the window length if it is long.
fn rows_row(ui: &mut Ui, rows: &RowsParams, sample_rate_hz: f64, acts: &mut Acts) {
    let with = |scale: RowScale| RowsParams { scale, ..rows.clone() }.validated_at(sample_rate_hz).ok();
    let (caption, current, all) = match rows.scale {
        RowScale::Log { bins } => ("Rows per octave", bins, &BINS[..]),
        RowScale::Mel { bands } => ("Mel bands", bands, &BANDS[..]),
        RowScale::Bark { bands } => ("Bark bands", bands, &BANDS[..]),
        RowScale::List(_) => return,
    };
    let scale = |n: u32| match rows.scale {
        RowScale::Log { .. } => RowScale::Log { bins: n },
        RowScale::Mel { .. } => RowScale::Mel { bands: n },
        RowScale::Bark { .. } | RowScale::List(_) => RowScale::Bark { bands: n },
    };
    row(ui, "Rows", |ui, width| {
        let offered: Vec<u32> = all.iter().copied().filter(|n| with(scale(*n)).is_some()).collect();
        let chosen = widgets::choice(ui, caption, width * 0.5, current, &offered, |n| n.to_string());
        if let Some(chosen) = chosen.and_then(|n| with(scale(n))) {
            acts.push(ViewAct::Transform(chosen.into()));
        }
        let window_secs = Transform::from(rows.clone()).window_secs(sample_rate_hz);
        if window_secs / 2.0 > FAR_SECS {
            ui.weak(format!("{} s window", number(window_secs, 1)))
                .on_hover_text("An edit of the lowest rows changes sound half of this away on each side.");
        }
    });
}

/// Size, overlap and window; combinations that can't be inverted aren't offered.
fn stft_row(ui: &mut Ui, stft: StftParams, acts: &mut Acts) {
    let sizes: Vec<usize> = (6..=15).map(|exponent| 1 << exponent).collect();
    let offer = |stft: StftParams| stft.validated().ok();
    let mut chosen = None;
    row(ui, "FFT size", |ui, width| {
        if let Some(n_fft) = widgets::choice(ui, "FFT size", width * 0.5, stft.n_fft, &sizes, |n| n.to_string()) {
            chosen = offer(StftParams { n_fft, hop: n_fft * stft.hop / stft.n_fft, ..stft });
        }
        let overlap = |parts: usize| format!("{} %", number(100.0 - 100.0 / parts as f64, 1));
        let parts: Vec<usize> =
            [2, 4, 8, 16].into_iter().filter(|p| offer(StftParams { hop: stft.n_fft / p, ..stft }).is_some()).collect();
        let current = stft.n_fft / stft.hop;
        if let Some(parts) = widgets::choice(ui, "Overlap", ui.available_width(), current, &parts, overlap) {
            chosen = offer(StftParams { hop: stft.n_fft / parts, ..stft });
        }
    });
    row(ui, "Window", |ui, width| {
        let windows: Vec<Window> =
            Window::ALL.into_iter().filter(|&window| offer(StftParams { window, ..stft }).is_some()).collect();
        if let Some(window) =
            widgets::choice(ui, "Window", width, stft.window, &windows, |window| window.label().to_string())
        {
            chosen = offer(StftParams { window, ..stft });
        }
    });
    if let Some(stft) = chosen {
        acts.push(ViewAct::Transform(stft.into()));
    }
}
