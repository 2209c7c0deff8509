//! Measures every brush on squares of prepared cells: the gather, the kernel and in-place work. Analysis and synthesis
//! of the sound are excluded, unless the brush itself performs them (noise, tone, the source of a clone).

use super::stopwatch::{RATE_HZ, Stopwatch, noise};
use crate::base::Result;
use crate::document::brushes::{Brush, BrushTrial, TrialShape};
use crate::document::{Channels, Edit, Snapshot, with_step};
use crate::dsp::repair::heal::Heal;
use crate::dsp::{Axis, Grid, Point, Selection, StftParams, Stroke, Window};
use crate::media::Source;

/// Number of cells along each side of the squares.
const SIDES: [usize; 3] = [128, 512, 2048];
/// First frame of the squares, and also their first bin if they fit below Nyquist: leaves cells around them for halos.
const FIRST: usize = 128;
const N_SAMPLES: usize = 60 * 44_100;

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let sound = Snapshot::new(Source::from_channels(vec![noise(N_SAMPLES)], RATE_HZ as u32)?);
    // Measured once: the hole of about 100 ms has the same size for all squares.
    if stopwatch.wants("heal_gap_100ms")? {
        let mut edit = Square::new(128, false).edit(TrialShape::Selected, Brush::Heal(Heal::GAP));
        edit.select = Some(Selection::rectangle(Some([10.0, 10.09]), None, [0.0; 2], Axis::Linear));
        of_edit(stopwatch, "heal_gap_100ms", &sound, &edit)?;
    }
    for side in SIDES {
        for (name, edit) in squares(side) {
            let name = format!("{name}_{side}x{side}");
            // For the largest square, the sound is too short for a pattern as long as the hole.
            let has_pattern = !matches!(edit.brush, Brush::Heal(Heal::Pattern { .. })) || side < 2048;
            if has_pattern && stopwatch.wants(&name)? {
                of_edit(stopwatch, &name, &sound, &edit)?;
            }
        }
    }
    Ok(())
}

/// Every brush by name, as an edit of a square of `side` by `side` cells in a sound of 60 s at 44,100 Hz. Brushes on
/// the finer grid come last.
pub fn squares(side: usize) -> Vec<(&'static str, Edit)> {
    let of_grid = |fine: bool| {
        let square = Square::new(side, fine);
        let own = square.trials().into_iter().filter(move |trial| trial.brush.is_on_fine_grid() == fine);
        own.map(|BrushTrial { name, brush, shape }| (name, square.edit(shape, brush))).collect::<Vec<_>>()
    };
    [false, true].into_iter().flat_map(of_grid).collect()
}

fn of_edit(stopwatch: &mut Stopwatch<'_>, name: &str, sound: &Snapshot, edit: &Edit) -> Result<()> {
    let engine = stopwatch.engine;
    with_step(sound, edit, engine, |step, _| {
        stopwatch.time(name, || {
            step()?;
            engine.finish();
            Ok(())
        })
    })
}

/// A square of cells of a grid.
struct Square {
    grid: Grid,
    side: usize,
    first_bin: usize,
}

impl Square {
    fn new(side: usize, fine: bool) -> Square {
        let stft = StftParams::of_size(if side > 1024 { 4096 } else { 2048 }, if fine { 8 } else { 4 }, Window::Hann);
        let grid = Grid::new(stft, RATE_HZ, N_SAMPLES as u64);
        Square { side, first_bin: FIRST.min(grid.n_bins() - side), grid }
    }

    /// Every brush, with neighbourhoods of a few cells.
    fn trials(&self) -> Vec<BrushTrial<Brush>> {
        Brush::trials([self.secs(4.0), self.hz(4.0)])
    }

    fn secs(&self, frame: f64) -> f64 {
        self.grid.secs_from_frame(frame)
    }

    fn hz(&self, bin: f64) -> f64 {
        self.grid.hz_from_bin(bin)
    }

    /// A selection whose mask is above 0 exactly on the square's cells, and 1 on its middle half.
    fn soft_box(&self) -> Selection {
        let (side, quarter) = (self.side as f64, self.side as f64 / 4.0);
        // The feather ends half a cell before the next cell outside.
        let feather = [self.secs(quarter - 0.5), self.hz(quarter - 0.5)];
        let [first_frame, first_bin] = [FIRST, self.first_bin].map(|first| first as f64);
        let secs = [first_frame - 1.0 + quarter, first_frame + side - quarter].map(|frame| self.secs(frame));
        let hz = [first_bin - 1.0 + quarter, first_bin + side - quarter].map(|bin| self.hz(bin));
        Selection::rectangle(Some(secs), Some(hz), feather, Axis::Linear)
    }

    fn edit(&self, shape: TrialShape, brush: Brush) -> Edit {
        let (half, first_bin) = (self.side as f64 / 2.0, self.first_bin as f64);
        let at = |frame: f64, bin: f64| Point {
            secs: self.secs(FIRST as f64 + frame),
            hz: self.hz(first_bin + bin),
            pressure: 1.0,
        };
        let (points, radius) = match shape {
            TrialShape::Selected => (Vec::new(), [0.0; 2]),
            // Shorter than the spacing of dabs, so that there is only one.
            TrialShape::Pushed => {
                let step = self.side as f64 / 32.0;
                (vec![at(half, half - step), at(half, half + step)], [self.secs(1.5 * half), self.hz(1.5 * half)])
            }
            TrialShape::Line => (vec![at(0.0, half / 2.0), at(2.0 * half, half / 2.0)], [0.05, 100.0]),
        };
        let stroke = Stroke { points, axis: Axis::Linear, radius, hardness: 0.5, strength: 1.0, build_up: false };
        Edit {
            brush,
            stroke: (shape != TrialShape::Selected).then_some(stroke),
            select: Some(self.soft_box()),
            channels: Channels::All,
            transform: self.grid.transform().clone(),
            strength: 1.0,
            consistency_steps: Some(0),
        }
    }
}
