//! Calls of an engine whose commands are submitted to the device together.

use super::open_submission::{OpenSubmission, SubmissionState as State};
use super::{ComputeDevice, Engine};
use crate::base::{Result, lock};
use crate::gpu::{Batch, Gpu};
use std::sync::Arc;

impl Engine {
    /// Runs `work` with an engine that records what it computes on the device, and submits all of it at the end: one
    /// submission in place of one for each call. Larger work is submitted in parts, and a call that waits for a result
    /// submits what has been recorded. If `work` fails, the rest is discarded. On the CPU, and within another
    /// submission, only runs `work`.
    ///
    /// # Errors
    /// Errors of `work`, and [`Gpu`](crate::base::ErrorKind::Gpu) if the device fails to take the commands.
    pub fn in_one_submission<T>(&self, work: impl FnOnce(&Engine) -> Result<T>) -> Result<T> {
        let ComputeDevice::Gpu(gpu) = &self.device else { return work(self) };
        if self.submission.as_ref().is_some_and(|open| open.is_open()) {
            return work(self);
        }
        let open = Arc::new(OpenSubmission::default());
        let done = work(&Engine { submission: Some(open.clone()), ..self.clone() });
        let rest = std::mem::replace(&mut *lock(&open.state), State::Closed);
        let done = done?;
        let _notes = self.taking_notes();
        if let State::Recorded(commands) = rest {
            gpu.submit(*commands)?;
        }
        Ok(done)
    }

    /// Records commands for the open submission, or submits them at once if none is open.
    pub(super) fn recorded<T>(&self, gpu: &Gpu, record: impl FnMut(&mut Batch<'_>) -> Result<T>) -> Result<T> {
        let Some(open) = &self.submission else { return gpu.in_batch(record) };
        let mut state = lock(&open.state);
        let mut commands = match std::mem::take(&mut *state) {
            State::Closed => {
                *state = State::Closed;
                drop(state);
                return gpu.in_batch(record);
            }
            State::Recorded(commands) => Some(*commands),
            State::Empty => None,
        };
        let done = gpu.record(&mut commands, record);
        *state = commands.map_or(State::Empty, |commands| State::Recorded(Box::new(commands)));
        done
    }

    /// Submits what has been recorded, for a call that waits for results.
    pub(super) fn submit_recorded(&self, gpu: &Gpu) -> Result<()> {
        let Some(open) = &self.submission else { return Ok(()) };
        let mut state = lock(&open.state);
        match std::mem::take(&mut *state) {
            State::Empty => Ok(()),
            State::Recorded(commands) => gpu.submit(*commands),
            State::Closed => {
                *state = State::Closed;
                Ok(())
            }
        }
    }
}
