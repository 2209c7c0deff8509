//! Invariants of snapshots and edits after any act; and the material of a soak.

use crate::support::random::Random;
use sonobrush::document::brushes::{Brush, VoicesBrush};
use sonobrush::document::{Edit, Snapshot, time_changes};
use sonobrush::dsp::Shape;
use std::path::Path;

/// A hash of all samples' bits and the length; `None` if a sample is not finite.
pub fn hash_of(snapshot: &Snapshot) -> Option<u64> {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ snapshot.n_samples();
    let mut part = vec![0.0f32; 16_384];
    for channel in 0..snapshot.n_channels() {
        for first in (0..snapshot.n_samples()).step_by(part.len()) {
            snapshot.read(channel, first as i64, &mut part).unwrap();
            for sample in &part {
                if !sample.is_finite() {
                    return None;
                }
                hash = (hash ^ u64::from(sample.to_bits())).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    Some(hash)
}

/// Seconds outside which an edit may change nothing: its mask, and half a window on both sides of the frames in it.
/// None where a shape does not say.
pub fn reach_secs(edit: &Edit, rate_hz: f64) -> Option<[f64; 2]> {
    let window_secs = edit.transform.as_stft().map(|stft| stft.n_fft + stft.hop).unwrap() as f64 / rate_hz;
    let around = |[start, end]: [f64; 2]| Some([start - window_secs, end + window_secs]);
    if let Brush::Paste(paste) = &edit.brush {
        let secs = paste.clip.secs();
        return around(secs.map(|secs| secs + paste.offset[0]));
    }
    if let Some(stroke) = &edit.stroke {
        let secs = stroke.points.iter().map(|point| point.secs);
        let (first, last) = secs.fold((f64::MAX, f64::MIN), |(a, b), secs| (a.min(secs), b.max(secs)));
        if let Brush::Voices(VoicesBrush::Drawn(voice)) = &edit.brush {
            // A click has a length, and every note dies away.
            return around([first, last + voice.length_secs + voice.timbre.adsr.release_secs]);
        }
        return around([first - stroke.radius[0], last + stroke.radius[0]]);
    }
    let select = edit.select.as_ref()?;
    let is_plain = |shape: &Shape| matches!(shape, Shape::Rectangle { .. });
    if !select.shapes.iter().all(|(_, shape)| is_plain(shape)) {
        return None;
    }
    let feathers = select.shapes.iter().map(|(_, shape)| match shape {
        Shape::Rectangle { feather, .. } => feather[0],
        _ => 0.0,
    });
    let feather = feathers.fold(0.0, f64::max);
    around(select.extent()[0].map(|[start, end]| [start - feather, end + feather])?)
}

/// Half of the longest fade at a join.
const MAX_FADE_SECS: f64 = 0.05;

/// The first sample that an edit changed where it does not reach.
pub fn violation(edit: &Edit, before: &Snapshot, after: &Snapshot) -> Option<String> {
    let rate_hz = before.sample_rate_hz();
    // What cuts or adds time moves all behind its first join; the fade of that is before it, too.
    let first_join = time_changes(before, edit).iter().map(|change| change.at).min();
    let reach = match (&edit.brush, first_join) {
        (Brush::Lengthen(_), _) => [f64::MAX, f64::MAX],
        (_, Some(at)) => [at as f64 / rate_hz - MAX_FADE_SECS, f64::MAX],
        _ => reach_secs(edit, rate_hz)?,
    };
    let n = before.n_samples().min(after.n_samples()) as usize;
    let (mut was, mut is) = (vec![0.0f32; n], vec![0.0f32; n]);
    for channel in 0..before.n_channels() {
        before.read(channel, 0, &mut was).unwrap();
        after.read(channel, 0, &mut is).unwrap();
        for (at, (was, is)) in was.iter().zip(&is).enumerate() {
            let secs = at as f64 / rate_hz;
            if was.to_bits() != is.to_bits() && !(reach[0]..=reach[1]).contains(&secs) {
                return Some(format!("channel {channel} at {secs} s, outside {reach:?}: {was} became {is}"));
            }
        }
    }
    None
}

/// Memory of this process that no file backs.
pub fn rss_anon_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<i64>().ok()? * 1024)
}

/// A tone in noise.
pub fn write_sound(path: &Path, n_channels: u16, rate: u32, bits: u16, n: u32, seed: u64) {
    let is_float = bits == 32;
    let sample_format = if is_float { hound::SampleFormat::Float } else { hound::SampleFormat::Int };
    let spec = hound::WavSpec { channels: n_channels, sample_rate: rate, bits_per_sample: bits, sample_format };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    let mut random = Random::new(seed);
    for at in 0..n * u32::from(n_channels) {
        let tone = (f64::from(at) * 0.05).sin() * 0.4;
        let sample = tone + random.between(-0.1, 0.1);
        match is_float {
            true => writer.write_sample(sample as f32).unwrap(),
            false => writer.write_sample((sample * 2f64.powi(i32::from(bits) - 1)) as i32).unwrap(),
        }
    }
    writer.finalize().unwrap();
}
