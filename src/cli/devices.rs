//! `sonobrush devices`

use super::common::engines::{adapter_of, engine_for};
use super::common::terminal::Terminal;
use crate::base::{Result, Settings};
use crate::gpu::Gpu;
use serde::Serialize;

#[derive(Serialize)]
struct Devices {
    adapters: Vec<Adapter>,
    audio_outputs: Vec<String>,
    audio_inputs: Vec<String>,
    engine: Option<&'static str>,
    adapter: Option<String>,
    why: String,
    /// Engine that analyses constant-Q, mel and other rows: the same.
    rows: Option<&'static str>,
}

#[derive(Serialize)]
struct Adapter {
    number: usize,
    name: String,
    backend: String,
    driver: String,
    device_type: String,
    max_texture: u32,
    max_storage_buffer: u64,
    /// Size of the largest memory heap in bytes; null if the backend does not report it.
    memory_bytes: Option<u64>,
    /// `device`, `shared` (with the processor) or `unknown`.
    memory_kind: &'static str,
    /// PCI address; empty if unknown.
    pci: String,
    /// Maximum number of threads per workgroup, and workgroup memory in bytes.
    threads: u32,
    workgroup_bytes: u32,
    timestamps: bool,
    computes: bool,
}

pub(super) fn run(settings: &Settings, json: bool, terminal: &Terminal) -> Result<()> {
    let adapters = Gpu::adapters().into_iter().enumerate().map(|(number, found)| Adapter {
        number,
        name: found.name,
        backend: found.backend,
        driver: found.driver,
        device_type: found.device_type,
        max_texture: found.max_texture,
        max_storage_buffer: found.max_storage_buffer,
        memory_bytes: found.memory_bytes,
        memory_kind: found.memory_kind.name(),
        pci: found.pci,
        threads: found.threads,
        workgroup_bytes: found.workgroup_bytes,
        timestamps: found.timestamps,
        computes: found.computes,
    });
    // An unavailable engine is reported in the output, rather than as a failure.
    let (engine, adapter, why) = match engine_for(settings) {
        Ok(chosen) => (Some(chosen.engine.name()), adapter_of(&chosen.engine), chosen.why),
        Err(error) => (None, None, error.to_string()),
    };
    let [audio_outputs, audio_inputs] = sound_devices();
    let devices =
        Devices { adapters: adapters.collect(), audio_outputs, audio_inputs, engine, adapter, why, rows: engine };
    if json {
        return terminal.print_json(&devices);
    }
    let mut text = String::from("graphics adapters\n");
    for adapter in &devices.adapters {
        text += &format!(
            "  {} {} ({}, {}, {}){}, textures to {}, buffers to {} MB\n",
            adapter.number,
            adapter.name,
            adapter.device_type,
            adapter.backend,
            adapter.driver,
            memory_text(adapter),
            adapter.max_texture,
            adapter.max_storage_buffer >> 20
        );
    }
    if devices.adapters.is_empty() {
        text += "  none\n";
    }
    for (what, names) in [("sound outputs", &devices.audio_outputs), ("sound inputs", &devices.audio_inputs)] {
        text += &format!("{what}\n");
        names.iter().for_each(|name| text += &format!("  {name}\n"));
        if names.is_empty() {
            text += "  none\n";
        }
    }
    text += &format!("engine\n  {}: {}\n", devices.engine.unwrap_or("none"), devices.why);
    terminal.print(&text)
}

/// Text such as `, 24.0 GB of memory`; empty if unknown.
fn memory_text(adapter: &Adapter) -> String {
    let of_what = if adapter.memory_kind == "shared" { " shared with the processor" } else { "" };
    let text = |bytes: u64| format!(", {:.1} GB of memory{of_what}", bytes as f64 / f64::from(1 << 30));
    adapter.memory_bytes.map_or(String::new(), text)
}

/// Names of outputs and inputs; empty in a build without audio devices.
fn sound_devices() -> [Vec<String>; 2] {
    #[cfg(feature = "window")]
    return [crate::playback::output_devices(), crate::recording::input_devices()];
    #[cfg(not(feature = "window"))]
    Default::default()
}
