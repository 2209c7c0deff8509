//! The device itself: textures of planes, sharing a window's device, limits, running out of memory, and device loss.

use base::{EngineChoice, ErrorKind};
use dsp::kernels::EraseKernel;
use dsp::{CellRect, Kernel, Mask, Region, Stft, StftParams, Window};
use engine::gpu::Gpu;
use engine::gpu::fft::{self, FftStep};
use engine::{Engine, EngineRegion};
use std::time::Duration;
use support::gpu::{gpu, own_gpu};
use support::program::skipped;
use support::regions::{Random, random_region};

/// The texture's rows. Blocks until they are read back.
fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Vec<f32> {
    let (width, height) = (texture.width() as usize, texture.height());
    let row = (4 * width).next_multiple_of(256);
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: (row * height as usize) as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: None },
        },
        texture.size(),
    );
    gpu.queue().submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |result| result.unwrap());
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let bytes = buffer.slice(..).get_mapped_range().unwrap();
    bytes.chunks(row).flat_map(|row| bytemuck::cast_slice::<u8, f32>(&row[..4 * width]).to_vec()).collect()
}

#[test]
fn scatter_writes_the_cells_asked_for() {
    let Some(gpu) = gpu() else { return };
    let planes = gpu.plane_textures(&CellRect::new(10..40, 0..65)).unwrap();
    let region = random_region(&mut Random(4), &CellRect::new(5..25, 30..70));
    let on_device = gpu.upload(&region).unwrap();
    let cells = CellRect::new(0..20, 33..100);
    gpu.in_batch(|batch| gpu.scatter(batch, &on_device, &cells, &planes)).unwrap();
    let (magnitude, phase) = (read_texture(&gpu, &planes.magnitude), read_texture(&gpu, &planes.phase));
    let mut written = 0;
    for frame in 10..40 {
        for bin in 0..65 {
            let i = (frame - 10) * 65 + bin;
            let expected = if (10..20).contains(&frame) && (33..65).contains(&bin) {
                written += 1;
                let from = region.index(frame, bin);
                [region.magnitude[from], region.phase[from]]
            } else {
                [0.0, 0.0]
            };
            assert_eq!([magnitude[i], phase[i]], expected, "frame {frame}, bin {bin}");
        }
    }
    assert_eq!(written, 10 * 32);
}

#[test]
fn other_threads_submit_after_a_pause() {
    let Some(gpu) = own_gpu() else { return };
    if gpu.summary().is_gl() {
        return skipped("threads take turns at OpenGL");
    }
    let region = random_region(&mut Random(2), &CellRect::new(0..9, 3..30));
    let on_device = gpu.upload(&region).unwrap();
    let read = || {
        let before = gpu.submissions();
        (gpu.download(&on_device).unwrap() == region, gpu.submissions() > before)
    };
    // It ends by a call, or by itself.
    for is_resumed in [true, false] {
        let start = std::time::Instant::now();
        gpu.pause_submissions();
        assert_eq!(read(), (true, true), "the thread that paused");
        let own = gpu.submissions();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| (read(), start.elapsed()));
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(gpu.submissions(), own, "submissions in the pause");
            if is_resumed {
                gpu.resume_submissions();
            }
            let (is_read, waited) = other.join().unwrap();
            assert_eq!(is_read, (true, true));
            assert!(waited >= Duration::from_millis([500, 200][usize::from(is_resumed)]), "{waited:?}");
        });
        gpu.resume_submissions();
    }
}

#[test]
fn a_windows_device_is_polled() {
    if gpu().is_none() {
        return;
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let gpu = Gpu::shared(&adapter, &device, &queue);
    let region = random_region(&mut Random(2), &CellRect::new(0..9, 3..30));
    assert_eq!(gpu.download(&gpu.upload(&region).unwrap()).unwrap(), region);
    // A real adapter is chosen by default, software only on request.
    let auto = Engine::for_shared(EngineChoice::Auto, gpu.clone()).unwrap();
    assert_eq!(auto.engine.name(), if gpu.summary().is_real() { "gpu" } else { "cpu" }, "{}", auto.why);
    let requested = Engine::for_shared(EngineChoice::Gpu, gpu).unwrap();
    assert_eq!(requested.engine.name(), "gpu", "{}", requested.why);
    // A device with WebGPU's default limits also computes, with the FFT steps that fit these limits.
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    let usual = Gpu::shared(&adapter, &device, &queue);
    assert!(usual.summary().computes);
    let limits = usual.device().limits();
    assert_eq!(
        [4096, 8192].map(|n_fft| fft::steps(n_fft, &limits)),
        [&[FftStep::Whole][..], &[FftStep::Narrow]].map(Some)
    );
    // A device without compute shaders can draw but not compute: choosing the GPU engine is an error, reported before
    // the driver fails.
    let required_limits = wgpu::Limits::downlevel_webgl2_defaults();
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let poor = Gpu::shared(&adapter, &device, &queue);
    assert!(!poor.summary().computes);
    assert_eq!(Engine::for_shared(EngineChoice::Gpu, poor.clone()).unwrap_err().kind(), ErrorKind::Gpu);
    assert_eq!(Engine::for_shared(EngineChoice::Auto, poor).unwrap().engine.name(), "cpu");
}

#[test]
fn a_lost_device_is_an_error() {
    if gpu().is_none() {
        return;
    }
    let gpu = Gpu::headless(None).unwrap();
    let region = random_region(&mut Random(2), &CellRect::new(0..9, 3..30));
    let on_device = gpu.upload(&region).unwrap();
    gpu.device().destroy();
    assert_eq!(gpu.download(&on_device).unwrap_err().kind(), ErrorKind::Gpu);
    assert_eq!(gpu.upload(&region).unwrap_err().kind(), ErrorKind::Gpu);
    assert_eq!(gpu.plane_textures(&region.rect).unwrap_err().kind(), ErrorKind::Gpu);
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let Some(gpu) = gpu() else { return };
    let long = CellRect::new(0..gpu.summary().max_texture as usize + 1, 0..3);
    assert_eq!(gpu.plane_textures(&long).unwrap_err().kind(), ErrorKind::Limit);
    let small = Stft::new(StftParams { n_fft: 32, hop: 8, window: Window::Hann });
    let refusal =
        gpu.in_batch(|batch| gpu.analyse(batch, &small, &[0.0; 32], &CellRect::new(0..1, 0..17))).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::Unsupported);
    assert!(refusal.message().contains("FFT size 32 is not a power of two from 64 to 4194304"), "{refusal}");
    let engine = Engine::on(gpu);
    let in_ram = EngineRegion::Cpu(Region::default());
    assert_eq!(
        engine.run(&Kernel::from(EraseKernel), &in_ram, &Mask::default()).unwrap_err().kind(),
        ErrorKind::Internal
    );
    assert_eq!(Gpu::headless(Some("no such adapter")).unwrap_err().kind(), ErrorKind::Gpu);
    assert_eq!(Engine::choose(EngineChoice::Cpu, None).unwrap().engine.name(), "cpu");
}

#[test]
fn pipelines_can_be_made_ahead() {
    let Some(gpu) = gpu() else { return };
    gpu.warm_up(&StftParams::of_size(1024, 4, Window::Hann)).unwrap();
    // A transform in two shaders per direction.
    gpu.warm_up(&StftParams::of_size(32_768, 4, Window::Hann)).unwrap();
}

/// The part of the next test that runs with little memory.
#[test]
#[ignore = "run by out_of_memory_is_an_error in a process of its own"]
fn fill_the_memory() {
    let gpu = Gpu::headless(None).unwrap();
    let side = gpu.summary().max_texture as usize;
    let huge = CellRect::new(0..side, 0..side);
    let mut held = Vec::new();
    let error = loop {
        match gpu.plane_textures(&huge) {
            Ok(planes) => held.push(planes),
            Err(error) => break error,
        }
        assert!(held.len() < 64, "memory does not end");
    };
    assert_eq!(error.kind(), ErrorKind::GpuMemory);
    assert!(error.message().contains("out of memory"), "{error}");
    drop(held);
    let region = random_region(&mut Random(2), &CellRect::new(0..9, 3..30));
    assert_eq!(gpu.download(&gpu.upload(&region).unwrap()).unwrap(), region);
}

/// On a software adapter only, whose memory is that of the process and so can be limited.
#[test]
fn out_of_memory_is_an_error() {
    let Some(gpu) = gpu() else { return };
    if gpu.summary().is_real() {
        skipped("a real adapter's memory cannot be limited");
        return;
    }
    let script = "ulimit -v 4000000; exec \"$0\" --exact gpu_device::fill_the_memory --ignored";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .env("LP_NUM_THREADS", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
