//! The one file that names egui_wgpu; it only forwards.
