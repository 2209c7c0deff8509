//! An input for tests, paced by the machine's clock, whose samples encode their own position.

use super::callback::InputCallback;
use super::format::{InputFormat, InputRequest};
use super::input::{AudioInput, InputLister, OpenInput};
use crate::base::Result;
use crate::playback::CallbackTimeouts;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A stereo input that delivers the same samples each time it is opened.
pub struct ClockInput;

const RATE_HZ: u32 = 48_000;
const BLOCK_FRAMES: u64 = 480;

impl ClockInput {
    /// Device name that selects this input.
    pub const NAME: &'static str = "test:clock";

    /// The sample of a frame and channel: never 0, and exact in 32 bits.
    pub fn sample(frame: u64, channel: usize) -> f32 {
        ((frame * 2 + channel as u64) % 65_521 + 1) as f32 / 131_072.0
    }
}

struct ClockStream(Arc<AtomicBool>);

impl Drop for ClockStream {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl AudioInput for ClockInput {
    fn open(
        &mut self,
        request: &InputRequest,
        make: &mut dyn FnMut(InputFormat) -> InputCallback,
    ) -> Result<OpenInput> {
        let format = InputFormat {
            rate_hz: request.rate_hz.unwrap_or(RATE_HZ),
            n_device_channels: 2,
            n_channels: request.n_channels.unwrap_or(2).clamp(1, 2),
        };
        let mut callback = make(format);
        let is_closed = Arc::new(AtomicBool::new(false));
        let ended = is_closed.clone();
        std::thread::spawn(move || {
            let (began, mut n_frames) = (Instant::now(), 0);
            while !ended.load(Relaxed) {
                let due = (began.elapsed().as_secs_f64() * f64::from(format.rate_hz)) as u64;
                while n_frames + BLOCK_FRAMES <= due {
                    let frames = n_frames..n_frames + BLOCK_FRAMES;
                    let samples = frames.flat_map(|frame| [0, 1].map(|channel| ClockInput::sample(frame, channel)));
                    callback.run(&samples.collect::<Vec<f32>>());
                    n_frames += BLOCK_FRAMES;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Ok(OpenInput {
            format,
            timeouts: Some(CallbackTimeouts::always(Duration::from_secs(2))),
            stream: Box::new(ClockStream(is_closed)),
        })
    }

    fn lister(&self) -> InputLister {
        Arc::new(|| vec![ClockInput::NAME.into()])
    }
}
