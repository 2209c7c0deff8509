//! The GPU engine on other drivers and adapters than the machine's best, each in a process of its own.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "figures are printed")]

use crate::support::canvas::{COLOUR_STEP, sound};
use crate::support::drivers::{Driver, faults_layer, validation_layer, with_faults, with_validation};
use crate::support::engines::cpu;
use crate::support::gpu::gpu;
use crate::support::program::Place;
use crate::support::program::skipped;
use crate::support::regions::{Random, random_region};
use crate::support::strokes::{every_brush, with_points};
use crate::support::studio::samples;
use sonobrush::base::Progress;
use sonobrush::document::{Edit, apply};
use sonobrush::dsp::kernels::{BlurKernel, gaussian_taps};
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, CellRect, Kernel, Mask, Point, StftParams, Transform, Window};
use sonobrush::engine::{Engine, Plans};
use sonobrush::gpu::fft::{self, FftStep};
use sonobrush::gpu::{Colours, Display, DrawnPlane, Gpu, PixelCells, TileDraw};
use sonobrush::view::{
    Analysis, CellStyle, ChannelView, Colormap, Level, PictureSpec, Piece, Plane, PyramidKey, SILENT_PHASE_BRIGHTNESS,
    TILE_ENTRIES, TileCache, TileData, TileKey, phase_texels, picture,
};
use std::process::{Command, Output};

/// What a process expects: a part of the adapter's name, and its interface.
const ADAPTER: &str = "SONOBRUSH_TEST_ADAPTER";
const INTERFACE: &str = "SONOBRUSH_TEST_INTERFACE";
const ROUNDS: &str = "SONOBRUSH_TEST_ROUNDS";

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

/// Runs tests of this binary on a driver.
fn on(driver: Driver, tests: &[&str], change: impl FnOnce(&mut Command)) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(tests).env("REQUIRE_GPU", "1").env_remove("SONOBRUSH_ADAPTER");
    let [adapter, interface] = driver.names();
    driver.give(&mut command, folder.path()).env(ADAPTER, adapter).env(INTERFACE, interface);
    change(&mut command);
    command.output().unwrap()
}

/// One that stands below, which must pass.
fn passes(driver: Driver, test: &str, change: impl FnOnce(&mut Command)) -> String {
    let name = format!("gpu_drivers::{test}");
    let output = on(driver, &["--exact", &name, "--ignored", "--nocapture"], change);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{test} on {driver:?}: {}\n{said}", output.status);
    said
}

/// As in a service, in cron or over ssh, where there is no runtime folder.
#[cfg(target_os = "linux")]
#[test]
fn opengl_alone_is_found_without_a_runtime_folder() {
    let place = Place::new();
    let adapters = |runtime: Option<&std::path::Path>| {
        let mut command = place.command(&["devices", "--json"]);
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        command.env_remove("WGPU_BACKEND").env_remove("WAYLAND_DISPLAY");
        runtime.map(|folder| command.env("XDG_RUNTIME_DIR", folder));
        let output = command.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["adapters"].clone()
    };
    let with = adapters(Some(place.folder.path()));
    if with.as_array().unwrap().is_empty() {
        return skipped("there is no OpenGL");
    }
    assert_eq!(adapters(None), with);
}

/// Asserts that something may be absent: with `REQUIRE_GPU=1` only what comes over the network may, and in the long form
/// nothing.
fn assert_may_be_absent(what: &str, is_fetched: bool) {
    let is_required = std::env::var("REQUIRE_GPU").as_deref() == Ok("1");
    assert!(!is_required || is_fetched && !is_long(), "{what} is not on this machine");
}

/// Whether a driver is there; its absence is printed.
fn is_there(driver: Driver) -> bool {
    let is_there = driver.is_there();
    if !is_there {
        assert_may_be_absent(&format!("{driver:?}"), driver == Driver::SwiftShader);
        skipped(&format!("{driver:?} is not on this machine"));
    }
    is_there
}

/// In a process that was given a driver: that it is the one that was meant.
fn given() -> std::sync::Arc<Gpu> {
    let gpu = gpu().unwrap();
    let expected = [ADAPTER, INTERFACE].map(|name| std::env::var(name).unwrap());
    let summary = gpu.summary();
    assert!(summary.name.contains(&expected[0]) && summary.backend == expected[1], "{summary:?}, not {expected:?}");
    gpu
}

#[test]
#[ignore = "run by the_modulation_filter_is_right_on_opengl in a process of its own"]
fn modulation_filters() {
    given();
    crate::gpu::modulation_filters_agree();
}

#[test]
fn the_modulation_filter_is_right_on_opengl() {
    if is_there(Driver::OpenGl) {
        passes(Driver::OpenGl, "modulation_filters", |_| ());
    }
}

#[test]
#[ignore = "run by four_threads_share_an_adapter_of_opengl in a process of its own"]
fn four_threads() {
    let gpu = given();
    let n_rounds: u64 = std::env::var(ROUNDS).unwrap().parse().unwrap();
    let rect = CellRect::new(0..40, 0..257);
    let kernel = Kernel::from(BlurKernel { frame_taps: gaussian_taps(2.0), bin_taps: gaussian_taps(3.0) });
    let mask = Mask { rect: rect.clone(), values: vec![1.0; rect.n_cells()] };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (engine, rect, kernel, mask) = (Engine::on(gpu.clone()), &rect, &kernel, &mask);
            scope.spawn(move || {
                for round in 0..n_rounds {
                    let before = random_region(&mut Random(1000 * thread + round + 1), rect);
                    let blurred = |engine: &Engine| {
                        let before = engine.upload(before.clone()).unwrap();
                        engine.download(engine.run(kernel, &before, mask).unwrap()).unwrap()
                    };
                    let (on_gpu, on_cpu) = (blurred(&engine), blurred(&cpu()));
                    let pairs = || on_gpu.magnitude.iter().zip(&on_cpu.magnitude);
                    let apart = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(apart < 1e-3, "thread {thread}, round {round}: {apart}");
                    if round % 8 == 0 {
                        // Buffers of every size end on every thread.
                        gpu_trims(&engine);
                    }
                }
            });
        }
    });
    gpu.finish();
    assert!(!gpu.is_lost());
}

fn gpu_trims(engine: &Engine) {
    if let Some(gpu) = engine.gpu() {
        gpu.trim();
    }
}

#[test]
fn four_threads_share_an_adapter_of_opengl() {
    if is_there(Driver::OpenGl) {
        let n_rounds = if is_long() { 200 } else { 25 };
        passes(Driver::OpenGl, "four_threads", |command| {
            command.env(ROUNDS, n_rounds.to_string());
        });
    }
}

/// A stroke on a transform of a size.
fn edit_of_size(n_fft: usize) -> Edit {
    let transform = Transform::from(StftParams::of_size(n_fft, 4, Window::Hann));
    Edit { transform, ..with_points(&every_brush()[0], &scribble()) }
}

fn scribble() -> Vec<Point> {
    (0..12).map(|i| Point { secs: 0.5 + 0.03 * f64::from(i), hz: 900.0 + 60.0 * f64::from(i), pressure: 0.8 }).collect()
}

#[test]
#[ignore = "run by small_adapters_do_every_size in a process of its own"]
fn small_adapter() {
    let gpu = given();
    let limits = gpu.device().limits();
    assert_eq!(limits.max_compute_invocations_per_workgroup, 256);
    // Those that other adapters do in one workgroup of 512 threads, and all in the long form.
    let sizes = StftParams::SIZES;
    let sizes = fft::SIZES.into_iter().filter(|n_fft| sizes.contains(n_fft) && (is_long() || *n_fft >= 8192));
    assert_eq!(fft::steps(8192, &limits), Some(&[FftStep::Narrow][..]));
    assert_eq!(fft::steps(16_384, &limits), Some(&[FftStep::Columns, FftStep::Rows][..]));
    crate::gpu::stft_of_every_size_is_exact_and_invertible();
    let (sound, engine) = (sound(1, 1.5), Engine::on(gpu.clone()));
    for n_fft in sizes {
        let applied = apply(&sound, &edit_of_size(n_fft), &engine, &Progress::new()).unwrap();
        assert_eq!((applied.report.engine(), &applied.report.notices), ("gpu", &Vec::new()), "{n_fft}");
        let on_cpu = apply(&sound, &edit_of_size(n_fft), &cpu(), &Progress::new()).unwrap();
        let [before, a, b] = [&sound, &applied.snapshot, &on_cpu.snapshot].map(|snapshot| samples(snapshot, 0));
        let db = agreement_db(&before, &a, &b);
        assert!(db >= 100.0, "{n_fft}: {db}");
    }
}

/// Law of a transform and its inverse in `f32`, relative to the sound.
const FFTS_DB: f64 = 125.0;

/// How far below the change of `b` against `before` the difference of `a` and `b` lies.
fn agreement_db(before: &[f32], a: &[f32], b: &[f32]) -> f64 {
    let power = |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum() };
    assert_eq!((before.len(), a.len()), (b.len(), b.len()));
    10.0 * (power(b, before) / power(a, b).max(1e-30)).log10()
}

/// Stated by a layer in front of llvmpipe; SwiftShader is such an adapter by itself.
#[test]
fn small_adapters_do_every_size() {
    if is_there(Driver::Llvmpipe) {
        passes(Driver::Llvmpipe, "small_adapter", |command| {
            with_faults(command).env("L_THREADS", "256").env("L_SHARED", "16384");
        });
    }
    if is_there(Driver::SwiftShader) {
        passes(Driver::SwiftShader, "one_gain", |_| ());
        if is_long() {
            passes(Driver::SwiftShader, "small_adapter", |_| ());
        }
    }
}

#[test]
#[ignore = "run by small_adapters_do_every_size in a process of its own"]
fn one_gain() {
    let (sound, engine) = (sound(1, 1.5), Engine::on(given()));
    let on_rows = Edit { transform: RowsParams::music().into(), ..edit_of_size(8192) };
    for edit in [edit_of_size(8192), on_rows] {
        assert_eq!(edit.brush.kind(), "gain");
        let applied = apply(&sound, &edit, &engine, &Progress::new()).unwrap();
        assert_eq!((applied.report.engine(), &applied.report.notices), ("gpu", &Vec::new()));
        let on_cpu = apply(&sound, &edit, &cpu(), &Progress::new()).unwrap();
        let [before, a, b] = [&sound, &applied.snapshot, &on_cpu.snapshot].map(|snapshot| samples(snapshot, 0));
        assert!(agreement_db(&before, &a, &b) >= 100.0);
        assert!(agreement_db(&before, &before, &b) < 100.0, "control: no edit at all is noticed");
    }
}

#[test]
#[ignore = "run by every_brush_is_the_cpus_on_every_driver in a process of its own"]
fn brushes_of_this_driver() {
    let engine = Engine::on(given());
    let sound = sound(2, 1.5);
    let silence = vec![0.0; samples(&sound, 0).len()];
    let mut min = (f64::INFINITY, String::new());
    for edit in every_brush() {
        let edit = with_points(&edit, &scribble());
        let [on_gpu, on_cpu] = [&engine, &cpu()].map(|engine| apply(&sound, &edit, engine, &Progress::new()).unwrap());
        // Tones are made on the CPU with any engine.
        let is_on_cpu = on_gpu.report.engine() == "cpu";
        assert!(!is_on_cpu || edit.brush.kind() == "tone", "{}", edit.brush.kind());
        for channel in 0..2 {
            let [before, a, b] = [&sound, &on_gpu.snapshot, &on_cpu.snapshot].map(|of| samples(of, channel));
            assert_ne!(before, b, "control: {} changes nothing", edit.brush.kind());
            let db = agreement_db(&before, &a, &b);
            if db < min.0 {
                min = (db, edit.brush.kind().to_string());
            }
            // A gate changes quiet cells alone, whose change lies as near to the rounding of the loud ones.
            let is_gate = edit.brush.kind() == "gate";
            let agrees = |a: &[f32]| {
                agreement_db(&before, a, &b) >= 100.0 || is_gate && agreement_db(&silence, a, &b) >= FFTS_DB
            };
            assert!(agrees(&a), "{}, channel {channel}: {db:.1} dB", edit.brush.kind());
            let mut spoiled = a.clone();
            let loudest = b.iter().zip(&before).map(|(b, before)| (b - before).abs()).fold(0.0, f32::max);
            let middle = spoiled.len() / 2;
            spoiled[middle] += loudest;
            assert!(!agrees(&spoiled), "control: one wrong sample is noticed");
        }
    }
    eprintln!("the least agreement: {:.1} dB, {}", min.0, min.1);
}

/// Every brush, kernels and the canvas on each driver. In the long form, where scripts/test also runs those tests of the
/// other crates that need a device on SwiftShader and on OpenGL.
#[test]
fn every_brush_is_the_cpus_on_every_driver() {
    if !is_long() {
        return skipped("every brush on every driver is in the long form");
    }
    for driver in Driver::ALL.into_iter().filter(|driver| is_there(*driver)) {
        let said = passes(driver, "brushes_of_this_driver", |_| ());
        let min = said.lines().find(|line| line.starts_with("the least agreement"));
        println!("{driver:?}: {}", min.unwrap_or_default());
        let output =
            on(driver, &["gpu::", "canvas_on_device::", "cells_back::", "descriptors_gpu::", "features_gpu::"], |_| ());
        assert!(output.status.success(), "{driver:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// What a pane shows, read back from a texture that it is painted into.
fn drawn(display: &Display, pane: &mut sonobrush::gpu::Pane) -> Vec<[u8; 4]> {
    let (gpu, [width, height]) = (display.gpu().clone(), pane.size());
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let target = gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    pane.set_place([0.0; 2]);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let view = target.create_view(&Default::default());
    let attachment = wgpu::RenderPassColorAttachment {
        view: &view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
    };
    let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(attachment)],
        ..Default::default()
    });
    pane.painter().paint(&mut pass.forget_lifetime());
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(4 * width * height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(target.as_image_copy(), to, size);
    gpu.queue().submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    buffer.get_mapped_range(..).unwrap().as_chunks::<4>().0.to_vec()
}

#[test]
#[ignore = "run by panes_show_the_phase_of_the_loudest_cell_on_vulkan_and_opengl in a process of its own"]
fn panes_of_this_driver() {
    let display = Display::new(given(), wgpu::TextureFormat::Rgba8Unorm).unwrap();
    let sound = sound(2, 1.0);
    // Multiples of 64 pixels, as a buffer's rows must be.
    let size = [192usize, 100];
    // Levels 1 and 2, of two bins a row, and the cells themselves.
    for (n_fft, hop, secs, wanted_level) in
        [(64, 8, [0.0, 1.0], 1), (64, 2, [0.0, 1.0], 2), (4096, 8, [0.0, 1.0], 1), (512, 64, [0.1, 0.4], 0)]
    {
        let transform = Transform::from(StftParams { n_fft, hop, window: Window::Hann });
        let analysis = Analysis::new(&sound, ChannelView::All, Plans::default().view(&transform, 16_000.0).unwrap());
        let analysis = analysis.unwrap().with_phases(true);
        let grid = analysis.grid().clone();
        let level = Level::for_view(grid.clone(), secs, size[0] as f64);
        assert_eq!(level.index, wanted_level);
        let key =
            PyramidKey { document: 1, transform: transform.clone(), channels: ChannelView::All, has_phases: true };
        let mut cache = TileCache::new(display.clone(), 1 << 30);
        cache.follow(1, &sound);
        let n_pieces = cache.pyramid(key.clone(), grid.clone()).n_pieces();
        for index in 0..n_pieces {
            let piece = Piece::compute(&analysis, &Engine::cpu(), index, &Progress::new()).unwrap();
            cache.insert_piece(&key, index, piece, &sound);
        }
        let columns = level.columns(secs, size[0], CellStyle::Bare);
        let tiles: Vec<TileKey> = (0..=columns[size[0] - 1].end as usize / TILE_ENTRIES)
            .map(|index| TileKey { set: key.at_level(level.index), index })
            .filter(|key| !key.entries(&grid).is_empty())
            .collect();
        for tile in tiles.iter().filter(|_| level.index < 2) {
            cache
                .insert(TileData::compute(&analysis, &Engine::cpu(), tile.clone(), &Progress::new()).unwrap(), &grid)
                .unwrap();
        }
        let with_grid: Vec<_> = tiles.iter().map(|tile| (tile.clone(), grid.clone())).collect();
        cache.use_tiles(&with_grid, &[]);
        while cache.n_waiting() > 0 {
            cache.upload(usize::MAX, &sound);
        }
        let spec = |raw_phase| PictureSpec {
            secs,
            hz: [0.0, 8_000.0],
            axis: Axis::Linear,
            transform: transform.clone(),
            channels: ChannelView::All,
            plane: Plane::Phase,
            colormap: Colormap::Viridis,
            range_db: [-100.0, 0.0],
            raw_phase,
            cells: CellStyle::Bare,
            size,
        };
        let mut pane = display.pane(size.map(|side| side as u32), 1).unwrap();
        for (plane, raw_phase) in [(DrawnPlane::Phase, false), (DrawnPlane::RawPhase, true)] {
            let spec = spec(raw_phase);
            let silent_brightness = SILENT_PHASE_BRIGHTNESS;
            pane.set_colours(&Colours { range_db: spec.range_db, plane, silent_brightness, texels: phase_texels() });
            pane.set_tables(0, &columns, &level.rows(spec.hz, spec.axis, size[1], CellStyle::Bare));
            let draws: Vec<TileDraw<'_>> = tiles
                .iter()
                .map(|key| {
                    let is_mine = |column: &PixelCells| column.first as usize / TILE_ENTRIES == key.index;
                    let first = columns.iter().position(is_mine).unwrap_or(0) as u32;
                    let n = columns.iter().filter(|column| is_mine(column)).count() as u32;
                    TileDraw { layer: 0, tile: cache.get(key).expect("a tile"), columns: first..first + n }
                })
                .collect();
            pane.draw(&draws, Some([0.0; 3]));
            let seen = drawn(&display, &mut pane);
            let computed = picture(&sound, &spec, &Progress::new()).unwrap();
            let is_near = |(a, b): (&[u8; 4], &[u8; 3])| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= COLOUR_STEP);
            let n_off = seen.iter().zip(computed.rgb.as_chunks::<3>().0).filter(|pair| !is_near(*pair)).count();
            assert_eq!(n_off, 0, "{n_fft}, {hop}, raw {raw_phase}");
            let other = picture(&sound, &PictureSpec { raw_phase: !raw_phase, ..spec }, &Progress::new()).unwrap();
            let n_off = seen.iter().zip(other.rgb.as_chunks::<3>().0).filter(|pair| !is_near(*pair)).count();
            assert!(n_off > size[0], "control: the other phase is another picture");
        }
    }
}

/// The twins of the display shader: what the CPU draws of the same cells.
#[test]
fn panes_show_the_phase_of_the_loudest_cell_on_vulkan_and_opengl() {
    for driver in [Driver::Llvmpipe, Driver::OpenGl].into_iter().filter(|driver| is_there(*driver)) {
        passes(driver, "panes_of_this_driver", |_| ());
    }
}

/// Errors of the Khronos layer that are not ours: the layer's own name of each, and its cause.
const EXPECTED: &[(&str, &str)] = &[];

/// The names of the errors that the layer reported, with repetitions.
fn told_errors(log: &str) -> Vec<String> {
    let names = log.split("VALIDATION [").skip(1).filter_map(|rest| rest.split([' ', ']']).next());
    names.map(str::to_owned).collect()
}

fn log_what_wgpu_says() {
    use tracing_subscriber::{layer::SubscriberExt, util::SubscriberInitExt};
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(std::io::stderr);
    let filter = tracing_subscriber::EnvFilter::new("off,wgpu_hal=warn,wgpu_core=warn");
    tracing_subscriber::registry().with(layer).with(filter).init();
}

#[test]
#[ignore = "run by the_validation_layer_finds_nothing in a process of its own"]
fn one_submission() {
    log_what_wgpu_says();
    let (gpu, region) = (given(), random_region(&mut Random(2), &CellRect::new(0..9, 3..30)));
    assert_eq!(gpu.download(&gpu.upload(&region).unwrap()).unwrap(), region);
}

/// Two passes, one of which reads what the other writes. Where nothing makes it wait, its values may be wrong.
#[test]
#[ignore = "run by the_validation_layer_finds_nothing in a process of its own"]
fn two_passes() {
    log_what_wgpu_says();
    let (engine, region) = (Engine::on(given()), random_region(&mut Random(2), &CellRect::new(0..90, 3..60)));
    let mask = Mask { rect: region.rect.clone(), values: vec![1.0; region.rect.n_cells()] };
    let kernel = Kernel::from(BlurKernel { frame_taps: gaussian_taps(2.0), bin_taps: gaussian_taps(3.0) });
    let blurred = engine.run(&kernel, &engine.upload(region).unwrap(), &mask).unwrap();
    assert_eq!(engine.download(blurred).unwrap().rect, mask.rect);
}

#[test]
#[ignore = "run by the_validation_layer_finds_nothing in a process of its own"]
fn validated_work() {
    log_what_wgpu_says();
    let gpu = given();
    crate::gpu::modulation_filters_agree();
    crate::gpu::magnitude_kernels_agree();
    crate::gpu::resampling_agrees();
    crate::gpu::stft_of_every_size_is_exact_and_invertible();
    let (engine, sound) = (Engine::on(gpu), sound(2, 1.5));
    let gain = every_brush().into_iter().find(|edit| edit.brush.kind() == "gain").unwrap();
    let on_rows = Edit { transform: RowsParams::log(12).into(), ..gain };
    for edit in every_brush().into_iter().chain([on_rows]) {
        apply(&sound, &with_points(&edit, &scribble()), &engine, &Progress::new()).unwrap();
    }
    crate::first_stroke::strokes_on_the_canvas(true);
}

/// With the checks of synchronisation. In the long form.
#[test]
fn the_validation_layer_finds_nothing() {
    // The control: what the layer says is counted as it is written.
    let planted = "ERROR wgpu_hal::vulkan::instance: VALIDATION [VUID-vkCmdDispatch-None-08114 (0x1)]\n\tValidation";
    assert_eq!(told_errors(planted), ["VUID-vkCmdDispatch-None-08114"]);
    if !is_long() {
        return skipped("the validation layer is in the long form");
    }
    let Some(folder) = validation_layer() else {
        assert_may_be_absent("the validation layer", true);
        return skipped("no validation layer on this machine");
    };
    // The controls of the rest, planted above the layer: one call that is not allowed, and passes that do not wait for
    // each other.
    let with_fault = |test: &str, fault: Option<&str>| {
        let said = passes(Driver::Llvmpipe, test, |command| {
            with_validation(with_faults(command), &[&folder, faults_layer()]);
            fault.map(|fault| command.env(fault, "1"));
        });
        (told_errors(&said), said)
    };
    let (errors, said) = with_fault("one_submission", Some("L_INVALID"));
    assert_eq!(errors, ["VUID-VkBufferCreateInfo-size-00912"], "{said}");
    let (errors, said) = with_fault("two_passes", Some("L_HAZARD"));
    assert!(!errors.is_empty() && errors.iter().all(|name| name.starts_with("SYNC-HAZARD-")), "{errors:?}: {said}");
    let (errors, said) = with_fault("two_passes", None);
    assert_eq!(errors, [""; 0], "{said}");
    let said = passes(Driver::Llvmpipe, "validated_work", |command| {
        with_validation(command, &[&folder]);
    });
    let unexpected = told_errors(&said).into_iter().filter(|name| EXPECTED.iter().all(|(known, _)| known != name));
    assert_eq!(unexpected.collect::<Vec<_>>(), [""; 0], "{said}");
}
