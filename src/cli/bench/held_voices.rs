//! Measures held voices: the time from pen-down to the first sample in the output's ring buffer.

use super::stopwatch::{RATE_HZ, Stopwatch};
use crate::base::{Error, ErrorKind, Result};
use crate::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use crate::document::{HeldPoint, Snapshot};
use crate::media::Source;
use crate::playback::{Player, RecordingOutput};
use std::time::{Duration, Instant};

/// Number of frames per request of the output.
const REQUEST_FRAMES: usize = 512;

/// Time limit for one measurement of the player.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    // Only the CPU engine plays held voices.
    if stopwatch.engine.gpu().is_none() && stopwatch.wants("voices_first_sample")? {
        first_sample(stopwatch)?;
    }
    Ok(())
}

/// Measures from holding a chord to its first sample in the output's ring buffer, with the device open.
fn first_sample(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let (output, recorder) = RecordingOutput::new(Some(RATE_HZ), 2);
    let mut player = Player::new(Box::new(output));
    player.load(Some(&Snapshot::new(Source::silence(RATE_HZ as u64, RATE_HZ as u32, 2)?)));
    let chord = DrawnVoice { chord: (0..8).map(|k| 3.5 * f64::from(k)).collect(), ..DrawnVoice::default() };
    let brush = Brush::from(VoicesBrush::Drawn(chord));
    let hold = |player: &Player| {
        if let Some(sound) = brush.live() {
            player.hold(sound, vec![HeldPoint { key: 0, hz: 130.8, pressure: 1.0 }]);
        }
    };
    let wait = |is_ready: &dyn Fn() -> bool| {
        let until = Instant::now() + TIMEOUT;
        while !is_ready() {
            if Instant::now() > until {
                return Err(Error::new(ErrorKind::Audio, "no sample came"));
            }
            std::thread::sleep(Duration::from_micros(20));
        }
        Ok(())
    };
    let ready = |player: &mut Player| {
        player.stop();
        // The control thread has handled the stop once no more samples arrive; then a pull discards the leftovers.
        wait(&|| {
            recorder.pull(REQUEST_FRAMES);
            std::thread::sleep(Duration::from_millis(5));
            recorder.n_ready() == 0
        })?;
        recorder.pull(REQUEST_FRAMES);
        Ok(())
    };
    stopwatch.time_on("voices_first_sample", &mut player, ready, |player| {
        hold(player);
        wait(&|| recorder.n_ready() > 0)
    })
}
