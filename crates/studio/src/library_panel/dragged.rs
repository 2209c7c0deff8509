//! Drags of sounds from the list to the canvas, or out of the window.

use crate::base::{clock_from_secs, number};
use crate::studio::canvas::PaneAt;
use crate::studio::desktop::drops;
use crate::studio::widgets::theme;
use crate::workbench::{Acts, DragOutAct, Draggable, LibraryAct};
use egui::{Id, LayerId, Order, Pos2, Rect, vec2};

/// A dragged sound.
pub struct Dragged {
    /// Id of the sound.
    pub id: i64,
    /// Name for display.
    pub name: String,
    /// Whether it has a pitch, so that it can be transposed to the pointer's frequency.
    pub has_pitch: bool,
}

impl Dragged {
    /// Draws it at the pointer. A drop on a picture pastes it at its own pitch, with Shift at the pointer's; returns
    /// whether the drag is over. Outside the window it continues as a drag of its file.
    pub fn follow(&self, ctx: &egui::Context, panes: &[PaneAt], acts: &mut Acts) -> bool {
        let (at, is_down, is_shift, is_escape) = ctx.input(|input| {
            let pointer = &input.pointer;
            let is_escape = input.key_pressed(egui::Key::Escape);
            (pointer.latest_pos(), pointer.primary_down(), input.modifiers.shift, is_escape)
        });
        if is_down && !is_escape && drops::is_dragged_out(ctx) {
            acts.push(DragOutAct::Begin(Draggable::Sound(self.id)));
            return true;
        }
        let Some(at) = at.filter(|_| !is_escape) else { return true };
        let place = panes.iter().find(|pane| pane.rect.contains(at)).map(|pane| {
            let viewport = &pane.viewport;
            [viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y))]
        });
        if is_down {
            self.draw(ctx, at, place, is_shift);
            return false;
        }
        if let Some([secs, hz]) = place {
            // Takes the focus from any widget, so that Enter places the sound.
            ctx.memory_mut(|memory| memory.focused().into_iter().for_each(|id| memory.surrender_focus(id)));
            acts.push(LibraryAct::Paste { id: self.id, at: [secs, if is_shift { hz } else { f64::NAN }] });
        }
        true
    }

    fn draw(&self, ctx: &egui::Context, at: Pos2, place: Option<[f64; 2]>, is_shift: bool) {
        let palette = theme::palette(ctx);
        let where_to = match place {
            None => String::new(),
            Some([secs, _]) if !self.has_pitch => format!("  {}", clock_from_secs(secs)),
            Some([secs, hz]) if is_shift => format!("  {}, moved to {} Hz", clock_from_secs(secs), number(hz, 0)),
            Some([secs, _]) => format!("  {}, own pitch (Shift: the pointer's)", clock_from_secs(secs)),
        };
        let painter = ctx.layer_painter(LayerId::new(Order::Tooltip, Id::unique("dragged sound")));
        let font = theme::regular(theme::BODY);
        let galley = painter.layout_no_wrap(format!("{}{where_to}", self.name), font, palette.text_strong);
        let rect = Rect::from_min_size(at + vec2(14.0, 10.0), galley.size()).expand2(vec2(8.0, 5.0));
        let stroke = egui::Stroke::new(1.0, palette.stroke_strong);
        painter.rect(rect, theme::RADIUS_BUTTON, palette.raised, stroke, egui::StrokeKind::Inside);
        painter.galley(rect.min + vec2(8.0, 5.0), galley, palette.text_strong);
    }
}
