//! The graphics line: adapter, its memory by purpose, and the rate of frames.

use super::FrameRate;
use crate::base::number;

/// Memory of the graphics device in use.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphicsMemory {
    /// Bytes in use, of the window too; `None` if the driver does not report them.
    pub total_bytes: Option<u64>,
    /// Bytes that the adapter has; `None` if unknown.
    pub adapter_bytes: Option<u64>,
    /// Names and bytes of the largest uses.
    pub parts: Vec<(&'static str, u64)>,
}

/// Bytes in whole megabytes, as a number.
fn mb(bytes: u64) -> String {
    number(bytes as f64 / f64::from(1 << 20), 0)
}

/// Such as `412 MB of 12.0 GB`; the sum of the parts if the driver reports no total.
fn memory_words(memory: &GraphicsMemory) -> String {
    let sum = memory.parts.iter().map(|(_, bytes)| bytes).sum();
    let used = format!("{} MB", mb(memory.total_bytes.unwrap_or(sum)));
    match memory.adapter_bytes {
        Some(bytes) => format!("{used} of {} GB", number(bytes as f64 / f64::from(1 << 30), 1)),
        None => used,
    }
}

/// Such as `58 frames/s, longest 21 ms`.
fn rate_words(rate: &FrameRate) -> String {
    format!("{} frames/s, longest {} ms", number(rate.per_sec, 0), number(rate.longest_ms, 0))
}

/// The line at the top of the profiler, such as `RTX 4070, Vulkan | 412 MB of 12.0 GB: tiles 210, samples 60, kernels
/// 96, other 46 | 58 frames/s, longest 21 ms | UI 2.4 ms | device 31 %`. Parts that are unknown are omitted.
pub fn graphics_line(
    adapter: &str,
    memory: &GraphicsMemory,
    rate: Option<&FrameRate>,
    device_share: Option<f64>,
) -> String {
    let mut parts: Vec<String> = memory.parts.iter().map(|(name, bytes)| format!("{name} {}", mb(*bytes))).collect();
    let sum: u64 = memory.parts.iter().map(|(_, bytes)| bytes).sum();
    parts.extend(memory.total_bytes.map(|total| format!("other {}", mb(total.saturating_sub(sum)))));
    let mut line = vec![adapter.to_owned(), format!("{}: {}", memory_words(memory), parts.join(", "))];
    if let Some(rate) = rate {
        line.extend([rate_words(rate), format!("UI {} ms", number(rate.ui_ms, 1))]);
    }
    line.extend(device_share.map(|share| format!("device {} %", number(100.0 * share, 0))));
    line.join(" | ")
}

/// The short form for the status line, such as `58 frames/s, 412 MB`.
pub fn graphics_summary(memory: &GraphicsMemory, rate: Option<&FrameRate>) -> String {
    let memory = memory_words(memory);
    rate.map_or_else(|| memory.clone(), |rate| format!("{} frames/s, {memory}", number(rate.per_sec, 0)))
}
