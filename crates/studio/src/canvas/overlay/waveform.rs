//! The waveform over the pictures, with its own scale, at the view's opacity. Computed in jobs; until the newest is
//! ready the previous one is stretched.

use crate::canvas::layout::PaneAt;
use crate::document::Snapshot;
use crate::view::{ChannelView, Waveform, waveform_detail};
use crate::widgets::theme;
use crate::widgets::theme::{CANVAS_DARK, CANVAS_LIGHT, CAPTION};
use crate::workbench::{JobQuestion, Jobs, Latest};
use egui::{Align2, Color32, Mesh, Painter, Rect, Shape, pos2, vec2};
use std::sync::Arc;

/// Height of full scale, as a fraction of half a pane's height.
const REACH: f32 = 0.95;
/// Opacity of the waveform's dark edge, relative to its own.
const EDGE_OPACITY: f32 = 0.4;

/// A visible range of time, with a column per pixel.
#[derive(Clone)]
struct VisibleRange {
    snapshot: Snapshot,
    secs: [f64; 2],
    n_px: usize,
}

impl JobQuestion for VisibleRange {
    fn is_same(&self, other: &VisibleRange) -> bool {
        self.snapshot.is_same(&other.snapshot) && (self.secs, self.n_px) == (other.secs, other.n_px)
    }
}

/// Lowest and highest sample of each column.
type Columns = Vec<[f32; 2]>;

/// The waveform of one choice of channels.
struct Lane {
    channels: ChannelView,
    /// The waveform of the whole sound, as far as decoded.
    whole: Latest<(Snapshot, u64), Arc<Waveform>>,
    detail: Latest<VisibleRange, Columns>,
}

/// The waveforms of the visible range.
#[derive(Default)]
pub struct Waveforms(Vec<Lane>);

impl Waveforms {
    /// Drops everything, for another document.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether anything is being computed.
    pub fn is_busy(&self) -> bool {
        self.0.iter().any(|lane| lane.whole.is_busy() || lane.detail.is_busy())
    }

    /// Draws the waveform of each pane, all on the scale of the loudest so that heights are comparable.
    pub fn draw(&mut self, painter: &Painter, panes: &[PaneAt], opacity: f32, shown: &Snapshot, jobs: &Jobs) {
        let n_px = |pane: &PaneAt| (pane.rect.width() * painter.pixels_per_point()).round().max(1.0) as usize;
        for pane in panes {
            self.lane(pane.channels).follow(shown, pane.viewport.secs, n_px(pane), jobs);
        }
        let in_view = |lane: &&Lane| panes.iter().any(|pane| pane.channels == lane.channels);
        let peaks = self.0.iter().filter(in_view).filter_map(|lane| Some(lane.whole()?.peak()));
        let scale = scale_of(peaks.fold(0.0, f32::max));
        for pane in panes {
            let (secs, n_px) = (pane.viewport.secs, n_px(pane));
            let lane = self.lane(pane.channels);
            let Some(whole) = lane.whole() else { continue };
            let of_pane = match lane.detail.last() {
                Some((of, columns)) if !whole.is_exact(secs, n_px) => stretched(of.secs, columns, secs, n_px),
                _ => whole.columns(secs, n_px),
            };
            let clipped = painter.with_clip_rect(pane.rect);
            clipped.add(Shape::mesh(mesh(&of_pane, pane.rect, scale, opacity)));
            draw_scale(&clipped, pane.rect, scale, opacity);
        }
    }

    fn lane(&mut self, channels: ChannelView) -> &mut Lane {
        let known = self.0.iter().position(|lane| lane.channels == channels);
        let index = known.unwrap_or_else(|| {
            self.0.push(Lane { channels, whole: Latest::default(), detail: Latest::default() });
            self.0.len() - 1
        });
        &mut self.0[index]
    }
}

impl Lane {
    fn whole(&self) -> Option<&Arc<Waveform>> {
        self.whole.last().map(|(_, whole)| whole)
    }

    fn follow(&mut self, shown: &Snapshot, secs: [f64; 2], n_px: usize, jobs: &Jobs) {
        let (channels, before) = (self.channels, self.whole().cloned());
        let so_far = (shown.clone(), shown.n_ready());
        self.whole.ask_in_turn(&so_far, jobs, "waveform", move |(sound, _), progress| {
            Waveform::compute(sound, channels, before.as_deref(), progress).map(Arc::new)
        });
        self.detail.poll();
        if self.whole().is_some_and(|whole| !whole.is_exact(secs, n_px)) {
            let in_view = VisibleRange { snapshot: shown.clone(), secs, n_px };
            self.detail.ask_in_turn(&in_view, jobs, "waveform in view", move |of, progress| {
                waveform_detail(&of.snapshot, channels, of.secs, of.n_px, progress)
            });
        }
    }
}

/// Full scale of the display: the peak rounded up to a power of two, so that quiet sounds are visible. A peak above 1
/// is not rounded.
pub fn scale_of(peak: f32) -> f32 {
    let steps = peak.max(1e-4).log2().ceil().min(0.0);
    if peak > 1.0 { peak } else { steps.exp2() }
}

/// Columns of another time range, stretched to the current one; zero outside.
fn stretched([from, to]: [f64; 2], known: &[[f32; 2]], secs: [f64; 2], n_px: usize) -> Columns {
    let n = known.len();
    let column = |x: usize| {
        let secs = secs[0] + (secs[1] - secs[0]) * (x as f64 + 0.5) / n_px as f64;
        let at = ((secs - from) / (to - from) * n as f64).floor();
        if at >= 0.0 { known.get(at as usize).copied().unwrap_or_default() } else { [0.0; 2] }
    };
    (0..n_px).map(column).collect()
}

/// A vertical white bar per column, over a translucent black one that extends a point further at both ends.
fn mesh(columns: &[[f32; 2]], pane: Rect, scale: f32, opacity: f32) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.reserve_vertices(8 * columns.len());
    mesh.reserve_triangles(4 * columns.len());
    let width = pane.width() / columns.len().max(1) as f32;
    let half = pane.height() / 2.0 * REACH;
    let y = |sample: f32| pane.center().y - (sample / scale).clamp(-1.0, 1.0) * half;
    for (grow, colour) in
        [(1.5, CANVAS_DARK.gamma_multiply(EDGE_OPACITY * opacity)), (0.5, CANVAS_LIGHT.gamma_multiply(opacity))]
    {
        for (x, [low, high]) in columns.iter().enumerate() {
            let left = pane.left() + x as f32 * width;
            let bar = Rect::from_min_max(pos2(left, y(*high) - grow), pos2(left + width, y(*low) + grow));
            mesh.add_colored_rect(bar, colour);
        }
    }
    mesh
}

/// The scale at the right edge, in dBFS.
fn draw_scale(painter: &Painter, pane: Rect, scale: f32, opacity: f32) {
    let half = pane.height() / 2.0 * REACH;
    if half < 40.0 {
        return;
    }
    let strength = opacity.max(0.6);
    let mut level = scale;
    while level / scale * half >= 14.0 {
        let db = 20.0 * level.log10();
        let text = if db < -0.05 { format!("\u{2212}{:.0} dB", -db) } else { format!("{db:.0} dB") };
        for side in [-1.0, 1.0] {
            let at = pos2(pane.right() - 4.0, pane.center().y + side * level / scale * half);
            let font = theme::regular(CAPTION);
            let dark: Color32 = CANVAS_DARK.gamma_multiply(strength);
            for shift in [vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, 1.0)] {
                painter.text(at + shift, Align2::RIGHT_CENTER, &text, font.clone(), dark);
            }
            painter.text(at, Align2::RIGHT_CENTER, &text, font, CANVAS_LIGHT.gamma_multiply(strength));
        }
        level /= 2.0;
    }
}
