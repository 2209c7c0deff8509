//! Brushes that repair: clipping, noise, hum, reverberation, sibilants, holes, phases.
//! May touch: what a brush may, and noise profiles.

pub(super) mod de_ess;
pub(super) mod declip;
pub(super) mod denoise;
pub(super) mod dereverb;
pub(super) mod frame_pass;
pub(super) mod heal;
pub(super) mod isolate;
pub(super) mod noise_source;
pub(super) mod plosives;
pub(super) mod rebuild_phase;
pub(super) mod remove_dc;
pub(super) mod remove_hum;
