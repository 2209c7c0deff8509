//! Measures the time from changing a setting of a preview until its sound is computed, as in the preview's job: an edit
//! of five seconds of stereo, or of a hole in them. The time from there to the ring buffer is the same as for a
//! released stroke, and is not included.

use super::stopwatch::{RATE_HZ, Stopwatch, noise};
use crate::base::{Progress, Result};
use crate::document::{Brush, Channels, Edit, Snapshot, apply_live, learn_noise};
use crate::dsp::repair::heal::Heal;
use crate::dsp::{Axis, Denoise, NoiseSource, Selection, StftParams};
use crate::media::Source;
use std::sync::Arc;

const SECS: f64 = 5.0;

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let band = Some([500.0, 4_000.0]);
    let holes = [
        ("preview_heal_attenuate", Heal::default(), [0.5, 4.5], band),
        ("preview_heal_interpolate", Heal::INTERPOLATE, [2.0, 2.5], band),
        ("preview_heal_gap", Heal::WEIGHED_GAP, [2.0, 2.09], None),
        ("preview_heal_pattern", Heal::PATTERN, [2.0, 2.2], band),
    ];
    for (name, heal, secs, hz) in holes {
        if stopwatch.wants(name)? {
            let select = Selection::rectangle(Some(secs), hz, [0.0; 2], Axis::Linear);
            heard(stopwatch, name, &sound()?, &edit(heal.into(), Some(select)))?;
        }
    }
    if stopwatch.wants("preview_denoise")? {
        let sound = sound()?;
        let plans = stopwatch.engine.plans().clone();
        let profile = learn_noise(&sound, [0.5, 1.5], None, StftParams::default(), &plans, &Progress::new())?;
        // A negative margin, so that the sound, which is all noise, is not treated as pure noise: that would be faster.
        let denoise = Denoise { margin_db: -6.0, ..Denoise::even(NoiseSource::Profile(Arc::new(profile))) };
        heard(stopwatch, "preview_denoise", &sound, &edit(denoise.into(), None))?;
    }
    Ok(())
}

fn sound() -> Result<Snapshot> {
    let channels = vec![noise((SECS * RATE_HZ) as usize); 2];
    Ok(Snapshot::new(Source::from_channels(channels, RATE_HZ as u32)?))
}

fn edit(brush: Brush, select: Option<Selection>) -> Edit {
    Edit {
        brush,
        stroke: None,
        select,
        channels: Channels::All,
        transform: StftParams::default().into(),
        strength: 1.0,
        consistency_steps: None,
    }
}

fn heard(stopwatch: &mut Stopwatch<'_>, name: &str, sound: &Snapshot, edit: &Edit) -> Result<()> {
    let engine = stopwatch.engine;
    stopwatch.time(name, || {
        apply_live(sound, edit, engine, &Progress::new())?;
        engine.finish();
        Ok(())
    })
}
