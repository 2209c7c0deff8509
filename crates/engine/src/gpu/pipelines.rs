//! Pipelines, each compiled once by the first thread that needs it.

use super::shaders::Program;
use crate::base::{Error, ErrorKind, Result, lock, trace};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

type Slot = Arc<Mutex<Option<wgpu::ComputePipeline>>>;

#[derive(Debug, Default)]
pub(super) struct Pipelines {
    slots: Mutex<HashMap<Program, Slot>>,
    n_compiled: AtomicU64,
}

impl Pipelines {
    /// The pipeline of a program. Other pipelines remain available while one compiles.
    pub fn get(&self, device: &wgpu::Device, program: Program) -> Result<wgpu::ComputePipeline> {
        let slot = lock(&self.slots).entry(program).or_default().clone();
        let mut slot = lock(&slot);
        if let Some(pipeline) = &*slot {
            return Ok(pipeline.clone());
        }
        let pipeline = compile(device, program)?;
        self.n_compiled.fetch_add(1, Relaxed);
        Ok(slot.insert(pipeline).clone())
    }

    /// Number of pipelines compiled so far.
    pub fn n_compiled(&self) -> u64 {
        self.n_compiled.load(Relaxed)
    }
}

fn compile(device: &wgpu::Device, program: Program) -> Result<wgpu::ComputePipeline> {
    let _span = trace::span("compile a shader");
    let label = program.label();
    let source = program
        .source()
        .ok_or_else(|| Error::new(ErrorKind::Unsupported, format!("the GPU engine has no shader \"{label}\"")))?;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(&label),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&label),
        layout: None,
        module: &module,
        entry_point: Some(program.entry_point()),
        compilation_options: wgpu::PipelineCompilationOptions {
            // FFTs write workgroup memory before they read it, and clearing it takes time on some drivers.
            zero_initialize_workgroup_memory: false,
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache: None,
    });
    match pollster::block_on(scope.pop()) {
        None => Ok(pipeline),
        Some(error) => {
            tracing::error!("shader {label}: {error}");
            Err(Error::new(ErrorKind::Gpu, format!("the graphics driver rejected the shader \"{label}\"")))
        }
    }
}
