//! Opens the window with eframe and wgpu, on the adapter of the settings. Callbacks report errors of the device, on
//! which wgpu would panic.

use super::surface::{SurfaceRetry, is_busy_surface};
use super::{Machine, Studio, restart};
use crate::base::{EngineChoice, Error, ErrorKind, Folders, Result, Settings, crash, lock, shown_path, wake_on_quit};
use crate::canvas::Canvas;
use crate::desktop::placing;
use crate::engine::Engine;
use crate::gpu::{Gpu, adapter_rank, memory_budget, wanted_features};
use crate::playback::system_output;
use crate::recording::system_input;
use crate::workbench::{Budgets, FileAct, Jobs, LibraryAct, NoticeAct, SavedState, Services, SystemClock};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

/// The window icon on X11 and Windows; Wayland uses that of the desktop file.
const ICON: &[u8] = include_bytes!("../../../../assets/icon.png");

/// Options of the studio from the command line.
#[derive(Debug, Clone)]
pub struct StudioOptions {
    /// Files to open.
    pub files: Vec<PathBuf>,
    /// The folders of sessions to resume, as after a restart.
    pub sessions: Vec<PathBuf>,
    /// Path of the library's database; `None`: the user's default library.
    pub database: Option<PathBuf>,
    /// Whether to recover sessions of processes that ended unexpectedly; `None` asks the user.
    pub recover: Option<bool>,
    /// The effective settings.
    pub settings: Settings,
    /// In `--edit` mode, in which the window edits a file for another program: becomes true once the file was saved.
    pub saved_back: Option<Arc<AtomicBool>>,
    /// The program's folders on this platform.
    pub folders: Folders,
    /// Notices from reading the settings.
    pub notices: Vec<String>,
    /// Reports that the window could not be reopened; called right before the process exits.
    pub print_failure: fn(&Error),
}

/// Opens the window, and returns when it is closed. After a panic or a lost device the program restarts.
///
/// # Errors
/// As [`open_window`].
pub fn run(options: StudioOptions) -> Result<()> {
    restart::begin(&options.sessions, &options.files, &options.folders, options.print_failure);
    let ended = open_window(options);
    if restart::is_restart_wanted() {
        restart::leave(restart::StateAge::Before);
    }
    ended
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`ErrorKind::Gpu`] without a display or a usable graphics adapter.
pub fn open_window(options: StudioOptions) -> Result<()> {
    // A damaged file was set aside and reported when the settings were read.
    let remembered = SavedState::load(&options.folders).0.window;
    let drawable = DrawableAdapters::default();
    let setup = wgpu_setup(&options.settings, &drawable);
    let mut native = eframe::NativeOptions { renderer: eframe::Renderer::Wgpu, ..Default::default() };
    #[cfg(target_os = "linux")]
    open_on(crate::desktop::display::choose(options.settings.display)?, &mut native);
    // Only the setup: replacing all of `wgpu_options` would lose eframe's low-latency surface.
    native.wgpu_options.wgpu_setup = setup.into();
    native.viewport = egui::ViewportBuilder::default()
        .with_title("Sonobrush")
        // Must equal the name of the desktop file in assets/package.
        .with_app_id("org.sonobrush.Sonobrush")
        .with_icon(eframe::icon_data::from_png_bytes(ICON).unwrap_or_default())
        .with_inner_size(remembered.size)
        .with_maximized(remembered.is_maximized)
        // Fits a screen of 1,280 x 720 at a scale of 200 %.
        .with_min_inner_size([640.0, 340.0])
        .with_drag_and_drop(true);
    let started = eframe::run_native(
        "Sonobrush",
        native,
        Box::new(move |creation| {
            let ctx = creation.egui_ctx.clone();
            if let Some(window) = creation.winit_window() {
                let screens = window.available_monitors().map(|screen| {
                    let (at, size) = (screen.position(), screen.size());
                    placing::screen([at.x, at.y], [size.width, size.height], screen.scale_factor())
                });
                placing::place(&ctx, &remembered, &screens.collect::<Vec<egui::Rect>>());
            }
            let wake = ctx.clone();
            let settings = &options.settings;
            let services = Services {
                dialogs: crate::hooks::probe::dialogs(),
                audio_output: system_output(settings.audio_device.as_deref(), settings.audio_buffer_frames),
                audio_input: system_input(),
                clock: Arc::new(SystemClock::new()),
                folders: options.folders.clone(),
                jobs: Jobs::threads(move || wake.request_repaint()),
            };
            let mut machine = machine(creation.wgpu_render_state.as_ref(), settings, &services.jobs, &ctx)?;
            machine.adapters.clone_from(&lock(&drawable));
            machine.engine.set_times_passes(settings.show_graphics);
            let mut studio = Studio::new(&ctx, services, machine);
            #[cfg(target_os = "linux")]
            if let Some(window) = creation.winit_window() {
                studio.sides.drops.listen(window, &ctx);
            }
            studio.act(FileAct::Limit(budgets(settings)));
            studio.allow_saving_back(settings.save_back, options.saved_back);
            studio.profiler.show_in_status(settings.show_graphics);
            options.notices.iter().for_each(|notice| studio.act(NoticeAct::warning(notice)));
            if let Some(notice) = crash_notice(&options.folders) {
                studio.act(notice);
            }
            if options.sessions.is_empty() && options.files.is_empty() && is_first_start(&options.folders) {
                studio.act(FileAct::BeginWithDemo);
            }
            if let Some(library) = options.database {
                studio.act(LibraryAct::Use(library));
            }
            let wake = ctx.clone();
            wake_on_quit(move || wake.request_repaint());
            options.sessions.iter().for_each(|session| studio.act(FileAct::Resume(session.clone())));
            // After a restart only the window's own sessions are resumed; others are not offered.
            let recover = if options.sessions.is_empty() { options.recover } else { Some(false) };
            studio.act(FileAct::LookForSessions { agreed: recover, files: options.files });
            Ok(Box::new(studio))
        }),
    );
    started.map_err(|error| match error {
        // Our own errors are shown unchanged.
        eframe::Error::AppCreation(ours) => match ours.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => Error::new(ErrorKind::Gpu, format!("the window could not be opened: {other}")),
        },
        other => {
            let why = without_source_place(&other.to_string()).to_owned();
            let what = format!("the window could not be opened: {why}; the command line works without one");
            Error::new(ErrorKind::Gpu, format!("{what} (sonobrush --help)"))
        }
    })
}

/// Removes the source location at the start of winit's system errors: `os error at /build/winit/mod.rs:765: why`.
fn without_source_place(text: &str) -> &str {
    let behind = text.split_once("os error at ").and_then(|(_, rest)| rest.split_once(".rs:"));
    behind.and_then(|(_, rest)| rest.split_once(": ")).map_or(text, |(_, why)| why)
}

/// Has winit use the chosen window system; by default it prefers Wayland if the environment names a Wayland display.
#[cfg(target_os = "linux")]
fn open_on(chosen: crate::desktop::display::WindowSystem, native: &mut eframe::NativeOptions) {
    use crate::desktop::display::WindowSystem;
    use winit::platform::{wayland::EventLoopBuilderExtWayland, x11::EventLoopBuilderExtX11};
    tracing::info!(?chosen, "the window opens");
    native.event_loop_builder = Some(Box::new(move |builder| {
        match chosen {
            WindowSystem::X11 => EventLoopBuilderExtX11::with_x11(builder),
            WindowSystem::Wayland => EventLoopBuilderExtWayland::with_wayland(builder),
        };
    }));
}

/// Whether there is no settings file of an earlier start.
fn is_first_start(folders: &Folders) -> bool {
    !folders.settings_file().exists()
}

/// The notice about a crash of the previous run; moves the crash note away, so that it is shown once.
fn crash_notice(folders: &Folders) -> Option<NoticeAct> {
    let note = folders.crash_note();
    let report = crash::report_of_note(&note);
    // Kept for bug reports.
    std::fs::rename(&note, note.with_extension("old.txt")).ok()?;
    let stopped = "Sonobrush stopped unexpectedly last time";
    Some(match report {
        Some(file) => {
            let what = format!("{stopped}; a report is in {}.", shown_path(&file));
            let advice = Some("It names neither your sounds nor your home folder.".into());
            NoticeAct::Report { what, advice, file }
        }
        None => NoticeAct::warning(&format!("{stopped}; details are in {}", shown_path(&folders.log_file()))),
    })
}

fn budgets(settings: &Settings) -> Budgets {
    Budgets {
        history_bytes: settings.history_bytes(),
        source_bytes: settings.source_bytes(),
        reserve_bytes: settings.scratch_reserve_bytes(),
        library_bytes: settings.library_memory_bytes(),
    }
}

/// The computing engine, and the canvas on the window's device. Without a device there is no canvas, and a notice gives
/// the reason.
///
/// # Errors
/// [`ErrorKind::Gpu`] if the GPU engine is requested and the window's adapter cannot provide it.
pub fn machine(
    render_state: Option<&eframe::egui_wgpu::RenderState>,
    settings: &Settings,
    jobs: &Jobs,
    ctx: &egui::Context,
) -> Result<Machine> {
    let (notify, faults) = channel();
    let none = |error: Error, faults| Machine {
        canvas: None,
        engine: Engine::cpu(),
        engine_words: "CPU engine".into(),
        why: error.to_string(),
        adapters: Vec::new(),
        faults,
        surface: None,
        notices: vec![error],
    };
    let Some(state) = render_state else {
        return Ok(none(Error::new(ErrorKind::Gpu, "the window has no graphics device"), faults));
    };
    let is_surface_refused = Arc::new(AtomicBool::new(false));
    watch(&state.device, notify, is_surface_refused.clone(), ctx);
    crate::hooks::test_commands::note_device(&state.device);
    let gpu = Gpu::shared(&state.adapter, &state.device, &state.queue);
    let surface = Some(SurfaceRetry::new(&gpu, is_surface_refused));
    let mut notices = Vec::new();
    let chosen = Engine::for_shared(settings.engine, gpu.clone())?;
    chosen.engine.set_may_fall_back(settings.fallback_to_cpu && settings.engine != EngineChoice::Gpu);
    tracing::info!(engine = chosen.engine.name(), adapter = gpu.summary().name, "{}", chosen.why);
    let engine = chosen.engine;
    let engine_words = match engine.gpu() {
        Some(_) => format!("GPU: {}, {}", gpu.summary().name, gpu.summary().backend),
        None => format!("CPU engine, drawn by {}", gpu.summary().name.split(" (").next().unwrap_or_default()),
    };
    let budget_bytes = settings.gpu_memory_mb.map(|megabytes| u64::from(megabytes) << 20);
    if let Some(n_bytes) = budget_bytes {
        gpu.set_page_budget(n_bytes / 4);
    }
    let canvas = Canvas::new(gpu, state.target_format, engine.clone(), jobs.clone(), budget_bytes);
    let canvas = canvas.map_err(|error| notices.push(error)).ok();
    let (why, adapters) = (chosen.why, Vec::new());
    Ok(Machine { canvas, engine, engine_words, why, adapters, faults, surface, notices })
}

/// Reports and logs errors of the device; without these callbacks wgpu panics.
fn watch(device: &wgpu::Device, notify: Sender<Error>, is_surface_refused: Arc<AtomicBool>, ctx: &egui::Context) {
    let (notify_error, wake) = (notify.clone(), ctx.clone());
    device.on_uncaptured_error(Arc::new(move |error| {
        if is_busy_surface(&error) {
            tracing::debug!(%error, "the next frame configures the surface again");
            is_surface_refused.store(true, Relaxed);
            return wake.request_repaint();
        }
        tracing::error!(%error, "graphics device");
        notify_error.send(Error::new(ErrorKind::Gpu, "the graphics device rejected a command; see the log")).ok();
        wake.request_repaint();
    }));
    let wake = ctx.clone();
    device.set_device_lost_callback(move |reason, message| {
        // `Destroyed` is reported when the window closes.
        if reason != wgpu::DeviceLostReason::Destroyed {
            tracing::error!(?reason, message, "graphics device lost");
            notify.send(Error::new(ErrorKind::Gpu, "the graphics driver stopped")).ok();
            restart::request_restart();
            wake.request_repaint();
        }
    });
}

/// Names of the adapters that can draw the window, each once, in their order; filled in when eframe asks for one.
pub type DrawableAdapters = Arc<Mutex<Vec<String>>>;

/// Setup with which eframe creates the device: on the adapter of the settings, else the one preferred for computing
/// ([`adapter_rank`]), and with the adapter's own limits, as eframe's defaults cap textures at 8,192 pixels.
pub fn wgpu_setup(settings: &Settings, drawable: &DrawableAdapters) -> eframe::egui_wgpu::WgpuSetupCreateNew {
    let mut setup = eframe::egui_wgpu::WgpuSetupCreateNew::without_display_handle();
    setup.instance_descriptor.memory_budget_thresholds = memory_budget();
    setup.device_descriptor = Arc::new(device_descriptor);
    // The last restart uses a software adapter, regardless of the settings.
    let wanted = settings.adapter.clone().filter(|_| !restart::is_last_try());
    let drawable = drawable.clone();
    setup.native_adapter_selector = Some(Arc::new(move |adapters, surface| {
        let usable: Vec<(usize, &wgpu::Adapter)> = adapters
            .iter()
            .enumerate()
            .filter(|(_, adapter)| surface.is_none_or(|surface| adapter.is_surface_supported(surface)))
            .collect();
        note_names(&usable, &drawable);
        let chosen = match &wanted {
            Some(wanted) => {
                let name = |adapter: &wgpu::Adapter| adapter.get_info().name.to_lowercase();
                let is_requested = |(i, adapter): &&(usize, &wgpu::Adapter)| {
                    wanted.parse() == Ok(*i) || name(adapter).contains(&wanted.to_lowercase())
                };
                // The whole name of one may be a part of another's.
                usable.iter().filter(is_requested).min_by_key(|(_, adapter)| name(adapter) != wanted.to_lowercase())
            }
            None if restart::is_last_try() => {
                usable.iter().max_by_key(|(_, adapter)| nearness_to_software(adapter.get_info().device_type))
            }
            None => usable.iter().min_by_key(|(_, adapter)| adapter_rank(adapter)),
        };
        chosen.map(|(_, adapter)| (*adapter).clone()).ok_or_else(|| match &wanted {
            Some(wanted) => format!("no graphics adapter that can draw here matches {wanted} (see sonobrush devices)"),
            None => "no graphics adapter can draw here; install a Vulkan driver (mesa-vulkan-drivers)".into(),
        })
    }));
    setup
}

fn note_names(usable: &[(usize, &wgpu::Adapter)], drawable: &DrawableAdapters) {
    let mut names = Vec::new();
    for name in usable.iter().map(|(_, adapter)| adapter.get_info().name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    *lock(drawable) = names;
}

/// Descriptor of a device with all limits of its adapter, and the optional features that Sonobrush uses, if available.
pub fn device_descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    wgpu::DeviceDescriptor {
        label: Some("sonobrush"),
        required_features: wanted_features(adapter),
        required_limits: adapter.limits(),
        ..Default::default()
    }
}

fn nearness_to_software(device_type: wgpu::DeviceType) -> u8 {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}
