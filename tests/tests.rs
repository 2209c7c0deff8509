//! What users do and what signals obey, without a window. One binary: linking wgpu and eframe is costly.
#![allow(clippy::unwrap_used, missing_docs)]

mod common {
    pub mod gpu;
}
mod gpu;
mod shaders;
