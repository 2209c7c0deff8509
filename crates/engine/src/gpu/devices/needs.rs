//! Device requirements of shaders, and the test for whether an adapter can compute.

/// Device requirements of shaders, per stage and per workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Storage buffers bound by one entry point.
    pub storage_buffers: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Invocations per workgroup, all along x.
    pub workgroup_threads: u32,
}

/// Requirements for an adapter to compute, which WebGPU guarantees. Every shader meets them except the FFTs of 8,192
/// and 16,384 samples in one workgroup, which state [their own](crate::gpu::fft::FftStep::needs) and are replaced by
/// other steps on smaller devices. A test checks every shader.
pub const NEEDS: Needs = Needs { storage_buffers: 8, workgroup_bytes: 16 << 10, workgroup_threads: 256 };

impl Needs {
    /// Whether a device with these limits meets the requirements.
    pub fn fit(&self, limits: &wgpu::Limits) -> bool {
        limits.max_storage_buffers_per_shader_stage >= self.storage_buffers
            && limits.max_compute_workgroup_storage_size >= self.workgroup_bytes
            && limits.max_compute_invocations_per_workgroup >= self.workgroup_threads
            && limits.max_compute_workgroup_size_x >= self.workgroup_threads
    }
}
