//! Snapping to the pitch line.

use super::Viewport;
use crate::document::PitchLine;

/// The frequency of a pitch line, in hertz, at the time of a position in points, if the line passes at most `reach`
/// points above or below the position.
pub fn pitch_near(line: &PitchLine, viewport: &Viewport, place: [f64; 2], reach: f64) -> Option<f64> {
    let hz = line.hz_at(viewport.secs_from_x(place[0]))?;
    ((viewport.y_from_hz(hz) - place[1]).abs() <= reach).then_some(hz)
}
