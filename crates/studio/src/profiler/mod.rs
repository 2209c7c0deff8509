//! The profiler: recent timings on CPU and GPU, memory and frames, shown over the canvas on request, and their short
//! form for the status line. Knows neither the canvas nor the engine: their figures are passed in.

pub mod frames;
pub mod graphics;

pub use graphics::GraphicsMemory;

use super::widgets::theme;
use crate::base::number;
use crate::base::trace::{Lane, Recording, Total, Trace, now_nanos};
use crate::workbench::Acts;
use crate::workbench::commands::WindowCommand;
use egui::{Context, RichText, Ui, vec2};
use frames::{FrameMeter, FrameRate};
use graphics::{graphics_line, graphics_summary};
use std::time::Duration;

/// Maximum number of recorded spans and passes: those of a few hundred frames.
const MAX_EVENTS: usize = 8192;
/// Seconds between updates of the table, so that numbers can be read.
const UPDATE_INTERVAL_SECS: f64 = 0.25;
/// Maximum number of rows of the table.
const MAX_ROWS: usize = 24;

/// Nanoseconds over which the load of the device is measured.
const LOAD_NANOS: u64 = 1_000_000_000;

/// The profiler window and the figures of the status line; timings are recorded only while the window is shown.
#[derive(Default)]
pub struct Profiler {
    listening: Option<Listening>,
    frames: FrameMeter,
    /// Whether the status line shows figures of graphics.
    is_in_status: bool,
    graphics: Option<GraphicsText>,
}

struct Listening {
    recording: Recording,
    totals: Vec<Total>,
    /// Fraction of the last second in which passes ran on the device; `None` if it times no passes.
    device_share: Option<f64>,
    made_secs: f64,
}

/// Figures of graphics as text.
struct GraphicsText {
    line: String,
    summary: String,
    made_secs: f64,
}

fn now_secs() -> f64 {
    now_nanos() as f64 / 1e9
}

/// Fraction of the last second in which passes ran on the device; `None` without any pass.
fn device_share(trace: &Trace) -> Option<f64> {
    let passes = || trace.events.iter().filter(|event| event.lane == Lane::GpuPass);
    passes().next()?;
    let since = now_nanos().saturating_sub(LOAD_NANOS);
    let nanos: u64 = passes().filter(|pass| pass.start_nanos >= since).map(|pass| pass.nanos).sum();
    Some((nanos as f64 / LOAD_NANOS as f64).min(1.0))
}

impl Profiler {
    /// Whether the profiler is shown.
    pub fn is_on(&self) -> bool {
        self.listening.is_some()
    }

    /// Shows or hides the profiler.
    pub fn toggle(&mut self) {
        self.listening = match self.listening.take() {
            Some(_) => None,
            None => Some(Listening {
                recording: Recording::of_latest(MAX_EVENTS),
                totals: Vec::new(),
                device_share: None,
                made_secs: f64::NEG_INFINITY,
            }),
        };
        self.graphics = None;
    }

    /// Shows figures of graphics in the status line.
    pub fn show_in_status(&mut self, is_shown: bool) {
        self.is_in_status = is_shown;
    }

    /// Figures for the status line, if they are to be shown there.
    pub fn summary(&self) -> Option<&str> {
        self.graphics.as_ref().filter(|_| self.is_in_status).map(|text| text.summary.as_str())
    }

    /// Call when a frame starts.
    pub fn begin_frame(&mut self) {
        self.frames.begin(now_secs());
    }

    /// Call when a frame is laid out.
    pub fn end_frame(&mut self) {
        self.frames.end(now_secs());
    }

    /// Call once a frame: updates the figures of graphics a few times a second, while they are shown.
    pub fn follow(&mut self, engine: &str, memory: impl FnOnce() -> GraphicsMemory) {
        let now_secs = now_secs();
        let is_current = |text: &GraphicsText| now_secs - text.made_secs < UPDATE_INTERVAL_SECS;
        if !(self.is_on() || self.is_in_status) || self.graphics.as_ref().is_some_and(is_current) {
            return;
        }
        let (memory, rate) = (memory(), self.frames.rate(now_secs));
        let share = self.listening.as_ref().and_then(|listening| listening.device_share);
        self.graphics = Some(GraphicsText {
            line: graphics_line(engine, &memory, rate.as_ref(), share),
            summary: graphics_summary(&memory, rate.as_ref()),
            made_secs: now_secs,
        });
    }

    /// Draws the window in a corner of the canvas; its close button pushes the command that hides it.
    pub fn ui(&mut self, ctx: &Context, canvas: egui::Rect, now_secs: f64, acts: &mut Acts) {
        let Some(listening) = &mut self.listening else { return };
        if now_secs - listening.made_secs >= UPDATE_INTERVAL_SECS {
            let trace = listening.recording.trace();
            (listening.totals, listening.device_share) = (trace.totals(), device_share(&trace));
            listening.made_secs = now_secs;
        }
        ctx.request_repaint_after(Duration::from_secs_f64(UPDATE_INTERVAL_SECS));
        let mut is_open = true;
        egui::Window::new("Profiler")
            .open(&mut is_open)
            .collapsible(false)
            .resizable(false)
            .default_pos(canvas.left_top() + vec2(16.0, 32.0))
            .constrain_to(canvas)
            .show(ctx, |ui| {
                if let Some(text) = &self.graphics {
                    let colour = theme::palette(ui.ctx()).text;
                    ui.label(RichText::new(&text.line).size(theme::CAPTION).color(colour));
                }
                table(ui, &listening.totals);
            });
        if !is_open {
            acts.push(WindowCommand::Profiler);
        }
    }
}

fn table(ui: &mut Ui, totals: &[Total]) {
    let palette = theme::palette(ui.ctx());
    let head = |text: &str| RichText::new(text).size(theme::CAPTION).color(palette.text_weak);
    let number = |value: f64| RichText::new(number(value, 2)).size(theme::CAPTION).color(palette.text);
    egui::Grid::new("profiler").num_columns(6).spacing(vec2(12.0, 2.0)).show(ui, |ui| {
        for title in ["Span", "Where", "Count", "Total ms", "Median ms", "Max ms"] {
            ui.label(head(title));
        }
        ui.end_row();
        for total in totals.iter().take(MAX_ROWS) {
            let colour = if total.lane == Lane::Cpu { palette.text_strong } else { palette.series_2 };
            ui.label(RichText::new(&total.name).size(theme::CAPTION).color(colour));
            ui.label(head(total.lane.label()));
            ui.label(RichText::new(total.n.to_string()).size(theme::CAPTION).color(palette.text));
            ui.label(number(total.total_ms));
            ui.label(number(total.median_ms));
            ui.label(number(total.longest_ms));
            ui.end_row();
        }
    });
    if totals.is_empty() {
        ui.label(head("Paint, play or scroll to see timings here."));
    }
}
