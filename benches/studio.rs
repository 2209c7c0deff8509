//! The real studio without a window: a stroke of five seconds on three minutes of stereo, at 1,920 x 1,080, and how
//! long its frames took.
//!
//! A frame begins with what a window would hand it and ends when the device is done with its picture; of it, the part
//! that the UI thread worked stands beside it. Frames come at most 60 times a second, the pointer 240 times. Needs no
//! display: the picture is drawn into a texture. Runs as a single file anywhere: `cargo bench --bench studio --no-run`
//! says where it lies; libc, libasound and a Vulkan loader with a driver are all that it needs. Where a frame takes
//! long, as on a software adapter, `--frames 60` draws each stroke in 60 frames, and the progress is printed every few
//! seconds.
//! `--library` measures the library's panel instead, with half a million sounds, and needs no device.
//! `--labels N` measures frames and edits of a sound with `N` labels. `--memory N` paints `N` strokes on an hour of
//! stereo in a window of 3,840 x 2,160 and reports the memory of the device. `--start` measures the program's start
//! instead, and needs a display.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that cannot go on stops")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it tells its figures")]

#[path = "labels.rs"]
mod labels;
#[path = "memory.rs"]
mod memory;
#[path = "library/panel.rs"]
mod panel;
mod start;

use eframe::App;
use eframe::egui_wgpu::{RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, WgpuSetup};
use egui::{Event, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2, vec2};
use sonobrush::base::trace::Recording;
use sonobrush::base::{EngineChoice, Folders, Settings};
use sonobrush::playback::RecordingOutput;
use sonobrush::studio::{DrawableAdapters, Studio, machine, wgpu_setup};
use sonobrush::workbench::commands::ToolCommand;
use sonobrush::workbench::{FileAct, Jobs, ScriptedDialogs, Services, SystemClock, Tool, ViewAct};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZE: [u32; 2] = [1920, 1080];
const CLIP_SECS: u32 = 180;
const RATE_HZ: u32 = 44_100;
const FRAME: Duration = Duration::from_micros(16_667);
const EVENTS_PER_FRAME: usize = 4;

/// Idle frames after which the studio is at rest; with slow frames, a few within [`QUIET`] suffice.
const QUIET_FRAMES: usize = 20;
const MIN_QUIET_FRAMES: usize = 3;
const QUIET: Duration = Duration::from_millis(500);

const USAGE: &str = "usage: studio [--engine auto|gpu|cpu] [--adapter N|NAME] [--seconds S | --frames N] [--limit S] \
                     [--only TEXT] [--json] [--trace T.json]
       studio --library [--sounds N]
       studio --labels N
       studio --memory N
       studio --start";

#[derive(Clone)]
struct Options {
    settings: Settings,
    stroke_secs: f64,
    /// Draws a stroke in this many frames, independent of their duration, instead of in `stroke_secs`.
    frames: Option<usize>,
    /// Of everything; what was measured until then is shown.
    limit: Duration,
    /// Of what a stroke is called, such as `blur on ten`.
    only: String,
    json: bool,
    trace: Option<PathBuf>,
    /// The library's panel rather than strokes, and with how many sounds.
    library: bool,
    /// The start of the program.
    start: bool,
    n_sounds: usize,
    /// Labels rather than strokes, this many.
    n_labels: Option<usize>,
    /// Memory of the device after this many strokes, rather than the duration of frames.
    n_memory_strokes: Option<usize>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        settings: Settings::default(),
        stroke_secs: 5.0,
        frames: None,
        limit: Duration::from_secs(600),
        only: String::new(),
        json: false,
        trace: None,
        library: false,
        start: false,
        n_sounds: 500_000,
        n_labels: None,
        n_memory_strokes: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(USAGE.to_owned());
        match argument.as_str() {
            // What cargo adds.
            "--bench" => {}
            "--json" => options.json = true,
            "--library" => options.library = true,
            "--start" => options.start = true,
            "--sounds" => options.n_sounds = value()?.parse().map_err(|_| USAGE.to_owned())?,
            "--labels" => options.n_labels = Some(value()?.parse().map_err(|_| USAGE.to_owned())?),
            "--memory" => options.n_memory_strokes = Some(value()?.parse().map_err(|_| USAGE.to_owned())?),
            "--seconds" => options.stroke_secs = value()?.parse().map_err(|_| USAGE.to_owned())?,
            "--frames" => options.frames = Some(value()?.parse().map_err(|_| USAGE.to_owned())?),
            "--limit" => {
                let secs: u32 = value()?.parse().map_err(|_| USAGE.to_owned())?;
                options.limit = Duration::from_secs(secs.into());
            }
            "--only" => options.only = value()?,
            "--trace" => options.trace = Some(value()?.into()),
            "--adapter" => options.settings.adapter = Some(value()?),
            "--engine" => {
                options.settings.engine = match value()?.as_str() {
                    "auto" => EngineChoice::Auto,
                    "gpu" => EngineChoice::Gpu,
                    "cpu" => EngineChoice::Cpu,
                    _ => return Err(USAGE.into()),
                }
            }
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

fn main() -> std::process::ExitCode {
    let done = options().and_then(|options| match options {
        Options { library: true, n_sounds, .. } => panel::measure(n_sounds),
        Options { start: true, .. } => start::measure(),
        Options { n_labels: Some(n_labels), .. } => labels::measure(&options, n_labels),
        Options { n_memory_strokes: Some(n_strokes), .. } => memory::measure(&options, n_strokes),
        _ => measure(&options),
    });
    if let Err(why) = &done {
        eprintln!("{why}");
    }
    if done.is_ok() { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE }
}

/// `n_secs` of stereo: a chord that swells, under noise.
fn write_clip(path: &Path, n_secs: u32) {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: RATE_HZ,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    let mut state = 0x2545_f491u32;
    for n in 0..n_secs * RATE_HZ {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let secs = f64::from(n) / f64::from(RATE_HZ);
        let swell = 0.5 + 0.5 * (secs * 1.3).sin();
        let chord: f64 = [220.0, 277.2, 329.6, 440.0].iter().map(|hz| (secs * hz * std::f64::consts::TAU).sin()).sum();
        let noise = f64::from(state >> 16) / 65_536.0 - 0.5;
        for pan in [0.3, 0.7] {
            writer.write_sample((6000.0 * (swell * pan * chord + 0.1 * noise)) as i16).unwrap();
        }
    }
    writer.finalize().unwrap();
}

/// Everything that a window gives, in a folder of its own.
fn services(folder: &Path, jobs: Jobs) -> Services {
    Services {
        dialogs: Arc::new(ScriptedDialogs::default()),
        audio_output: Box::new(RecordingOutput::new(None, 2).0),
        audio_input: Box::new(sonobrush::recording::PlantedInput::new(48_000, 2).0),
        clock: Arc::new(SystemClock::new()),
        folders: Folders::in_folder(folder),
        jobs,
    }
}

/// How long a frame took, in milliseconds.
#[derive(Clone, Copy)]
struct Took {
    /// Until its picture was drawn.
    done_ms: f64,
    /// Until the UI thread had handed everything to the device.
    work_ms: f64,
}

/// The studio and what stands in for its window.
struct Window {
    ctx: egui::Context,
    studio: Studio,
    frame: eframe::Frame,
    state: RenderState,
    target: wgpu::Texture,
    /// Width and height in pixels.
    size: [u32; 2],
    began: Instant,
    limit: Duration,
    n_frames: usize,
    /// When the last line of progress was shown.
    reported: Instant,
}

impl Window {
    fn new(settings: &Settings, folder: &Path, limit: Duration, size: [u32; 2]) -> Result<Window, String> {
        let setup = WgpuSetup::CreateNew(wgpu_setup(settings, &DrawableAdapters::default()));
        let instance = pollster::block_on(setup.new_instance());
        let configuration = WgpuConfiguration { wgpu_setup: setup, ..Default::default() };
        let state = RenderState::create(&configuration, &instance, None, RendererOptions::default());
        let state = pollster::block_on(state).map_err(|error| format!("no graphics device: {error}"))?;
        let ctx = egui::Context::default();
        let jobs = Jobs::threads(|| {});
        let services = services(folder, jobs.clone());
        let machine = machine(Some(&state), settings, &jobs, &ctx).map_err(|error| error.to_string())?;
        eprintln!("{} ({})", machine.engine_words, machine.why);
        let target = state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("window"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: state.target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let studio = Studio::new(&ctx, services, machine);
        let mut frame = eframe::Frame::_new_kittest();
        frame.wgpu_render_state = Some(state.clone());
        let now = Instant::now();
        Ok(Window { ctx, studio, frame, state, target, size, began: now, limit, n_frames: 0, reported: now })
    }

    /// One frame as a window has it, at most one per sixtieth of a second.
    fn step(&mut self, events: Vec<Event>) -> Took {
        let started = Instant::now();
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(self.size[0] as f32, self.size[1] as f32))),
            max_texture_side: Some(self.state.device.limits().max_texture_dimension_2d as usize),
            time: Some(self.began.elapsed().as_secs_f64()),
            events,
            ..RawInput::default()
        };
        let (studio, frame) = (&mut self.studio, &mut self.frame);
        let output = self.ctx.run_ui(input, |ui| {
            let ctx = ui.ctx().clone();
            studio.logic(&ctx, frame);
            studio.ui(ui, frame);
        });
        let jobs = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let screen = ScreenDescriptor { pixels_per_point: output.pixels_per_point, size_in_pixels: self.size };
        let RenderState { device, queue, .. } = &self.state;
        let mut renderer = self.state.renderer.write();
        let mut delta = output.textures_delta;
        for (id, images) in delta.set.drain() {
            for image in images {
                renderer.update_texture(device, queue, id, &image);
            }
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut buffers = renderer.update_buffers(device, queue, &mut encoder, &jobs, &screen);
        {
            let view = self.target.create_view(&wgpu::TextureViewDescriptor::default());
            let mut pass = encoder
                .begin_render_pass(&wgpu::RenderPassDescriptor {
                    label: Some("window"),
                    color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                        view: &view,
                        depth_slice: None,
                        resolve_target: None,
                        ops: wgpu::Operations {
                            load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                            store: wgpu::StoreOp::Store,
                        },
                    })],
                    ..Default::default()
                })
                .forget_lifetime();
            renderer.render(&mut pass, &jobs, &screen);
        }
        for id in delta.free.drain() {
            renderer.free_texture(&id);
        }
        drop(renderer);
        buffers.push(encoder.finish());
        let submission = queue.submit(buffers);
        let work_ms = started.elapsed().as_secs_f64() * 1e3;
        device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None }).unwrap();
        let done = started.elapsed();
        self.n_frames += 1;
        std::thread::sleep(FRAME.saturating_sub(done));
        Took { done_ms: done.as_secs_f64() * 1e3, work_ms }
    }

    /// Says every few seconds what goes on.
    ///
    /// # Errors
    /// The time is over.
    fn notify(&mut self, what: &str) -> Result<(), String> {
        let secs = self.began.elapsed().as_secs_f64();
        if self.reported.elapsed() > Duration::from_secs(5) {
            eprintln!("{secs:6.1} s, {} frames: {what}", self.n_frames);
            self.reported = Instant::now();
        }
        if self.began.elapsed() > self.limit {
            return Err(format!("the time was over after {} frames, while {what}", self.n_frames));
        }
        Ok(())
    }

    /// Frames until nothing is left to do for a while.
    fn settle(&mut self, what: &str) -> Result<(), String> {
        let (mut n_quiet, mut quiet_since) = (0, Instant::now());
        while n_quiet < QUIET_FRAMES && !(n_quiet >= MIN_QUIET_FRAMES && quiet_since.elapsed() > QUIET) {
            self.step(Vec::new());
            self.notify(&format!("it comes to rest after {what}"))?;
            n_quiet = if self.studio.is_idle() { n_quiet + 1 } else { 0 };
            if n_quiet == 0 {
                quiet_since = Instant::now();
            }
        }
        Ok(())
    }

    /// A stroke up and down through the picture, its frames.
    fn paint(&mut self, options: &Options) -> Result<Vec<Took>, String> {
        let stroke_secs = options.stroke_secs;
        let picture = self.studio.picture_rect().ok_or("nothing is drawn")?;
        let at = |part: f64| {
            let (x, y) = (0.1 + 0.8 * part, 0.5 + 0.35 * (part * 6.0 * std::f64::consts::TAU).sin());
            pos2(picture.left() + x as f32 * picture.width(), picture.top() + y as f32 * picture.height())
        };
        let button = |part: f64, pressed: bool| Event::PointerButton {
            pos: at(part),
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.step(vec![Event::PointerMoved(at(0.0))]);
        let began = Instant::now();
        let mut took = vec![self.step(vec![button(0.0, true)])];
        let mut part = 0.0;
        while part < 1.0 {
            // All events since the last frame arrive at once.
            let (now, n) = match options.frames {
                Some(frames) => ((part + 1.0 / frames as f64).min(1.0), EVENTS_PER_FRAME as f64),
                None => {
                    let now = (began.elapsed().as_secs_f64() / stroke_secs).min(1.0);
                    (now, ((now - part) * stroke_secs / FRAME.as_secs_f64() * EVENTS_PER_FRAME as f64).ceil().max(1.0))
                }
            };
            // The last steps of a sum that misses 1 by a rounding.
            let now = if now > 1.0 - 1e-9 { 1.0 } else { now };
            let moves = (1..=n as usize).map(|i| Event::PointerMoved(at(part + (now - part) * i as f64 / n)));
            took.push(self.step(moves.collect()));
            part = now;
            self.notify("a stroke is drawn")?;
        }
        took.push(self.step(vec![button(1.0, false)]));
        Ok(took)
    }
}

/// p50, p95, p99 and the worst.
fn quantiles(mut values: Vec<f64>) -> [f64; 4] {
    values.sort_by(f64::total_cmp);
    [0.5, 0.95, 0.99, 1.0].map(|part| values[((values.len() as f64 * part).ceil() as usize).max(1) - 1])
}

fn measure(options: &Options) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clip = folder.path().join("three minutes.wav");
    write_clip(&clip, CLIP_SECS);
    let recording = options.trace.is_some().then(Recording::start);
    let mut window = Window::new(&options.settings, folder.path(), options.limit, SIZE)?;
    window.studio.act(FileAct::Open(vec![clip]));
    window.settle("opening")?;
    if window.studio.document().is_none() {
        return Err(format!("the clip was not opened: {:?}", window.studio.notices()));
    }
    let mut results = Vec::new();
    for (view, secs) in [("ten seconds", Some([60.0, 70.0])), ("the whole clip", None)] {
        for (tool, brush) in [(Tool::GAIN, "gain"), (Tool::BLUR, "blur")] {
            if !format!("{brush} on {view}").contains(&options.only) {
                continue;
            }
            window.studio.act(ToolCommand::Pick(tool));
            window.studio.act(ViewAct::Secs(secs.unwrap_or([0.0, f64::from(CLIP_SECS)])));
            let document = window.studio.document().ok_or("the clip is gone")?;
            let n_edits = document.history().entries().len();
            window.settle("a view")?;
            let took = window.paint(options)?;
            window.settle("a stroke")?;
            let n_now = window.studio.document().map_or(0, |document| document.history().entries().len());
            if n_now != n_edits + 1 {
                return Err(format!("the stroke is not in the history: {:?}", window.studio.notices()));
            }
            let done = quantiles(took.iter().map(|took| took.done_ms).collect());
            let work = quantiles(took.iter().map(|took| took.work_ms).collect());
            if !options.json {
                let words = |[p50, p95, p99, worst]: [f64; 4]| {
                    format!("p50 {p50:7.2}  p95 {p95:7.2}  p99 {p99:7.2}  worst {worst:7.2} ms")
                };
                println!("{brush} on {view}, {} frames", took.len());
                println!("  frame    {}", words(done));
                println!("  UI work  {}", words(work));
            }
            let named = |[p50, p95, p99, worst]: [f64; 4]| serde_json::json!({"p50_ms": p50, "p95_ms": p95, "p99_ms": p99, "worst_ms": worst});
            results.push(serde_json::json!({"brush": brush, "view": view, "frames": took.len(), "frame": named(done),
                                            "ui_work": named(work)}));
        }
    }
    if options.json {
        let adapter = window.state.adapter.get_info().name;
        println!("{}", serde_json::json!({"adapter": adapter, "size": SIZE, "results": results}));
    }
    if let (Some(recording), Some(path)) = (recording, &options.trace) {
        recording.trace().write(path).map_err(|error| error.to_string())?;
        eprint!("{}", recording.trace().table());
    }
    Ok(())
}
