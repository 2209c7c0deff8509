//! A device whose memory ends.

use engine::gpu::Gpu;

/// The number of an allocation that is never reached.
pub const FOREVER: u64 = u64::MAX >> 1;

/// Number of allocations of `work` on a device that has what is kept forever and no unused buffers.
pub fn allocations_of<T>(gpu: &Gpu, work: impl Fn() -> T) -> u64 {
    work();
    gpu.trim();
    let before = gpu.allocations();
    work();
    gpu.allocations() - before
}

/// Asserts that `work` gives the same on the device where one of its allocations fails, at every `step`-th of them.
pub fn assert_same_where_one_fails<T: PartialEq>(gpu: &Gpu, what: &str, step: usize, work: impl Fn() -> T) {
    let clean = work();
    let n = allocations_of(gpu, || assert!(work() == clean, "{what}: twice the same"));
    assert!(n > 3, "{what}: {n} allocations are too few to mean something");
    let on_cpu = gpu.fault_counts().n_on_cpu;
    for k in (0..n).step_by(step) {
        gpu.trim();
        let trimmed = gpu.fault_counts().n_trimmed;
        gpu.fail_allocations(k..k + 1);
        assert!(work() == clean, "{what}: allocation {k} of {n}");
        assert_eq!(gpu.fault_counts().n_trimmed, trimmed + 1, "{what}: allocation {k} of {n} did not fail");
    }
    gpu.fail_allocations(0..0);
    assert_eq!(gpu.fault_counts().n_on_cpu, on_cpu, "{what}");
}
