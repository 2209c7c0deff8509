//! Image files of a view, for `sonobrush image`.

use super::colormap::Colormap;
use super::figure::{Figure, FigureOptions};
use super::picture::{PictureSpec, Plane, db_from_amplitude, picture};
use crate::analysis::{Analysis, ChannelView, grid_of};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::coordinates::Limits;
use crate::document::Snapshot;
use crate::dsp::{Axis, Transform};
use crate::engine::Plans;
use crate::levels::footprint::CellStyle;
use crate::media::picture::write_picture;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, ImageResult};
use std::path::Path;

/// Parameters of `sonobrush image`.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageOptions {
    /// The displayed plane.
    pub plane: Plane,
    /// Frequency axis.
    pub axis: Axis,
    /// Colours of the magnitude.
    pub colormap: Colormap,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// Whether to blend the levels of cells larger than about three pixels; phases are never blended.
    pub smooth: bool,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Time range in seconds; `None` is the whole sound.
    pub secs: Option<[f64; 2]>,
    /// Frequency range in hertz; `None` is the full range, from 20 Hz on a log axis.
    pub hz: Option<[f64; 2]>,
    /// The displayed channels.
    pub channels: ChannelView,
    /// The transform; `None` is the studio's default for the sample rate.
    pub transform: Option<Transform>,
    /// Cells instead of colours: 16-bit RGBA, one pixel per cell. Red is the level from the darkest to the brightest,
    /// green the phase from -pi to pi, blue 0, alpha 1; the top row is Nyquist. Shows the full spectrum of one channel,
    /// the first for `All`; size, axis and `smooth` are ignored.
    pub raw: bool,
    /// Axes, ticks and a colour bar around the picture, within `size`; not allowed with `raw`.
    pub axes: Option<Axes>,
}

/// Appearance of the axes around a picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Axes {
    /// Height of a line of text in pixels; `None` is a 36th of the picture's height, but at least 11.
    pub text_px: Option<f32>,
}

impl Default for ImageOptions {
    fn default() -> ImageOptions {
        ImageOptions {
            plane: Plane::Magnitude,
            axis: Axis::Log,
            colormap: Colormap::Viridis,
            range_db: [-100.0, 0.0],
            smooth: false,
            size: [1280, 640],
            secs: None,
            hz: None,
            channels: ChannelView::All,
            transform: None,
            raw: false,
            axes: None,
        }
    }
}

/// A finished image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// RGB, 8 bits.
    Colours {
        /// Width and height.
        size: [u32; 2],
        /// Rows from the top, 3 bytes per pixel.
        rgb: Vec<u8>,
    },
    /// RGBA, 16 bits.
    Raw {
        /// Frames and bins.
        size: [u32; 2],
        /// Rows from the top, 4 values per pixel.
        rgba: Vec<u16>,
    },
}

/// Maximum width and height of an image, in pixels.
const MAX_SIDE: usize = 32_768;
/// Maximum number of pixels of an image: some 300 MB while it is computed.
const MAX_PIXELS: usize = 100_000_000;

/// Maximum number of cells of a raw image: half a gigabyte in memory.
const MAX_RAW_CELLS: usize = 1 << 26;

/// Frames analysed at a time.
const RUN_FRAMES: usize = 256;

/// Renders an image of a snapshot.
///
/// # Errors
/// For a channel that does not exist, an empty range, an excessive size or an invalid transform;
/// [`Cancelled`](ErrorKind::Cancelled).
pub fn render_image(snapshot: &Snapshot, options: &ImageOptions, progress: &Progress) -> Result<Image> {
    let transform = match &options.transform {
        Some(transform) => transform.clone().validated_at(snapshot.sample_rate_hz())?,
        None => Transform::for_rate(snapshot.sample_rate_hz()),
    };
    let [dark, bright] = options.range_db;
    if !(dark.is_finite() && bright.is_finite() && dark < bright) {
        return refuse(format!("the range {dark},{bright} dB must go from a lower to a higher level"));
    }
    if let Some([from, to]) = options.secs
        && !(from >= 0.0 && from < to && to.is_finite())
    {
        return refuse(format!("the time {from},{to} is not a range in seconds"));
    }
    if options.raw {
        raw(snapshot, options, &transform, progress)
    } else {
        colours(snapshot, options, transform, progress)
    }
}

fn refuse<T>(what: String) -> Result<T> {
    Err(Error::new(ErrorKind::Unsupported, what))
}

fn colours(snapshot: &Snapshot, options: &ImageOptions, transform: Transform, progress: &Progress) -> Result<Image> {
    let [width, height] = options.size;
    if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
        return refuse(format!("a size of {width}x{height} must be between 1x1 and {MAX_SIDE}x{MAX_SIDE}"));
    }
    if width * height > MAX_PIXELS {
        return refuse(format!("an image of {width}x{height} has more than {} million pixels", MAX_PIXELS / 1_000_000));
    }
    let figure = options.axes.map(|axes| Figure::new(figure_options(options, axes))).transpose()?;
    let duration_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    let limits = Limits { duration_secs, nyquist_hz: snapshot.sample_rate_hz() / 2.0, min_secs: 0.0, min_hz: 0.0 };
    let all_hz = limits.all_hz(options.axis);
    let [low, high] = options.hz.unwrap_or(all_hz);
    if !(low >= 0.0 && low < high && high.is_finite()) {
        return refuse(format!("the band {low},{high} is not a range in hertz"));
    }
    // A log axis has no 0 Hz.
    let hz = [if options.axis == Axis::Log && low <= 0.0 { all_hz[0].min(high / 2.0) } else { low }, high];
    let spec = PictureSpec {
        secs: options.secs.unwrap_or([0.0, duration_secs.max(f64::MIN_POSITIVE)]),
        hz,
        axis: options.axis,
        transform,
        channels: options.channels,
        plane: options.plane,
        colormap: options.colormap,
        range_db: options.range_db,
        raw_phase: false,
        cells: CellStyle::new(options.smooth, 1.0),
        size: figure.as_ref().map_or(options.size, Figure::plot_size),
    };
    let picture = picture(snapshot, &spec, progress)?;
    if let Some(figure) = figure {
        let rgb = figure.around(&picture.rgb, spec.secs, spec.hz);
        return Ok(Image::Colours { size: options.size.map(|side| side as u32), rgb });
    }
    Ok(Image::Colours { size: picture.size.map(|side| side as u32), rgb: picture.rgb })
}

fn figure_options(options: &ImageOptions, axes: Axes) -> FigureOptions {
    FigureOptions {
        size: options.size,
        text_px: axes.text_px,
        axis: options.axis,
        plane: options.plane,
        colormap: options.colormap,
        range_db: options.range_db,
    }
}

fn raw(snapshot: &Snapshot, options: &ImageOptions, transform: &Transform, progress: &Progress) -> Result<Image> {
    let grid = grid_of(snapshot, transform);
    let frames = match options.secs {
        None => 0..grid.n_frames(),
        Some([from, to]) => {
            let first = grid.frame_from_secs(from).ceil().min(grid.n_frames() as f64 - 1.0) as usize;
            let last = grid.frame_from_secs(to).floor().min(grid.n_frames() as f64 - 1.0) as usize;
            first..last.max(first) + 1
        }
    };
    let (width, height) = (frames.len(), grid.n_bins());
    if width * height > MAX_RAW_CELLS {
        let what = format!("a raw image of {width} x {height} cells is too large; choose a shorter time");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let channels = if options.channels == ChannelView::All { ChannelView::One(0) } else { options.channels };
    let analysis = Analysis::new(snapshot, channels, Plans::default().view(transform, snapshot.sample_rate_hz())?)?;
    let scale = analysis.amplitude_scale();
    let [dark, bright] = options.range_db;
    let to_16 = |part: f32| (part.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16;
    let mut rgba = vec![0u16; 4 * width * height];
    for start in frames.clone().step_by(RUN_FRAMES) {
        progress.step((start - frames.start) as u64, width as u64)?;
        let region = analysis.region(start..(start + RUN_FRAMES).min(frames.end))?;
        for frame in region.rect.frames.clone() {
            for bin in 0..height {
                let cell = region.index(frame, bin);
                let pixel = 4 * ((height - 1 - bin) * width + frame - frames.start);
                let level = (db_from_amplitude(region.magnitude[cell] * scale.of(bin)) - dark) / (bright - dark);
                rgba[pixel..pixel + 4].copy_from_slice(&[to_16(level), to_16(region.phase[cell] + 0.5), 0, u16::MAX]);
            }
        }
    }
    Ok(Image::Raw { size: [width as u32, height as u32], rgba })
}

/// Writes an image as PNG, atomically.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn write_png(path: &Path, image: &Image) -> Result<()> {
    write_picture(path, |out| encode(image, PngEncoder::new(out)))
}

/// Encodes an image as PNG.
///
/// # Errors
/// [`Internal`](ErrorKind::Internal) if the encoder fails.
pub fn png_bytes(image: &Image) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    encode(image, PngEncoder::new(&mut bytes))
        .map_err(|error| Error::new(ErrorKind::Internal, format!("a picture could not be encoded: {error}")))?;
    Ok(bytes)
}

fn encode(image: &Image, encoder: impl ImageEncoder) -> ImageResult<()> {
    match image {
        Image::Colours { size, rgb } => encoder.write_image(rgb, size[0], size[1], ExtendedColorType::Rgb8),
        Image::Raw { size, rgba } => {
            encoder.write_image(bytemuck::cast_slice(rgba), size[0], size[1], ExtendedColorType::Rgba16)
        }
    }
}

/// Decodes an 8-bit PNG file, such as [`write_png`] writes, to its width and height and RGB bytes.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed).
pub fn colours_from_png(bytes: &[u8]) -> Result<([usize; 2], Vec<u8>)> {
    let read = image::load_from_memory_with_format(bytes, image::ImageFormat::Png)
        .map_err(|_| Error::new(ErrorKind::Malformed, "is not an image that can be shown, or is damaged"))?;
    let rgb = read.into_rgb8();
    Ok(([rgb.width() as usize, rgb.height() as usize], rgb.into_raw()))
}
