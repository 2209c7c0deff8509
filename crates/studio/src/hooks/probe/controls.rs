//! Records the areas of controls, for window tests.

use std::collections::BTreeMap;

/// A rectangle as left, top, width and height.
pub fn of_rect(rect: egui::Rect) -> [f32; 4] {
    [rect.left(), rect.top(), rect.width(), rect.height()]
}

/// Records the area of a control, for [`controls`]; call whenever it is drawn.
pub fn note_control(ctx: &egui::Context, label: &str, rect: egui::Rect) {
    let rect = of_rect(rect);
    let frame = ctx.cumulative_frame_nr();
    ctx.data_mut(|data| {
        let seen = data.get_temp_mut_or_default::<BTreeMap<String, ([f32; 4], u64)>>(id());
        seen.insert(label.to_owned(), (rect, frame));
    });
}

/// The controls drawn in this frame or the previous one.
pub fn controls(ctx: &egui::Context) -> BTreeMap<String, [f32; 4]> {
    let frame = ctx.cumulative_frame_nr();
    let seen = ctx.data(|data| data.get_temp::<BTreeMap<String, ([f32; 4], u64)>>(id())).unwrap_or_default();
    seen.into_iter().filter(|(_, (_, drawn))| drawn + 1 >= frame).map(|(label, (rect, _))| (label, rect)).collect()
}

fn id() -> egui::Id {
    egui::Id::unique("controls of the probe")
}
