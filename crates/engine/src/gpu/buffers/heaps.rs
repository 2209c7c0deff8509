//! Dedicated memory of an adapter, which wgpu does not report.

/// Size in bytes of the largest heap that the driver calls local to the device; `None` if the interface does not report
/// it.
#[cfg(not(target_vendor = "apple"))]
pub(in crate::gpu) fn memory_bytes(adapter: &wgpu::Adapter) -> Option<u64> {
    /// `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`.
    const DEVICE_LOCAL: u32 = 1;
    #[expect(unsafe_code, reason = "reads properties of a physical device that the adapter keeps alive")]
    let properties = unsafe {
        let adapter = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = adapter.shared_instance().raw_instance();
        instance.get_physical_device_memory_properties(adapter.raw_physical_device())
    };
    let heaps = properties.memory_heaps.iter().take(properties.memory_heap_count as usize);
    // The maximum, not the sum: cards also list a small heap to which the processor writes directly.
    heaps.filter(|heap| heap.flags.as_raw() & DEVICE_LOCAL != 0).map(|heap| heap.size).max()
}

/// `None`: Metal does not report it.
#[cfg(target_vendor = "apple")]
pub(in crate::gpu) fn memory_bytes(_adapter: &wgpu::Adapter) -> Option<u64> {
    None
}
