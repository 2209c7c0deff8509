//! A stroke suggested on the picture: brackets around its area, an arrow in its direction, and one sentence.

use super::marks::dark;
use crate::canvas::Canvas;
use crate::widgets::theme;
use crate::widgets::theme::CANVAS_LIGHT;
use crate::workbench::ProposedStroke;
use egui::{Id, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Room between the brackets and the brush's edge, in points.
const MARGIN: f32 = 4.0;
/// Length of the arrow's head.
const HEAD: f32 = 7.0;

impl Canvas {
    /// Draws a suggested stroke over the upper picture, if it is in view and the user is not painting.
    pub fn propose(&self, ui: &Ui, proposed: &ProposedStroke) {
        let (Some(rects), Some(viewport)) = (self.rects(), self.viewport()) else { return };
        if self.is_painting() || viewport.hz[1] <= proposed.hz || viewport.hz[0] >= proposed.hz {
            return;
        }
        let picture = rects.picture;
        let x = proposed.secs.map(|secs| viewport.x_from_secs(secs) as f32);
        let y = [1.0, -1.0].map(|way: f64| viewport.y_from_hz(proposed.hz * (way * proposed.octaves).exp2()) as f32);
        let around = Rect::from_min_max(pos2(x[0], y[0] - MARGIN), pos2(x[1], y[1] + MARGIN)).intersect(picture);
        if around.width() < 40.0 {
            return;
        }
        let painter = ui.painter().with_clip_rect(picture);
        let bracket = |left: f32, inward: f32| {
            let corner = |y: f32| [pos2(left + inward, y), pos2(left, y)];
            let ([a, b], [d, c]) = (corner(around.top()), corner(around.bottom()));
            vec![a, b, c, d]
        };
        let (ends, tip) = ([bracket(around.left(), 8.0), bracket(around.right(), -8.0)], around.right_bottom());
        let below = tip.y + 9.0;
        let arrow = vec![
            pos2(around.left(), below),
            pos2(tip.x, below),
            pos2(tip.x - HEAD, below - HEAD / 2.0),
            pos2(tip.x, below),
            pos2(tip.x - HEAD, below + HEAD / 2.0),
        ];
        for (width, colour) in [(4.0, dark(0.65)), (1.75, CANVAS_LIGHT)] {
            for line in ends.iter().chain([&arrow]) {
                painter.add(Shape::line(line.clone(), Stroke::new(width, colour)));
            }
        }
        let room = (picture.right() - around.left() - 24.0).max(160.0);
        let galley = painter.layout(proposed.words.to_owned(), theme::medium(theme::BODY), CANVAS_LIGHT, room);
        let size = galley.size() + vec2(16.0, 10.0);
        let left = around.left().min(picture.right() - size.x).max(picture.left());
        let tag = Rect::from_min_size(pos2(left, below + HEAD + 3.0), size);
        painter.rect_filled(tag, theme::RADIUS_BUTTON, dark(0.8));
        painter.galley(tag.min + vec2(8.0, 5.0), galley, CANVAS_LIGHT);
        let response = ui.interact(tag, Id::unique("proposed stroke"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, proposed.words));
    }
}
