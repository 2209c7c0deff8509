//! The profiler: recent timings on CPU and GPU, shown over the canvas on request.

use super::widgets::theme;
use crate::base::number;
use crate::base::trace::{Lane, Recording, Total};
use crate::workbench::Acts;
use crate::workbench::commands::WindowCommand;
use egui::{Context, RichText, Ui, vec2};
use std::time::Duration;

/// Maximum number of recorded spans and passes: those of a few hundred frames.
const MAX_EVENTS: usize = 8192;
/// Seconds between updates of the table, so that numbers can be read.
const UPDATE_INTERVAL_SECS: f64 = 0.25;
/// Maximum number of rows of the table.
const MAX_ROWS: usize = 24;

/// The profiler window; timings are recorded only while it is shown.
#[derive(Default)]
pub struct Profiler {
    listening: Option<Listening>,
}

struct Listening {
    recording: Recording,
    totals: Vec<Total>,
    made_secs: f64,
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
                made_secs: f64::NEG_INFINITY,
            }),
        };
    }

    /// Draws the window in a corner of the canvas; its close button pushes the command that hides it.
    pub fn ui(&mut self, ctx: &Context, canvas: egui::Rect, now_secs: f64, acts: &mut Acts) {
        let Some(listening) = &mut self.listening else { return };
        if now_secs - listening.made_secs >= UPDATE_INTERVAL_SECS {
            listening.totals = listening.recording.trace().totals();
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
            .show(ctx, |ui| table(ui, &listening.totals));
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
