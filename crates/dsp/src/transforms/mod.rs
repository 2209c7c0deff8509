//! From samples to cells and back: transforms as data, grids, plans, the STFT, rows of a scale, windows.
//! May touch: `cells`, `numeric`, and for rows `selections`, `kernels` and `warps`. Home of `n_fft` and `hop`.

pub mod constant_q;
pub(super) mod difference;
pub(super) mod difference_sum;
pub mod fft_plans;
pub mod frame_power;
pub mod frame_stream;
pub mod grid;
pub(super) mod grid_plan;
pub(super) mod lobes;
pub(super) mod real_fft;
pub mod rows;
pub mod stft;
pub mod transform;
pub(super) mod view_plan;
pub mod window;
