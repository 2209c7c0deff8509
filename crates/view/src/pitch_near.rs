//! Snapping to the pitch line.

use super::Viewport;
use crate::document::PitchLine;

/// The pitch of a line at the time of a place in points, in hertz, if it is at most `reach` points above or below.
pub fn pitch_near(line: &PitchLine, viewport: &Viewport, place: [f64; 2], reach: f64) -> Option<f64> {
    let hz = line.hz_at(viewport.secs_from_x(place[0]))?;
    ((viewport.y_from_hz(hz) - place[1]).abs() <= reach).then_some(hz)
}
