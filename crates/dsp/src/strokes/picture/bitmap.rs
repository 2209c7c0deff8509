//! The pixels of a decoded picture.

/// A decoded picture: rows from the top, samples of a pixel interleaved.
#[derive(Debug, Clone, PartialEq)]
pub struct Bitmap {
    size: [usize; 2],
    /// 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
    n_channels: usize,
    samples: BitmapSamples,
}

/// Samples as the file has them: encoded values, not linear light.
#[derive(Debug, Clone, PartialEq)]
pub enum BitmapSamples {
    /// 0 to 255.
    Eight(Vec<u8>),
    /// 0 to 65,535.
    Sixteen(Vec<u16>),
    /// Clamped to 0 to 1 when read; NaN is 0.
    Float(Vec<f32>),
}

impl BitmapSamples {
    fn len(&self) -> usize {
        match self {
            BitmapSamples::Eight(samples) => samples.len(),
            BitmapSamples::Sixteen(samples) => samples.len(),
            BitmapSamples::Float(samples) => samples.len(),
        }
    }

    #[inline(always)]
    fn at(&self, index: usize) -> f64 {
        match self {
            BitmapSamples::Eight(samples) => f64::from(samples[index]) / 255.0,
            BitmapSamples::Sixteen(samples) => f64::from(samples[index]) / 65_535.0,
            BitmapSamples::Float(samples) if samples[index] > 0.0 => f64::from(samples[index]).min(1.0),
            BitmapSamples::Float(_) => 0.0,
        }
    }
}

impl Bitmap {
    /// A picture of `size` (width and height) with 1 to 4 samples per pixel; `None` if the number of samples differs,
    /// or there are no pixels.
    pub fn new(size: [usize; 2], n_channels: usize, samples: BitmapSamples) -> Option<Bitmap> {
        let n_samples = size[0].checked_mul(size[1])?.checked_mul(n_channels)?;
        let fits = (1..=4).contains(&n_channels) && n_samples > 0 && n_samples == samples.len();
        fits.then_some(Bitmap { size, n_channels, samples })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Whether the picture has an alpha channel.
    pub fn has_alpha(&self) -> bool {
        matches!(self.n_channels, 2 | 4)
    }

    /// Samples per pixel.
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// All samples.
    pub fn samples(&self) -> &BitmapSamples {
        &self.samples
    }

    /// Red, green and blue of a pixel, 0 to 1.
    #[inline(always)]
    pub fn colour(&self, x: usize, y: usize) -> [f64; 3] {
        let first = (y * self.size[0] + x) * self.n_channels;
        match self.n_channels {
            1 | 2 => [self.samples.at(first); 3],
            _ => [self.samples.at(first), self.samples.at(first + 1), self.samples.at(first + 2)],
        }
    }

    /// Alpha of a pixel, 0 to 1; 1 in a picture without an alpha channel.
    #[inline(always)]
    pub fn alpha(&self, x: usize, y: usize) -> f64 {
        let last = (y * self.size[0] + x + 1) * self.n_channels - 1;
        if self.has_alpha() { self.samples.at(last) } else { 1.0 }
    }
}
