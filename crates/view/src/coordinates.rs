//! Conversion between pixels and seconds or hertz, zoom and pan.
//!
//! x grows to the right with time, y grows downwards with falling frequency. Pixels may be of any size (points of the
//! window, texels of an image), and are fractional: a whole number is an edge between two of them.

use crate::dsp::Axis;

/// Lowest frequency of a log axis in hertz.
pub const LOG_FLOOR_HZ: f64 = 20.0;

/// The visible part of the sound, and the rectangle it is drawn in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Left and right edge in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// Frequency axis.
    pub axis: Axis,
    /// Left and top edge in pixels.
    pub origin: [f64; 2],
    /// Width and height in pixels.
    pub size: [f64; 2],
}

impl Viewport {
    /// Time at a pixel.
    pub fn secs_from_x(&self, x: f64) -> f64 {
        self.secs[0] + (x - self.origin[0]) / self.size[0] * (self.secs[1] - self.secs[0])
    }

    /// Pixel at a time.
    pub fn x_from_secs(&self, secs: f64) -> f64 {
        self.origin[0] + (secs - self.secs[0]) / (self.secs[1] - self.secs[0]) * self.size[0]
    }

    /// Lower and upper edge in axis units.
    pub fn units(&self) -> [f64; 2] {
        self.hz.map(|hz| self.axis.units_from_hz(hz))
    }

    /// Axis units at a pixel.
    pub fn units_from_y(&self, y: f64) -> f64 {
        let [low, high] = self.units();
        high + (y - self.origin[1]) / self.size[1] * (low - high)
    }

    /// Pixel at a position in axis units.
    pub fn y_from_units(&self, units: f64) -> f64 {
        let [low, high] = self.units();
        self.origin[1] + (high - units) / (high - low) * self.size[1]
    }

    /// Frequency at a pixel.
    pub fn hz_from_y(&self, y: f64) -> f64 {
        self.axis.hz_from_units(self.units_from_y(y))
    }

    /// Pixel at a frequency; infinite for 0 Hz on a log axis.
    pub fn y_from_hz(&self, hz: f64) -> f64 {
        self.y_from_units(self.axis.units_from_hz(hz.max(0.0)))
    }

    /// Seconds per pixel.
    pub fn secs_per_pixel(&self) -> f64 {
        (self.secs[1] - self.secs[0]) / self.size[0]
    }

    /// Axis units per pixel.
    pub fn units_per_pixel(&self) -> f64 {
        let [low, high] = self.units();
        (high - low) / self.size[1]
    }
}

/// Limits of a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Length of the sound.
    pub duration_secs: f64,
    /// Half the sample rate.
    pub nyquist_hz: f64,
    /// Minimum visible duration.
    pub min_secs: f64,
    /// Minimum visible bandwidth.
    pub min_hz: f64,
}

impl Limits {
    /// Lowest frequency of an axis.
    pub fn floor_hz(&self, axis: Axis) -> f64 {
        if axis == Axis::Log { LOG_FLOOR_HZ.min(self.nyquist_hz / 64.0) } else { 0.0 }
    }

    /// The full frequency range.
    pub fn all_hz(&self, axis: Axis) -> [f64; 2] {
        [self.floor_hz(axis), self.nyquist_hz]
    }

    /// Moves a range into the sound, keeping its length if possible.
    pub fn clamp_secs(&self, secs: [f64; 2]) -> [f64; 2] {
        clamp_range(secs, [0.0, self.duration_secs], self.min_secs)
    }

    /// Moves a band into the spectrum, keeping its width in axis units if possible.
    pub fn clamp_hz(&self, hz: [f64; 2], axis: Axis) -> [f64; 2] {
        let floor = self.floor_hz(axis);
        if hz[0] >= floor && hz[1] <= self.nyquist_hz && hz[1] - hz[0] >= self.min_hz.min(self.nyquist_hz - floor) {
            return hz; // bit for bit, so that a valid view does not drift
        }
        let units = hz.map(|hz| axis.units_from_hz(hz.max(floor)));
        let clamped = clamp_range(units, self.all_hz(axis).map(|hz| axis.units_from_hz(hz)), 0.0);
        let hz = clamped.map(|units| axis.hz_from_units(units));
        if hz[1] - hz[0] >= self.min_hz.min(self.nyquist_hz - floor) * (1.0 - 1e-9) {
            return hz;
        }
        let centre = (hz[0] + hz[1]) / 2.0;
        let half = self.min_hz / 2.0;
        clamp_range([centre - half, centre + half], self.all_hz(axis), 0.0)
    }

    /// Zooms time about `at`: a `factor` above 1 zooms in.
    pub fn zoom_secs(&self, secs: [f64; 2], at: f64, factor: f64) -> [f64; 2] {
        let width = secs[1] - secs[0];
        // At its limits a zoom must not become a pan.
        let wanted = (width / factor).clamp(self.min_secs.min(self.duration_secs), self.duration_secs);
        let scale = wanted / width;
        self.clamp_secs([at - (at - secs[0]) * scale, at + (secs[1] - at) * scale])
    }

    /// Zooms frequency about `at` hertz, in axis units: a `factor` above 1 zooms in.
    pub fn zoom_hz(&self, hz: [f64; 2], axis: Axis, at: f64, factor: f64) -> [f64; 2] {
        let at = axis.units_from_hz(at.max(self.floor_hz(axis)));
        let units = hz.map(|hz| axis.units_from_hz(hz.max(self.floor_hz(axis))));
        let zoomed = units.map(|edge| axis.hz_from_units(at + (edge - at) / factor));
        if factor > 1.0 && zoomed[1] - zoomed[0] < self.min_hz {
            return hz;
        }
        self.clamp_hz(zoomed, axis)
    }

    /// Moves a band by a number of axis units, keeping its width in axis units.
    pub fn pan_hz(&self, hz: [f64; 2], axis: Axis, by_units: f64) -> [f64; 2] {
        let all = self.all_hz(axis).map(|hz| axis.units_from_hz(hz));
        let units = hz.map(|hz| axis.units_from_hz(hz.max(self.floor_hz(axis))) + by_units);
        clamp_range(units, all, 0.0).map(|units| axis.hz_from_units(units))
    }
}

/// Moves `range` into `within`, clipping it if it is wider, and widening it about its centre to `min`.
fn clamp_range(range: [f64; 2], within: [f64; 2], min: f64) -> [f64; 2] {
    let room = within[1] - within[0];
    if range[0] >= within[0] && range[1] <= within[1] && range[1] - range[0] >= min.min(room) {
        return range;
    }
    let width = range[1] - range[0];
    if !(width.is_finite() && range[0].is_finite()) || width >= room {
        return within;
    }
    let wider = width.max(min.min(room));
    let start = (range[0] - (wider - width) / 2.0).max(within[0]);
    let end = start + wider;
    if end > within[1] { [within[1] - wider, within[1]] } else { [start, end] }
}
