//! SwiftF0: convolutions over rows and frames, which estimate the likelihood of each pitch, and the probability that
//! there is one.

use super::log_spectra::LogSpectra;
use super::{N_ROWS, RANGE_HZ, WINDOWS};
use crate::base::Result;
use crate::dsp::numeric::network::{Activation, Convolution, ConvolutionShape, LayerFrames, WeightReader};

const MAGIC: &[u8; 8] = b"SBSWF0\x01\0";
/// Number of channels of the inner layers, and of the last layer that both outputs share.
const N_CHANNELS: usize = 12;
const N_SHORT: usize = 4;
/// Number of pitches, at equal steps on a log axis; higher rows contain only overtones.
const N_PITCHES: usize = 95;
/// Frames and rows of the kernels of each pair of layers, and their dilation in rows.
const PAIRS: [([usize; 2], usize); 6] =
    [([3, 7], 1), ([1, 7], 17), ([1, 5], 27), ([1, 3], 40), ([1, 3], 48), ([3, 7], 2)];
/// Channels of the confidence layers.
const N_GATE: usize = 16;

/// The network and its weights.
#[derive(Debug)]
pub struct PitchNetwork {
    pub(super) spectra: LogSpectra,
    first: Convolution,
    pairs: Vec<[Convolution; 2]>,
    short: Convolution,
    likelihood: Convolution,
    peaks: Convolution,
    gate: Convolution,
    confidence: Convolution,
}

/// Output of the network for a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FrameOutput {
    /// Fundamental frequency in hertz.
    pub hz: f64,
    /// Probability of a pitch, 0 to 1.
    pub confidence: f64,
}

impl PitchNetwork {
    /// Reads the weights from a file's bytes.
    ///
    /// # Errors
    /// [`Unsupported`](crate::base::ErrorKind::Unsupported) for another file, or a damaged one.
    pub fn read(bytes: &[u8]) -> Result<PitchNetwork> {
        let mut weights = WeightReader::new(bytes, MAGIC)?;
        let spectra = LogSpectra::read(&mut weights)?;
        let [all, short] = [N_CHANNELS, N_SHORT];
        let mut layer = |kernel: [usize; 2], dilation, [n_in, n_out]: [usize; 2], activation| {
            let numbers = weights.tensor(&[n_out, n_in, kernel[0], kernel[1]])?;
            let bias = weights.tensor(&[n_out])?;
            let shape = ConvolutionShape { dilation, ..ConvolutionShape::new(kernel, 1, [n_in, n_out]) };
            Ok::<_, crate::base::Error>(Convolution::new(shape, &numbers, Some(bias), activation))
        };
        let first = layer([3, 3], 1, [WINDOWS.len(), all], Activation::Relu)?;
        let mut pairs = Vec::new();
        for (kernel, dilation) in PAIRS {
            // The output of the second layer is rectified after the residual sum.
            let [inner, outer] = [Activation::Relu, Activation::None];
            pairs.push([layer(kernel, dilation, [all, all], inner)?, layer(kernel, dilation, [all, all], outer)?]);
        }
        let network = PitchNetwork {
            spectra,
            first,
            pairs,
            short: layer([3, 3], 1, [all, short], Activation::Relu)?,
            peaks: layer([1, 5], 1, [short, short], Activation::None)?,
            likelihood: layer([1, 1], 1, [short, 1], Activation::None)?,
            gate: layer([3, 1], 1, [short + 1, N_GATE], Activation::Relu)?,
            confidence: layer([1, 1], 1, [N_GATE, 1], Activation::Sigmoid)?,
        };
        weights.done()?;
        Ok(network)
    }

    /// The result of each frame of the spectrograms; every layer pads both ends with zeros.
    pub(super) fn run(&self, spectra: &LayerFrames) -> Vec<FrameOutput> {
        let mut inner = self.first.run(&spectra.padded(1));
        for ([one, other], ([n_kernel_frames, _], _)) in self.pairs.iter().zip(PAIRS) {
            let pad = |frames: &LayerFrames| if n_kernel_frames == 1 { None } else { Some(frames.padded(1)) };
            let middle = one.run(pad(&inner).as_ref().unwrap_or(&inner));
            let added = other.run(pad(&middle).as_ref().unwrap_or(&middle));
            inner = inner.plus(&added);
            Activation::Relu.apply(inner.values_mut());
        }
        // Includes the row above the highest pitch, which the kernel covers.
        let short = self.short.run(&inner.lowest(N_PITCHES + 1).padded(1)).lowest(N_PITCHES);
        let likelihoods = self.likelihood.run(&short);
        let confidences = self.confidence.run(&self.gate.run(&self.gated(&short, spectra).padded(1)));
        let frames = (0..likelihoods.n_frames()).zip(confidences.values());
        let output = |(frame, confidence): (usize, &f32)| FrameOutput {
            hz: pitch_of(likelihoods.frame(frame)),
            confidence: f64::from(*confidence),
        };
        frames.map(output).collect()
    }

    /// The input of the confidence: the maximum of each peak channel, and the mean of the network's input.
    fn gated(&self, short: &LayerFrames, spectra: &LayerFrames) -> LayerFrames {
        let peaks = self.peaks.run(short);
        let mut values = Vec::with_capacity(peaks.n_frames() * (N_SHORT + 1));
        for frame in 0..peaks.n_frames() {
            for channel in 0..N_SHORT {
                let rows = peaks.frame(frame).iter().skip(channel).step_by(N_SHORT);
                values.push(rows.fold(f32::NEG_INFINITY, |max, value| max.max(*value)));
            }
            let given = spectra.frame(frame);
            let sum: f64 = given.iter().map(|value| f64::from(*value)).sum();
            values.push((sum / (N_ROWS * WINDOWS.len()) as f64) as f32);
        }
        LayerFrames::new([1, N_SHORT + 1], values)
    }
}

/// The mean log frequency of the likeliest pitch and its neighbours, weighted by likelihood.
fn pitch_of(likelihoods: &[f32]) -> f64 {
    let best = likelihoods.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    let best = best.map_or(0, |(at, _)| at);
    let [low, high] = RANGE_HZ.map(f64::ln);
    let log_hz = |at: usize| low + (high - low) * at as f64 / (N_PITCHES - 1) as f64;
    let (mut sum, mut weights) = (0.0, 0.0);
    for at in best.saturating_sub(1)..(best + 2).min(likelihoods.len()) {
        let weight = f64::from(likelihoods[at] - likelihoods[best]).exp();
        (sum, weights) = (sum + weight * log_hz(at), weights + weight);
    }
    (sum / weights).exp()
}
