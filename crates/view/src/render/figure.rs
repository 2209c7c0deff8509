//! Draws a view with axes, ticks, labels and a colour bar, dark on white, for papers.

use super::colormap::{Colormap, phase_rgb};
use super::picture::Plane;
use super::text::{Lettering, TextLine};
use super::ticks::{LabelSize, Tick, hz_ticks, time_ticks};
use crate::Viewport;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::Axis;

/// Minimum size of a plot, in pixels, for which ticks can be labelled.
const MIN_PLOT: [usize; 2] = [80, 60];
/// Default height of a figure in lines of text.
const LINES_PER_FIGURE: f32 = 36.0;
/// Minimum size of readable text, in pixels.
const MIN_TEXT_PX: f32 = 11.0;
/// Intervals between labels of the colour bar, finest first.
const DB_STEPS: [f64; 9] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];

const INK: [u8; 3] = [26, 26, 26];
const PAPER: u8 = 255;

/// Contents and size of a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FigureOptions {
    /// Width and height in pixels.
    pub(crate) size: [usize; 2],
    /// Height of a line of text in pixels; `None` chooses it from the figure's height.
    pub(crate) text_px: Option<f32>,
    /// Frequency axis.
    pub(crate) axis: Axis,
    /// The displayed plane.
    pub(crate) plane: Plane,
    /// Colours of the magnitude.
    pub(crate) colormap: Colormap,
    /// Darkest and brightest level.
    pub(crate) range_db: [f32; 2],
}

/// Layout of a figure, in pixels.
pub(crate) struct Figure {
    options: FigureOptions,
    text: Lettering,
    /// Height of a line of text.
    line: usize,
    /// Space between parts.
    gap: usize,
    /// Length of a labelled tick.
    tick: usize,
    /// Left and top edge of the plot.
    origin: [usize; 2],
    /// Width and height of the plot.
    plot: [usize; 2],
}

impl Figure {
    /// Lays out a figure.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a size that leaves no room for the plot.
    pub(crate) fn new(options: FigureOptions) -> Result<Figure> {
        let size = options.size;
        let px = options.text_px.unwrap_or((size[1] as f32 / LINES_PER_FIGURE).max(MIN_TEXT_PX));
        let text = Lettering::new(px)?;
        let line = text.line("0").size[1];
        let (gap, tick) = ((px * 0.4).ceil() as usize, (px * 0.4).ceil() as usize);
        // Room for `20000` and `-100`, and for half a label above the plot.
        let digits = |n: f32| (text.digit_width() * n).ceil() as usize;
        let left = gap + line + gap + digits(5.0) + gap + tick;
        let right = 2 * gap + bar_width(line) + tick + gap + digits(4.0) + gap + line + gap;
        let (top, bottom) = (line / 2 + gap, tick + gap + line + gap + line + gap);
        let plot = [size[0].saturating_sub(left + right), size[1].saturating_sub(top + bottom)];
        if plot[0] < MIN_PLOT[0] || plot[1] < MIN_PLOT[1] {
            let [width, height] = [left + right + MIN_PLOT[0], top + bottom + MIN_PLOT[1]];
            let what = format!(
                "{}x{} pixels are too few for axes; choose at least {width}x{height}, or smaller text",
                size[0], size[1]
            );
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        Ok(Figure { options, text, line, gap, tick, origin: [left, top], plot })
    }

    /// Width and height of the plot.
    pub(crate) fn plot_size(&self) -> [usize; 2] {
        self.plot
    }

    /// Draws the whole figure around the pixels of a plot with these times and frequencies; RGB.
    pub(crate) fn around(&self, plot: &[u8], secs: [f64; 2], hz: [f64; 2]) -> Vec<u8> {
        let size = self.options.size;
        let mut page = Page { size, rgb: vec![PAPER; 3 * size[0] * size[1]] };
        let [left, top] = self.origin;
        page.blit(plot, self.origin, self.plot);
        page.frame(self.origin, self.plot);
        let viewport =
            Viewport { secs, hz, axis: self.options.axis, origin: [0.0, 0.0], size: self.plot.map(|side| side as f64) };
        let letter = f64::from(self.text.digit_width());
        let label = LabelSize { letter, line: self.line as f64, gap: 1.5 * letter };
        self.time_axis(&mut page, &time_ticks(&viewport, label), secs[1]);
        for tick in hz_ticks(&viewport, label) {
            let y = top + (tick.pixel.round() as usize).min(self.plot[1]);
            self.left_tick(&mut page, y, tick.label.as_deref());
        }
        let title = self.text.line("Frequency (Hz)").turned_left();
        page.write(&title, [self.gap, middle(top, self.plot[1], title.size[1])]);
        self.colour_bar(&mut page, left + self.plot[0] + 2 * self.gap);
        page.rgb
    }

    fn time_axis(&self, page: &mut Page, ticks: &[Tick], end_secs: f64) {
        let [left, top] = self.origin;
        let bottom = top + self.plot[1];
        let is_short = end_secs < 60.0;
        for tick in ticks {
            let x = left + (tick.pixel.round() as usize).min(self.plot[0]);
            let length = if tick.label.is_some() { self.tick } else { self.tick / 2 };
            page.fill([x, bottom], [1, length]);
            if let Some(label) = &tick.label {
                let label = self.text.line(&if is_short { in_seconds(label) } else { label.clone() });
                let from = x.saturating_sub(label.size[0] / 2).min(page.size[0] - label.size[0]);
                page.write(&label, [from, bottom + self.tick + self.gap / 2]);
            }
        }
        let title = self.text.line(if is_short { "Time (s)" } else { "Time (min:s)" });
        let y = page.size[1].saturating_sub(self.gap + self.line);
        page.write(&title, [middle(left, self.plot[0], title.size[0]), y]);
    }

    fn left_tick(&self, page: &mut Page, y: usize, label: Option<&str>) {
        let left = self.origin[0];
        let length = if label.is_some() { self.tick } else { self.tick / 2 };
        page.fill([left.saturating_sub(length), y], [length, 1]);
        if let Some(label) = label {
            let label = self.text.line(label);
            let x = left.saturating_sub(self.tick + self.gap / 2 + label.size[0]);
            page.write(&label, [x, y.saturating_sub(self.line / 2)]);
        }
    }

    /// Draws the colour bar, from the darkest level at the bottom to the brightest.
    fn colour_bar(&self, page: &mut Page, x: usize) {
        let options = &self.options;
        let [top, height] = [self.origin[1], self.plot[1]];
        let width = bar_width(self.line);
        let rows: Vec<u8> = (0..height)
            .flat_map(|row| {
                let part = 1.0 - (row as f32 + 0.5) / height as f32;
                let colour = match options.plane {
                    Plane::Magnitude => options.colormap.rgb(part),
                    Plane::Phase => phase_rgb(part - 0.5),
                };
                colour.repeat(width)
            })
            .collect();
        page.blit(&rows, [x, top], [width, height]);
        page.frame([x, top], [width, height]);
        let (ends, title) = match options.plane {
            Plane::Magnitude => (options.range_db.map(f64::from), "Level (dB)"),
            Plane::Phase => ([-0.5, 0.5], "Phase (turns)"),
        };
        let min = 2.0 * self.line as f64 / height as f64 * (ends[1] - ends[0]);
        let step = DB_STEPS.into_iter().find(|step| *step >= min).unwrap_or(100.0);
        for k in (ends[0] / step).ceil() as i64..=(ends[1] / step).floor() as i64 {
            let at = k as f64 * step;
            let y = top + ((ends[1] - at) / (ends[1] - ends[0]) * height as f64).round() as usize;
            page.fill([x + width, y], [self.tick, 1]);
            let decimals = usize::from(step < 1.0);
            let label = self.text.line(&format!("{at:.decimals$}").replace('-', "\u{2212}"));
            page.write(&label, [x + width + self.tick + self.gap / 2, y.saturating_sub(self.line / 2)]);
        }
        let title = self.text.line(title).turned_left();
        let right = page.size[0] - self.gap - title.size[0];
        page.write(&title, [right, middle(top, height, title.size[1])]);
    }
}

fn bar_width(line: usize) -> usize {
    line
}

/// Start of an item of length `size` centred in a space of length `room` that begins at `from`.
fn middle(from: usize, room: usize, size: usize) -> usize {
    from + (room / 2).saturating_sub(size / 2)
}

/// A label such as `0:07.50` in seconds: `7.50`.
fn in_seconds(label: &str) -> String {
    let Some(secs) = label.strip_prefix("0:") else { return label.to_owned() };
    let trimmed = secs.strip_prefix('0').unwrap_or(secs);
    trimmed.to_owned()
}

/// The pixels of a figure.
struct Page {
    size: [usize; 2],
    rgb: Vec<u8>,
}

impl Page {
    fn blit(&mut self, rgb: &[u8], at: [usize; 2], size: [usize; 2]) {
        for (row, line) in rgb.chunks_exact(3 * size[0]).enumerate() {
            let start = 3 * ((at[1] + row) * self.size[0] + at[0]);
            self.rgb[start..start + line.len()].copy_from_slice(line);
        }
    }

    /// Draws a frame of one pixel around a rectangle.
    fn frame(&mut self, at: [usize; 2], size: [usize; 2]) {
        let [x, y] = [at[0] - 1, at[1] - 1];
        let [width, height] = [size[0] + 2, size[1] + 2];
        self.fill([x, y], [width, 1]);
        self.fill([x, y + height - 1], [width, 1]);
        self.fill([x, y], [1, height]);
        self.fill([x + width - 1, y], [1, height]);
    }

    fn fill(&mut self, at: [usize; 2], size: [usize; 2]) {
        for y in at[1]..(at[1] + size[1]).min(self.size[1]) {
            for x in at[0]..(at[0] + size[0]).min(self.size[0]) {
                let pixel = 3 * (y * self.size[0] + x);
                self.rgb[pixel..pixel + 3].copy_from_slice(&INK);
            }
        }
    }

    fn write(&mut self, line: &TextLine, at: [usize; 2]) {
        let [width, height] = line.size;
        for y in 0..height.min(self.size[1].saturating_sub(at[1])) {
            for x in 0..width.min(self.size[0].saturating_sub(at[0])) {
                let covered = line.coverage[y * width + x];
                let pixel = 3 * ((at[1] + y) * self.size[0] + at[0] + x);
                for (value, ink) in self.rgb[pixel..pixel + 3].iter_mut().zip(INK) {
                    *value = (f32::from(*value) * (1.0 - covered) + f32::from(ink) * covered).round() as u8;
                }
            }
        }
    }
}
