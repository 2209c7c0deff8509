//! Ruler ticks: round numbers, at least two of them labelled, without overlapping labels.

use crate::Viewport;
use crate::dsp::Axis;

/// A mark on a ruler.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Position in seconds or hertz.
    pub at: f64,
    /// Distance from the left or upper edge, in the viewport's pixels.
    pub pixel: f64,
    /// Label; `None` for minor ticks.
    pub label: Option<String>,
}

/// Size of labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelSize {
    /// Width of a character.
    pub letter: f64,
    /// Height of a line.
    pub line: f64,
    /// Minimum distance between two labels.
    pub gap: f64,
}

/// Minimum distance between minor ticks.
const MINOR_GAP: f64 = 4.0;

/// Time steps above one second.
const CLOCK_STEPS: [f64; 18] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 18000.0, 36000.0,
    86400.0, 360000.0,
];

/// Ticks of the time ruler. A label starts at its tick and ends before the right edge.
pub fn time_ticks(viewport: &Viewport, size: LabelSize) -> Vec<Tick> {
    let [from, to] = viewport.secs;
    let width = viewport.size[0];
    let per_sec = width / (to - from);
    let small = (-6..0).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(power)));
    let steps: Vec<f64> = small.chain(CLOCK_STEPS).collect();
    let label_width = |step: f64| clock_label(to, step).chars().count() as f64 * size.letter + size.gap;
    let fits = |step: f64| step * per_sec >= label_width(step);
    let chosen = steps.iter().position(|&step| fits(step)).unwrap_or(steps.len() - 1);
    let place = |step: f64, min: f64| {
        let mut end = f64::NEG_INFINITY;
        let mut ticks = Vec::new();
        for k in (from / step).ceil() as i64..=(to / step).floor() as i64 {
            let at = k as f64 * step;
            let pixel = (at - from) * per_sec;
            let label = clock_label(at, step);
            let free = pixel >= end && pixel + label.chars().count() as f64 * size.letter <= width;
            if free {
                end = pixel + min;
            }
            ticks.push(Tick { at, pixel, label: free.then_some(label) });
        }
        ticks
    };
    // With fewer than two labels at the chosen step, tries finer steps, labelling only the ticks that fit.
    for &step in steps[..=chosen].iter().rev() {
        let mut ticks = place(step, label_width(step));
        if ticks.iter().filter(|tick| tick.label.is_some()).count() >= 2 {
            let fine = [10.0, 5.0, 4.0, 2.0].into_iter().find(|parts| step / parts * per_sec >= MINOR_GAP);
            if let Some(parts) = fine {
                add_minor(&mut ticks, from, to, step / parts, |at| (at - from) * per_sec);
            }
            return ticks;
        }
    }
    place(steps[chosen], label_width(steps[chosen]))
}

/// Formats as `m:ss`, with hours if there are any and the decimals that the step needs.
fn clock_label(secs: f64, step: f64) -> String {
    let decimals = decimals_of(step);
    let unit = 10i64.pow(decimals as u32);
    let parts = (secs * unit as f64).round() as i64;
    let (whole, fraction) = (parts / unit, parts % unit);
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    let mut label =
        if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") };
    if decimals > 0 {
        label += &format!(".{fraction:0decimals$}");
    }
    label
}

/// Decimals needed to distinguish multiples of a round step.
fn decimals_of(step: f64) -> usize {
    (0..9).find(|&n| (step * 10f64.powi(n) - (step * 10f64.powi(n)).round()).abs() < 1e-6).unwrap_or(9) as usize
}

/// Ticks of the frequency ruler. A label is centred on its tick and lies inside the ruler.
pub fn hz_ticks(viewport: &Viewport, size: LabelSize) -> Vec<Tick> {
    let [low, high] = viewport.hz;
    let height = viewport.size[1];
    let pixel = |hz: f64| viewport.y_from_hz(hz) - viewport.origin[1];
    let nearly_even = {
        // Pixels per hertz at both ends.
        let nudge = (high - low) * 1e-3;
        let ends = [pixel(low) - pixel(low + nudge), pixel(high - nudge) - pixel(high)];
        viewport.axis == Axis::Linear || (ends[0] / ends[1]).max(ends[1] / ends[0]) < 2.5
    };
    let inside = |at: f64| (size.line / 2.0..=height - size.line / 2.0).contains(&pixel(at));
    let apart = size.line + size.gap;
    if !nearly_even {
        let mut ticks: Vec<Tick> = Vec::new();
        for (group, multiples) in PREFERRED.iter().enumerate() {
            if group > 2 && ticks.len() >= 4 {
                break;
            }
            for at in decades(low, high).flat_map(|decade| multiples.iter().map(move |m| m * decade)) {
                let free = ticks.iter().all(|tick| (tick.pixel - pixel(at)).abs() >= apart);
                if (low..=high).contains(&at) && inside(at) && free {
                    ticks.push(Tick { at, pixel: pixel(at), label: Some(hz_label(at, at)) });
                }
            }
        }
        if ticks.len() >= 2 {
            for digit in 1..10 {
                for at in decades(low, high).map(|decade| decade * f64::from(digit)) {
                    let free = ticks.iter().all(|tick| (tick.pixel - pixel(at)).abs() >= MINOR_GAP);
                    if (low..=high).contains(&at) && free {
                        ticks.push(Tick { at, pixel: pixel(at), label: None });
                    }
                }
            }
            ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
            return ticks;
        }
    }
    even_hz_ticks(low, high, apart, pixel, inside)
}

/// Multiples of a power of ten, in order of label priority.
const PREFERRED: [&[f64]; 5] = [
    &[1.0],
    &[2.0, 5.0],
    &[3.0, 7.0],
    &[4.0, 6.0, 8.0, 1.5],
    &[9.0, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 1.2, 1.4, 1.6, 1.8, 2.2, 2.4, 2.6, 2.8],
];

/// The powers of ten between two frequencies.
fn decades(low: f64, high: f64) -> impl Iterator<Item = f64> + Clone {
    let from = low.max(high * 1e-4).max(1e-3).log10().floor() as i32;
    (from..=high.max(1e-3).log10().floor() as i32).map(|power| 10f64.powi(power))
}

fn even_hz_ticks(
    low: f64,
    high: f64,
    apart: f64,
    pixel: impl Fn(f64) -> f64,
    inside: impl Fn(f64) -> bool,
) -> Vec<Tick> {
    let steps: Vec<f64> = (-3..6).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(power))).collect();
    // The smaller of the distances in pixels between two ticks at either end of the range.
    let closest = |step: f64| {
        let at = [low, (high - step).max(low)];
        at.map(|at| pixel(at) - pixel(at + step)).into_iter().fold(f64::INFINITY, f64::min)
    };
    let chosen = steps.iter().position(|&step| closest(step) >= apart).unwrap_or(steps.len() - 1);
    let mut best = Vec::new();
    for &step in steps[..=chosen].iter().rev() {
        let mut ticks: Vec<Tick> = Vec::new();
        let mut last = f64::INFINITY;
        for k in (low / step).ceil() as i64..=(high / step).floor() as i64 {
            let at = k as f64 * step;
            let free = inside(at) && last - pixel(at) >= apart;
            if free {
                last = pixel(at);
            }
            ticks.push(Tick { at, pixel: pixel(at), label: free.then(|| hz_label(at, step)) });
        }
        let n_labels = ticks.iter().filter(|tick| tick.label.is_some()).count();
        if n_labels >= 2 || (best.is_empty() && n_labels > 0) {
            best = ticks;
        }
        if n_labels >= 2 {
            let fine = [10.0, 5.0, 2.0].into_iter().find(|parts| closest(step / parts) >= MINOR_GAP);
            if let Some(parts) = fine {
                add_minor(&mut best, low, high, step / parts, &pixel);
            }
            break;
        }
    }
    best
}

/// Formats hertz, in thousands from 1,000 on: `440`, `1.5k`. `step` determines the number of digits.
fn hz_label(hz: f64, step: f64) -> String {
    let (value, step, unit) = if hz >= 1000.0 { (hz / 1000.0, step / 1000.0, "k") } else { (hz, step, "") };
    let text = format!("{value:.*}", decimals_of(step));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

fn add_minor(ticks: &mut Vec<Tick>, from: f64, to: f64, step: f64, pixel: impl Fn(f64) -> f64) {
    for k in (from / step).ceil() as i64..=(to / step).floor() as i64 {
        let at = k as f64 * step;
        if ticks.iter().all(|tick| (tick.at - at).abs() > step / 2.0) {
            ticks.push(Tick { at, pixel: pixel(at), label: None });
        }
    }
    ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
}
