//! Numbers by chance that repeat, and edits made of them: every brush, with values of its whole range.

use serde_json::{Value, json};

/// xorshift64*: small, and the same everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// 0 to `n - 1`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.bits() >> 32) as usize * n) >> 32
    }

    /// Evenly between two numbers; now and then one of them.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        match self.below(16) {
            0 => low,
            1 => high,
            _ => low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64,
        }
    }

    /// Evenly in the logarithm.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp().clamp(low, high)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// Where random edits act.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub secs: f64,
    pub nyquist_hz: f64,
    pub n_channels: usize,
}

/// The kinds of brush that paint cells, except those that need a clip or a picture, and `lengthen`.
pub const KINDS: [&str; 20] = [
    "gain",
    "erase",
    "blur",
    "band_filter",
    "modulation_filter",
    "warp",
    "sharpen",
    "noise",
    "clone",
    "tone",
    "smudge",
    "lengthen",
    "heal",
    "denoise",
    "harmonic_percussive",
    "rebuild_phase",
    "voices",
    "mel_bands",
    "contrast",
    "gate",
];

/// The kinds that work on mel bands.
const BAND_KINDS: [&str; 6] = ["gain", "erase", "blur", "sharpen", "modulation_filter", "denoise"];

fn range(random: &mut Random, low: f64, high: f64) -> [f64; 2] {
    let (a, b) = (random.between(low, high), random.between(low, high));
    [a.min(b), a.max(b).max(a.min(b) + 1e-3)]
}

fn filter(random: &mut Random, brush: &mut Value, low: f64, high: f64) {
    let pass = random.pick(&["low", "high", "band", "notch"]);
    brush["pass"] = pass.into();
    brush["order"] = (1 + random.below(8)).into();
    let n = if matches!(pass, "low" | "high") { 1 } else { 2 };
    let cutoff = |random: &mut Random| {
        let first = random.magnitude(low, high);
        if n == 1 { json!([first]) } else { json!([first, first * random.magnitude(1.01, 50.0)]) }
    };
    brush["cutoff"] = cutoff(random);
    if brush["along"] == "both" {
        brush["cutoff"] = json!([cutoff(random), cutoff(random)]);
    }
}

/// What spreads or lowers levels about one of them.
fn about_a_level(random: &mut Random, kind: &str, brush: &mut Value) {
    let level_db = random.between(-120.0, 0.0);
    if kind == "contrast" {
        brush["amount"] = random.between(0.25, 4.0).into();
        brush["pivot_db"] = level_db.into();
    } else {
        brush["threshold_db"] = level_db.into();
        brush["ratio"] = random.between(1.0, 20.0).into();
        brush["mode"] = random.pick(&["hard", "soft"]).into();
    }
}

/// A brush of a kind, as scripts write it.
pub fn brush(random: &mut Random, kind: &str, place: Place) -> Value {
    let mut brush = json!({ "kind": kind });
    let gain = |random: &mut Random| random.between(-120.0, 24.0);
    match kind {
        "gain" => brush["gain_db"] = gain(random).into(),
        "contrast" | "gate" => about_a_level(random, kind, &mut brush),
        "blur" => {
            brush["sigma"] = json!([random.between(0.0, 0.1), random.between(0.0, 400.0)]);
            brush["rebuild_phase"] = random.once_in(4).into();
        }
        "sharpen" => {
            brush["sigma"] = json!([random.between(0.0, 0.1), random.between(0.0, 400.0)]);
            brush["amount"] = random.between(0.0, 16.0).into();
        }
        "band_filter" => filter(random, &mut brush, 1e-3, place.nyquist_hz * 2.0),
        "modulation_filter" => {
            brush["along"] = random.pick(&["time", "frequency", "both"]).into();
            filter(random, &mut brush, 1e-3, 1000.0);
            brush["rebuild_phase"] = random.once_in(4).into();
        }
        "noise" => {
            brush["level_db"] = random.between(-200.0, 24.0).into();
            brush["seed"] = (random.bits() >> 16).into();
        }
        "clone" => {
            let [secs, hz] = [place.secs, place.nyquist_hz];
            brush["offset"] = json!([random.between(-secs, secs), random.between(-hz, hz)]);
        }
        "tone" => {
            brush["level_db"] = random.between(-120.0, 12.0).into();
            brush["harmonics"] = random.pick(&[1, 2, 7, 128]).into();
            brush["spacing"] = random.magnitude(0.1, 10.0).into();
            brush["inharmonicity"] = random.between(0.0, 0.1).into();
            brush["slope_db"] = random.between(-40.0, 6.0).into();
            brush["pan"] = random.between(-1.0, 1.0).into();
        }
        "heal" => match random.below(4) {
            0 => {}
            1 => brush["mode"] = "interpolate".into(),
            2 => brush["mode"] = "gap".into(),
            _ => brush["mode"] = "pattern".into(),
        },
        "denoise" => {
            brush["learn"] = json!(range(random, 0.0, place.secs));
            brush["reduction_db"] = random.between(0.0, 80.0).into();
            brush["margin_db"] = random.between(-12.0, 12.0).into();
        }
        "harmonic_percussive" => {
            brush["harmonic_db"] = gain(random).into();
            brush["percussive_db"] = gain(random).into();
            brush["reach"] = json!([random.magnitude(0.01, 0.5), random.magnitude(10.0, 500.0)]);
        }
        "warp" if random.once_in(2) => brush["mode"] = "push".into(),
        "warp" => brush["shift"] = json!([random.between(-0.2, 0.2), random.between(-500.0, 500.0)]),
        "rebuild_phase" => brush["steps"] = random.below(12).into(),
        "voices" => {
            brush["timbre"] = random.pick(&["pad", "pluck", "organ", "bell", "breath"]).into();
            brush["level_db"] = random.between(-120.0, 24.0).into();
            brush["chord"] = random.pick(&[json!([0]), json!("Cm7"), json!([-12, 0, 0.5, 90])]);
            brush["length"] = random.magnitude(1e-3, 2.0).into();
        }
        "mel_bands" => {
            brush["bands"] = random.pick(&[8, 13, 40]).into();
            let kind = random.pick(&BAND_KINDS);
            brush["brush"] = self::brush(random, kind, place);
            if matches!(kind, "blur" | "sharpen") {
                brush["brush"]["sigma_axis"] = "mel".into();
                brush["brush"]["sigma"] = json!([random.between(0.0, 0.1), random.between(0.0, 8.0)]);
            }
        }
        "lengthen" => brush["secs"] = random.magnitude(1e-4, 0.2).into(),
        _ => {}
    }
    brush
}

fn points(random: &mut Random, place: Place, n: usize) -> Value {
    let mut at = [random.between(-0.1, place.secs + 0.1), random.between(1.0, place.nyquist_hz)];
    let mut points = Vec::new();
    for _ in 0..n {
        points.push(json!([at[0], at[1], random.between(0.0, 1.0)]));
        at[0] += random.between(-0.05, 0.1);
        at[1] = (at[1] * random.magnitude(0.7, 1.4)).clamp(1.0, place.nyquist_hz);
    }
    points.into()
}

fn stroke(random: &mut Random, place: Place) -> Value {
    let axis = random.pick(&["linear", "log", "mel", "bark"]);
    let units = match axis {
        "linear" => random.magnitude(5.0, 2000.0),
        "mel" => random.magnitude(0.1, 20.0),
        _ => random.magnitude(0.01, 4.0),
    };
    let n = 1 + random.below(8);
    json!({
        "points": points(random, place, n),
        "axis": axis,
        "radius": [random.magnitude(0.002, 0.2), units],
        "hardness": random.between(0.0, 1.0),
        "strength": random.between(0.0, 1.0),
    })
}

/// One shape of a selection.
pub fn shape(random: &mut Random, place: Place) -> Value {
    let feather = |random: &mut Random| json!([random.between(0.0, 0.05), random.between(0.0, 100.0)]);
    match random.below(6) {
        0 => json!({"shape": "polygon", "points": (0..5).map(|_| {
            [random.between(0.0, place.secs), random.between(1.0, place.nyquist_hz)]
        }).collect::<Vec<_>>(), "feather": feather(random)}),
        1 => {
            let mut shape = stroke(random, place);
            shape["shape"] = "stroke".into();
            shape
        }
        2 => json!({"shape": "harmonics", "f0": random.magnitude(20.0, 2000.0), "count": 1 + random.below(20),
            "width": random.between(0.0, 100.0), "time": range(random, 0.0, place.secs)}),
        3 => json!({"shape": "wand", "point": [random.between(0.0, place.secs), random.between(0.0, place.nyquist_hz)],
            "tolerance_db": random.between(0.0, 30.0)}),
        4 => json!({"time": range(random, 0.0, place.secs)}),
        _ => json!({"time": range(random, -0.1, place.secs + 0.1), "frequency": range(random, 0.0, place.nyquist_hz),
            "feather": feather(random)}),
    }
}

/// An edit of a kind with its place and grid.
pub fn edit(random: &mut Random, kind: &str, place: Place) -> Value {
    let n_fft = random.pick(&[64, 256, 512, 1024]);
    let mut edit = json!({
        "brush": brush(random, kind, place),
        "transform": {"kind": "stft", "n_fft": n_fft, "hop": n_fft / random.pick(&[2, 4, 8]),
            "window": random.pick(&["hann", "hamming", "nuttall", "kaiser"])},
    });
    let needs_stroke = matches!(kind, "smudge" | "tone" | "voices") || edit["brush"]["mode"] == "push";
    let without_stroke = kind == "lengthen" || !edit["brush"]["shift"].is_null();
    if needs_stroke || !without_stroke && random.once_in(2) {
        edit["stroke"] = stroke(random, place);
        let builds_up = !matches!(kind, "warp" | "tone" | "smudge" | "rebuild_phase" | "voices" | "mel_bands");
        edit["stroke"]["build_up"] = (builds_up && random.once_in(6)).into();
    }
    if kind != "lengthen" && (edit["stroke"].is_null() || random.once_in(4)) {
        let n = 1 + random.below(2);
        edit["select"] = (0..n).map(|_| shape(random, place)).collect();
    }
    if kind != "lengthen" {
        edit["channels"] = match random.below(6) {
            0 => json!([0]),
            1 if place.n_channels == 2 => "mid".into(),
            2 if place.n_channels == 2 => "side".into(),
            _ => "all".into(),
        };
    }
    edit
}
