//! How loud sound is heard: the gain of the monitor with its limiter. Never part of a file.

use super::callback::FADE_SECS;

/// Release time constant of the limiter.
const RELEASE_SECS: f64 = 0.08;

/// Gain changes are linear ramps of 6 ms. Samples beyond full scale are limited by reducing all channels at once, with
/// a slow release. Below full scale at unity gain every sample keeps its bits.
#[derive(Debug)]
pub(super) struct MonitorGain {
    gain: f32,
    wanted: f32,
    /// Change per frame, and frames to go.
    ramp: (f32, u32),
    ramp_frames: u32,
    /// Gain of the limiter, at most 1.
    held: f64,
    release: f64,
}

impl MonitorGain {
    pub(super) fn new(rate_hz: f64) -> MonitorGain {
        MonitorGain {
            gain: 1.0,
            wanted: 1.0,
            ramp: (0.0, 0),
            ramp_frames: ((FADE_SECS * rate_hz) as u32).max(1),
            held: 1.0,
            release: 1.0 - (-1.0 / (RELEASE_SECS * rate_hz)).exp(),
        }
    }

    pub(super) fn set_gain(&mut self, gain: f32) {
        self.wanted = gain;
        self.ramp = ((gain - self.gain) / self.ramp_frames as f32, self.ramp_frames);
    }

    /// Processes interleaved frames in place.
    pub(super) fn process(&mut self, frames: &mut [f32], n_channels: usize) {
        for frame in frames.chunks_exact_mut(n_channels) {
            match self.ramp.1 {
                0 => self.gain = self.wanted,
                _ => {
                    self.gain += self.ramp.0;
                    self.ramp.1 -= 1;
                }
            }
            if self.gain != 1.0 {
                frame.iter_mut().for_each(|sample| *sample *= self.gain);
            }
            let loudest = frame.iter().fold(0.0f32, |loudest, sample| loudest.max(sample.abs()));
            if self.held < 1.0 {
                self.held += (1.0 - self.held) * self.release;
                // Close enough to unity to pass samples unchanged.
                if self.held > 0.9999 {
                    self.held = 1.0;
                }
            }
            if f64::from(loudest) * self.held > 1.0 {
                self.held = 1.0 / f64::from(loudest);
            }
            if self.held < 1.0 {
                let held = self.held as f32;
                frame.iter_mut().for_each(|sample| *sample = (*sample * held).clamp(-1.0, 1.0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_unity_bits_pass_and_beyond_full_scale_is_held() {
        let mut monitor = MonitorGain::new(48_000.0);
        let quiet: Vec<f32> = (0..960).map(|n| (n as f32 * 0.1).sin() * 0.9).collect();
        let mut out = quiet.clone();
        monitor.process(&mut out, 2);
        assert_eq!(out, quiet);
        monitor.set_gain(4.0);
        let mut loud = quiet.repeat(10);
        monitor.process(&mut loud, 2);
        assert!(loud.iter().all(|sample| sample.abs() <= 1.0));
        assert!(loud[4_800..].iter().any(|sample| sample.abs() > 0.95), "held at full scale, not below");
        // Back at unity: after the release, bits again.
        monitor.set_gain(1.0);
        monitor.process(&mut quiet.repeat(200), 2);
        let mut again = quiet.clone();
        monitor.process(&mut again, 2);
        assert_eq!(again, quiet);
    }

    #[test]
    fn a_change_of_gain_has_no_step() {
        let mut monitor = MonitorGain::new(48_000.0);
        monitor.set_gain(0.0);
        let mut out = vec![1.0; 1_000];
        monitor.process(&mut out, 1);
        let step = out.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(step < 0.005 && out[999] == 0.0, "{step}");
    }
}
