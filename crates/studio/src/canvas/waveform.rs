//! The waveform over the pictures, on a scale of its own, as strongly as the view says. What it is drawn from is found in
//! jobs; until the newest is there the one before is stretched.

use super::super::theme::{self, CANVAS_DARK, CANVAS_LIGHT, CAPTION};
use super::layout::PaneAt;
use crate::document::Snapshot;
use crate::view::{ChannelView, Waveform, waveform_detail};
use crate::workbench::{Job, Jobs};
use egui::{Align2, Color32, Mesh, Painter, Rect, Shape, pos2, vec2};
use std::sync::Arc;

/// The part of half a pane's height that the scale's end has.
const REACH: f32 = 0.95;
/// How dark the edge of the waveform is, of its opacity.
const EDGE_OPACITY: f32 = 0.4;

/// Columns that were found for a range of time.
#[derive(Debug, Clone)]
struct Columns {
    snapshot: Snapshot,
    secs: [f64; 2],
    columns: Vec<[f32; 2]>,
}

/// The waveform of one choice of channels.
struct Lane {
    channels: ChannelView,
    whole: Option<Arc<Waveform>>,
    whole_job: Option<Job<Waveform>>,
    /// What could not be read is not asked for again.
    failed: Option<Snapshot>,
    detail: Option<Columns>,
    detail_job: Option<Job<Columns>>,
}

/// The waveforms of what is seen.
#[derive(Default)]
pub struct Waveforms(Vec<Lane>);

impl Waveforms {
    /// Drops everything: another document.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether anything is being found.
    pub fn is_busy(&self) -> bool {
        self.0.iter().any(|lane| lane.whole_job.is_some() || lane.detail_job.is_some())
    }

    /// Draws the waveform of each pane, all on the scale that the loudest of them needs: what is higher is louder.
    pub fn draw(&mut self, painter: &Painter, panes: &[PaneAt], opacity: f32, shown: &Snapshot, jobs: &Jobs) {
        let n_px = |pane: &PaneAt| (pane.rect.width() * painter.pixels_per_point()).round().max(1.0) as usize;
        for pane in panes {
            self.lane(pane.channels).follow(shown, pane.viewport.secs, n_px(pane), jobs);
        }
        let in_view = |lane: &&Lane| panes.iter().any(|pane| pane.channels == lane.channels);
        let peaks = self.0.iter().filter(in_view).filter_map(|lane| Some(lane.whole.as_ref()?.peak()));
        let scale = scale_of(peaks.fold(0.0, f32::max));
        for pane in panes {
            let (secs, n_px) = (pane.viewport.secs, n_px(pane));
            let lane = self.lane(pane.channels);
            let Some(whole) = &lane.whole else { continue };
            let of_pane = match &lane.detail {
                Some(detail) if !whole.is_exact(secs, n_px) => stretched(detail, secs, n_px),
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
            self.0.push(Lane { channels, whole: None, whole_job: None, failed: None, detail: None, detail_job: None });
            self.0.len() - 1
        });
        &mut self.0[index]
    }
}

impl Lane {
    fn follow(&mut self, shown: &Snapshot, secs: [f64; 2], n_px: usize, jobs: &Jobs) {
        match self.whole_job.as_mut().and_then(Job::poll) {
            None => {}
            Some(answer) => {
                self.whole_job = None;
                match answer {
                    Ok(whole) => self.whole = Some(Arc::new(whole)),
                    Err(error) => {
                        tracing::warn!(%error, "no waveform");
                        self.failed = Some(shown.clone());
                    }
                }
            }
        }
        match self.detail_job.as_mut().and_then(Job::poll) {
            None => {}
            Some(answer) => {
                self.detail_job = None;
                match answer {
                    Ok(detail) => self.detail = Some(detail),
                    Err(error) => {
                        tracing::warn!(%error, "no waveform");
                        self.failed = Some(shown.clone());
                    }
                }
            }
        }
        let channels = self.channels;
        let has_failed = self.failed.as_ref().is_some_and(|failed| failed.is_same(shown));
        if self.whole_job.is_none() && !has_failed && self.whole.as_ref().is_none_or(|whole| !whole.is_of(shown)) {
            let (snapshot, before) = (shown.clone(), self.whole.clone());
            self.whole_job = Some(jobs.spawn("waveform", move |progress| {
                Waveform::compute(&snapshot, channels, before.as_deref(), progress)
            }));
        }
        let is_near = self.whole.as_ref().is_none_or(|whole| !whole.is_exact(secs, n_px));
        let is_known =
            |known: &Columns| known.snapshot.is_same(shown) && known.secs == secs && known.columns.len() == n_px;
        if is_near
            && !has_failed
            && self.whole.is_some()
            && self.detail_job.is_none()
            && !self.detail.as_ref().is_some_and(is_known)
        {
            let snapshot = shown.clone();
            self.detail_job = Some(jobs.spawn("waveform in view", move |progress| {
                let columns = waveform_detail(&snapshot, channels, secs, n_px, progress)?;
                Ok(Columns { snapshot, secs, columns })
            }));
        }
    }
}

/// The end of the scale: the peak of the sound, in steps of a half, so that quiet sounds are seen.
pub fn scale_of(peak: f32) -> f32 {
    let steps = peak.max(1e-4).log2().ceil().min(0.0);
    if peak > 1.0 { peak } else { steps.exp2() }
}

/// Columns of another range of time where they lie now; nothing beside them.
fn stretched(known: &Columns, secs: [f64; 2], n_px: usize) -> Vec<[f32; 2]> {
    let [from, to] = known.secs;
    let n = known.columns.len();
    let column = |x: usize| {
        let secs = secs[0] + (secs[1] - secs[0]) * (x as f64 + 0.5) / n_px as f64;
        let at = ((secs - from) / (to - from) * n as f64).floor();
        if at >= 0.0 { known.columns.get(at as usize).copied().unwrap_or_default() } else { [0.0; 2] }
    };
    (0..n_px).map(column).collect()
}

/// One upright bar a column, white, over a darker one that reaches a point further.
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

/// What heights mean, in decibels of full scale, at the right edge.
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
