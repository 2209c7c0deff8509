//! What the user is told, at the canvas' lower left: what, which file, what to do. Never a modal, never in the way of
//! the pointer while a stroke is drawn.

use super::commands::Command;
use super::{icons, theme};
use crate::base::{Error, ErrorKind};
use egui::{Align2, Id, RichText, Vec2};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something was done.
    Info,
    /// Something to know.
    Warning,
    /// Something was not done.
    Error,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// How bad it is.
    pub level: Level,
    /// What happened, and to which file: `Cannot open tabla.flac: it ends in the middle of a frame`.
    pub what: String,
    /// What to do about it, if anything.
    pub advice: Option<String>,
    /// A command that helps.
    pub action: Option<Command>,
    id: u64,
    until_secs: Option<f64>,
}

/// Messages shown, the newest last.
#[derive(Debug, Default)]
pub struct Notices {
    shown: Vec<Notice>,
    n_given: u64,
}

/// Most that are shown at once.
const MOST: usize = 3;
/// How long what is not an error stays.
const STAY_SECS: f64 = 10.0;
const HEIGHT: f32 = 40.0;

impl Notices {
    /// A message; what is not an error leaves after 10 s.
    pub fn tell(&mut self, now_secs: f64, level: Level, what: impl Into<String>, advice: Option<&str>) {
        self.add(now_secs, level, what.into(), advice.map(str::to_string), None);
    }

    /// Something was not done. `doing` completes "Cannot ...": `open`, `export`, `apply the edit`.
    pub fn fail(&mut self, now_secs: f64, doing: &str, error: &Error) {
        if error.kind() == ErrorKind::Cancelled {
            return;
        }
        tracing::warn!(%error, doing, "told");
        let name = error.path().and_then(|path| path.file_name());
        let what = match name {
            // Messages about a file begin with what it is or has; the file was named before.
            Some(name) => {
                let name = crate::base::shown_path(std::path::Path::new(name));
                format!("Cannot {doing} {name}: {}{}.", subject(error.message()), error.message())
            }
            None => format!("Cannot {doing}: {}.", error.message()),
        };
        self.add(now_secs, Level::Error, what, None, None);
    }

    /// A message with a command that helps.
    pub fn offer(&mut self, now_secs: f64, level: Level, what: String, advice: Option<&str>, action: Command) {
        self.add(now_secs, level, what, advice.map(str::to_string), Some(action));
    }

    fn add(&mut self, now_secs: f64, level: Level, what: String, advice: Option<String>, action: Option<Command>) {
        // The same message again is the same message, younger.
        self.shown.retain(|notice| notice.what != what);
        self.n_given += 1;
        let until_secs = (level != Level::Error).then_some(now_secs + STAY_SECS);
        self.shown.push(Notice { level, what, advice, action, id: self.n_given, until_secs });
    }

    /// Messages that stand, the newest last; the last three are in view.
    pub fn all(&self) -> &[Notice] {
        &self.shown
    }

    /// How many have no place at the canvas.
    pub fn n_hidden(&self) -> usize {
        self.shown.len().saturating_sub(MOST)
    }

    /// Takes down what has been seen for long enough; when the next one goes.
    pub fn expire(&mut self, now_secs: f64) -> Option<f64> {
        self.shown.retain(|notice| notice.until_secs.is_none_or(|until| until > now_secs));
        self.shown.iter().filter_map(|notice| notice.until_secs).reduce(f64::min)
    }

    /// Draws them over the lower left of `canvas`.
    pub fn ui(&mut self, ctx: &egui::Context, canvas: egui::Rect, now_secs: f64, commands: &mut Vec<Command>) {
        let palette = theme::palette(ctx);
        let mut closed = None;
        let first = self.n_hidden();
        for (row, notice) in self.shown[first..].iter_mut().rev().enumerate() {
            let offset = Vec2::new(12.0, -12.0 - row as f32 * (HEIGHT + 8.0));
            let (icon, colour, word) = match notice.level {
                Level::Info => (icons::INFO, palette.accent, "Note"),
                Level::Warning => (icons::TRIANGLE_ALERT, palette.warning, "Warning"),
                Level::Error => (icons::CIRCLE_ALERT, palette.danger, "Error"),
            };
            let area = egui::Area::new(Id::unique(("notice", notice.id)))
                .order(egui::Order::Foreground)
                .fixed_pos(canvas.left_bottom() + offset)
                .pivot(Align2::LEFT_BOTTOM)
                .constrain(false);
            let shown = area.show(ctx, |ui| {
                let frame = egui::Frame::new()
                    .fill(palette.raised)
                    .stroke(egui::Stroke::new(1.0, palette.stroke_strong))
                    .corner_radius(theme::RADIUS_CARD)
                    .inner_margin(egui::Margin { left: 12, right: 6, top: 6, bottom: 6 });
                frame.show(ui, |ui| {
                    ui.set_min_height(HEIGHT - 14.0);
                    ui.set_max_width((canvas.width() - 48.0).max(200.0));
                    ui.horizontal_centered(|ui| {
                        let sign = ui.label(RichText::new(icon).font(theme::icons(16.0)).color(colour));
                        sign.accessible_name(word);
                        let room = (canvas.width() - 150.0).max(120.0);
                        ui.scope(|ui| {
                            ui.set_max_width(room);
                            let text = RichText::new(&notice.what).color(palette.text_strong);
                            ui.add(egui::Label::new(text).wrap_mode(egui::TextWrapMode::Wrap));
                        });
                        if let Some(advice) = &notice.advice {
                            ui.label(RichText::new(advice).color(palette.text_weak));
                        }
                        if let Some(action) = notice.action
                            && ui.button(action.spec().name).clicked()
                        {
                            commands.push(action);
                            closed = Some(notice.id);
                        }
                        let cross = RichText::new(icons::X).font(theme::icons(16.0));
                        let close = ui.add(egui::Button::new(cross).frame(false).min_size(Vec2::splat(24.0)));
                        if close.accessible_name("Close the notice").on_hover_text("Close the notice").clicked() {
                            closed = Some(notice.id);
                        }
                    });
                });
            });
            if shown.response.contains_pointer() && notice.until_secs.is_some() {
                notice.until_secs = Some(now_secs + STAY_SECS / 2.0);
            }
        }
        self.shown.retain(|notice| Some(notice.id) != closed);
    }
}

/// `it ` before a message that begins with a verb.
fn subject(message: &str) -> &'static str {
    let verbs = ["is", "has", "ends", "could", "cannot", "holds", "needs", "was", "claims", "says"];
    if message.split(' ').next().is_some_and(|first| verbs.contains(&first)) { "it " } else { "" }
}
