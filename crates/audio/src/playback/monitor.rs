//! Monitor gain and its limiter, which affect only playback, not files.

use super::ring::FADE_SECS;

/// Release time constant of the limiter.
const RELEASE_SECS: f64 = 0.08;

/// A monitor gain that changes in linear ramps of 6 ms, and a limiter that reduces all channels together when a sample
/// exceeds full scale, with a slow release. At unity gain, samples are unchanged bit for bit unless the limiter acts.
#[derive(Debug)]
pub struct MonitorGain {
    gain: f32,
    wanted: f32,
    /// Change of gain per frame, and number of frames left.
    ramp: (f32, u32),
    ramp_frames: u32,
    /// Current gain of the limiter, at most 1.
    held: f64,
    release: f64,
}

impl MonitorGain {
    /// Unity gain at a sample rate.
    pub fn new(rate_hz: f64) -> MonitorGain {
        MonitorGain {
            gain: 1.0,
            wanted: 1.0,
            ramp: (0.0, 0),
            ramp_frames: ((FADE_SECS * rate_hz) as u32).max(1),
            held: 1.0,
            release: 1.0 - (-1.0 / (RELEASE_SECS * rate_hz)).exp(),
        }
    }

    /// Ramps to a gain, given as a factor.
    pub fn set_gain(&mut self, gain: f32) {
        self.wanted = gain;
        self.ramp = ((gain - self.gain) / self.ramp_frames as f32, self.ramp_frames);
    }

    /// Processes interleaved frames in place.
    pub fn process(&mut self, frames: &mut [f32], n_channels: usize) {
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
                // From here on, pass samples unchanged.
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
