//! The list of sounds: only visible rows are laid out and drawn, so that it may have any length. Positions are in whole
//! rows, as half a million rows in points exceed the precision of widget layout.

use super::context::LibraryContext;
use super::menu;
use super::row::{self, HEIGHT};
use super::thumbs::Thumbs;
use crate::studio::widgets::theme;
use crate::workbench::{Acts, Browser, LibraryAct, ListAge};
use egui::{CornerRadius, EventFilter, Id, Key, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Width of the scroll bar, and of its sensitive area.
const BAR: f32 = 8.0;
const BAR_GRAB_WIDTH: f32 = 24.0;
const MIN_HANDLE: f32 = 24.0;
/// How long the pointer must rest on a donor to play it.
const HOVER_SECS: f64 = 0.3;

/// Scroll state of the list.
#[derive(Debug, Default)]
pub struct SoundList {
    /// The top row; its fraction accumulates wheel movement.
    top: f64,
    /// The version of the list in the previous frame.
    age: ListAge,
    /// Row and sound id of the row that stays in place in the window when rows are inserted or removed: the current one
    /// if visible, else the first visible one.
    held: Option<(usize, i64)>,
    /// As last reported: the first visible row, the end of the visible rows, and the number of all rows.
    seen: (usize, usize, usize),
    /// Row and id of the current sound in the previous frame.
    chosen: Option<(usize, i64)>,
    /// Id of the donor under the pointer, and the time in seconds since which it has been there.
    hovered: Option<(i64, f64)>,
}

impl SoundList {
    /// Draws it in the rest of `ui`. `takes_keyboard` gives it the focus. Returns the sound whose drag begins.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        context: LibraryContext<'_>,
        thumbs: &mut Thumbs,
        takes_keyboard: bool,
        acts: &mut Acts,
    ) -> Option<i64> {
        let browser = context.browser;
        let rect = ui.available_rect_before_wrap();
        let id = ui.scope_id().with("sounds of the library");
        let response = ui.interact(rect, id, Sense::focusable_noninteractive());
        let n = browser.entries().len();
        response.widget_info(|| WidgetInfo::labeled(Role::List, true, format!("{n} sounds of the library")));
        if takes_keyboard {
            response.request_focus();
        }
        let n_shown = ((rect.height() / HEIGHT).floor() as usize).max(1);
        self.follow(ui, browser, rect, n_shown);
        // The key press that moved the focus here is not meant for the list.
        if response.has_focus() && !takes_keyboard {
            let arrows = EventFilter { vertical_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, arrows));
            self.keys(ui, browser, n_shown, acts);
        }
        let first = (self.top.floor() as usize).min(n.saturating_sub(1));
        let end = (first + n_shown).min(n);
        let in_progress = browser.chosen().filter(|(at, _)| (first..end).contains(at));
        self.held = in_progress.or_else(|| browser.entries().get(first).map(|entry| (first, entry.id)));
        if self.seen != (first, end, n) {
            self.seen = (first, end, n);
            acts.push(LibraryAct::See { first, n: end - first });
        }
        let has_bar = n > n_shown;
        let right = rect.right() - if has_bar { BAR + 4.0 } else { 0.0 };
        let (mut dragged, mut hovered) = (None, None);
        for at in first..end {
            let top = rect.top() + (at - first) as f32 * HEIGHT;
            let row_rect = Rect::from_min_max(pos2(rect.left(), top), pos2(right, top + HEIGHT));
            let row = row::ui(ui, row_rect, browser, at, thumbs);
            if row.clicked() {
                response.request_focus();
                acts.push(LibraryAct::Choose { at, is_audible: !browser.is_cloning() });
                if browser.is_cloning() {
                    acts.push(LibraryAct::Open);
                }
            }
            let asks_menu =
                response.has_focus() && menu::is_requested(ui) && browser.chosen().is_some_and(|(on, _)| on == at);
            menu::ui(&row, asks_menu, context, at, acts);
            if row.hovered() && browser.is_filling() {
                hovered = Some(at);
            }
            if row.double_clicked() {
                acts.push(LibraryAct::Open);
            }
            if row.drag_started() {
                // A dropped sound floats on the canvas, and Enter must place it.
                response.surrender_focus();
                acts.push(LibraryAct::Choose { at, is_audible: false });
                dragged = browser.entries().get(at).map(|entry| entry.id);
            }
        }
        self.hover(ui, browser, hovered, acts);
        if has_bar {
            self.bar(ui, rect, id, n, n_shown);
        }
        dragged
    }

    /// A new list begins at its top; in a changed one, rows stay in place. The wheel scrolls; a sound chosen by other
    /// means is scrolled into view.
    fn follow(&mut self, ui: &Ui, browser: &Browser, rect: Rect, n_shown: usize) {
        let (age, before) = (browser.list_age(), std::mem::replace(&mut self.age, browser.list_age()));
        if age.n_searches != before.n_searches {
            (self.top, self.chosen) = (0.0, None);
        } else if age != before
            && let Some((was, id)) = self.held
            && let Some(at) = browser.position_of(id, was)
        {
            self.top += at as f64 - was as f64;
            // The current row moved with the list; that alone must not scroll it into view.
            self.chosen = browser.chosen().filter(|now| self.chosen.is_some_and(|chosen| chosen.1 == now.1));
        }
        if ui.rect_contains_pointer(rect) {
            let turned = ui.input(|input| input.smooth_scroll_delta().y);
            self.top -= f64::from(turned / HEIGHT);
        }
        let chosen = browser.chosen();
        if let Some((at, _)) = chosen.filter(|_| chosen != self.chosen) {
            let last = (at + 1).saturating_sub(n_shown);
            self.top = self.top.floor().clamp(last as f64, at as f64);
        }
        self.chosen = chosen;
        let max = browser.entries().len().saturating_sub(n_shown);
        self.top = self.top.clamp(0.0, max as f64);
    }

    /// Up and Down play the previous or next sound, with Shift a page away; Space stops, Enter opens.
    fn keys(&self, ui: &Ui, browser: &Browser, n_shown: usize, acts: &mut Acts) {
        let n = browser.entries().len();
        let (up, down, is_page, space, enter) = ui.input(|input| {
            let n_pressed = |key| input.events.iter().filter(|event| is_press(event, key)).count();
            (
                n_pressed(Key::ArrowUp),
                n_pressed(Key::ArrowDown),
                input.modifiers.shift,
                n_pressed(Key::Space) > 0,
                n_pressed(Key::Enter) > 0,
            )
        });
        if n > 0 && up != down {
            let step = if is_page { n_shown } else { 1 };
            let at = match self.chosen {
                None => 0,
                Some((at, _)) if down > up => (at + step * (down - up)).min(n - 1),
                Some((at, _)) => at.saturating_sub(step * (up - down)),
            };
            if self.chosen.is_none_or(|(chosen, _)| chosen != at) {
                acts.push(LibraryAct::Choose { at, is_audible: true });
            }
        }
        if space {
            acts.push(LibraryAct::Quiet);
        }
        if enter {
            acts.push(LibraryAct::Open);
        }
    }

    /// Plays a donor once the pointer has rested on it.
    fn hover(&mut self, ui: &Ui, browser: &Browser, at: Option<usize>, acts: &mut Acts) {
        let donor = at.and_then(|at| browser.entries().get(at).map(|entry| (at, entry.id)));
        let Some((at, id)) = donor.filter(|(_, id)| browser.chosen().is_none_or(|(_, chosen)| chosen != *id)) else {
            self.hovered = None;
            return;
        };
        let now_secs = ui.input(|input| input.time);
        let since_secs = self.hovered.filter(|(hovered, _)| *hovered == id).map_or(now_secs, |(_, since)| since);
        self.hovered = Some((id, since_secs));
        let left_secs = since_secs + HOVER_SECS - now_secs;
        if left_secs <= 0.0 {
            acts.push(LibraryAct::Choose { at, is_audible: true });
        } else {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left_secs));
        }
    }

    /// The draggable scroll bar.
    fn bar(&mut self, ui: &Ui, rect: Rect, id: Id, n: usize, n_shown: usize) {
        let palette = theme::palette(ui.ctx());
        let max = (n - n_shown) as f64;
        let track =
            Rect::from_min_max(pos2(rect.right() - BAR - 2.0, rect.top()), pos2(rect.right() - 2.0, rect.bottom()));
        let height = (track.height() * n_shown as f32 / n as f32).max(MIN_HANDLE).min(track.height());
        let room = f64::from(track.height() - height).max(1.0);
        let top = track.top() + (self.top.floor() / max * room) as f32;
        let handle = Rect::from_min_size(pos2(track.left(), top), vec2(BAR, height));
        let caught = Rect::from_min_max(pos2(rect.right() - BAR_GRAB_WIDTH, handle.top()), handle.right_bottom());
        let response = ui.interact(caught, id.with("bar"), Sense::DRAG);
        if response.dragged() {
            self.top = (self.top + f64::from(response.drag_delta().y) / room * max).clamp(0.0, max);
        }
        let face = if response.dragged() || response.hovered() { palette.stroke_strong } else { palette.active };
        ui.painter().rect_filled(handle, CornerRadius::same(3), face);
    }
}

fn is_press(event: &egui::Event, wanted: Key) -> bool {
    matches!(event, egui::Event::Key { key, pressed: true, .. } if *key == wanted)
}
