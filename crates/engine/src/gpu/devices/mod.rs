//! Adapters and devices: what they can do, how they fail, turns at those that need them, and pauses of submissions.
//! May touch: wgpu. No passes.

pub(super) mod device;
pub(super) mod fallback;
pub(super) mod faults;
pub(super) mod needs;
pub(super) mod pause;
pub(super) mod turns;
