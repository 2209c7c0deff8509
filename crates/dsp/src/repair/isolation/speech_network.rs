//! DeepFilterNet3: an encoder, a decoder of gains and one of filters.

use super::{N_BANDS, N_FILTERED, N_TAPS};
use crate::base::Result;
use crate::dsp::numeric::network::{
    Activation, ChannelScale, Convolution, ConvolutionShape, Depthwise, DepthwiseStep, GroupedProduct, Gru,
    LayerFrames, WeightReader,
};

const MAGIC: &[u8; 8] = b"SBDFN3\x01\0";
/// Number of channels of inner layers, and of values in the state of a recurrent layer.
const N_CHANNELS: usize = 64;
const N_HIDDEN: usize = 256;
/// Number of values per filter: a complex one for each tap.
const N_FILTER: usize = 2 * N_TAPS;
/// Number of values that the encoder passes to the decoders.
const N_CODE: usize = 512;
/// Range of the estimated local signal-to-noise ratio, in dB.
const MIN_SNR_DB: f32 = -15.0;
const SNR_RANGE_DB: f32 = 50.0;

/// The network and its weights.
#[derive(Debug)]
pub struct SpeechNetwork {
    encoder: Encoder,
    gains: GainDecoder,
    filters: FilterDecoder,
}

/// Input of the network for some frames.
#[derive(Debug, Clone)]
pub struct SpeechFeatures {
    /// Levels of the bands.
    pub bands: LayerFrames,
    /// The filtered bins, real and imaginary.
    pub bins: LayerFrames,
}

/// Output of the network for a block of frames, delayed by two frames.
#[derive(Debug, Clone)]
pub struct SpeechOutput {
    /// Gains of the bands.
    pub gains: LayerFrames,
    /// Filters of the filtered bins: real and imaginary part of each tap.
    pub filters: LayerFrames,
    /// The local signal-to-noise ratio, in dB.
    pub snr_db: Vec<f32>,
}

/// State between blocks.
#[derive(Debug, Clone)]
pub struct SpeechState {
    encoder: EncoderState,
    /// States of the recurrent layers for gains and for filters.
    gains: [Vec<f32>; 2],
    filters: [Vec<f32>; 2],
    /// The last four frames of the filter pathway's input, as context for the next block.
    pathway: LayerFrames,
}

#[derive(Debug, Clone)]
struct EncoderState {
    bands: LayerFrames,
    bins: LayerFrames,
    hidden: Vec<f32>,
}

impl SpeechNetwork {
    /// Reads the weights.
    ///
    /// # Errors
    /// [`Unsupported`](crate::base::ErrorKind::Unsupported) for bytes that do not belong to this network.
    pub fn read(bytes: &[u8]) -> Result<SpeechNetwork> {
        let mut reader = WeightReader::new(bytes, MAGIC)?;
        let network = SpeechNetwork {
            encoder: Encoder::read(&mut reader)?,
            gains: GainDecoder::read(&mut reader)?,
            filters: FilterDecoder::read(&mut reader)?,
        };
        reader.done()?;
        Ok(network)
    }

    /// The state before the first frame.
    pub fn first_state(&self) -> SpeechState {
        SpeechState {
            encoder: EncoderState {
                bands: LayerFrames::zeros(2, [N_BANDS, 1]),
                bins: LayerFrames::zeros(2, [N_FILTERED, 2]),
                hidden: self.encoder.gru.first_state(),
            },
            gains: self.gains.grus.each_ref().map(Gru::first_state),
            filters: self.filters.grus.each_ref().map(Gru::first_state),
            pathway: LayerFrames::zeros(4, [N_FILTERED, N_CHANNELS]),
        }
    }

    /// Runs a block of frames of any length; the result is bit-identical to that of one large block.
    pub fn run(&self, state: &mut SpeechState, features: &SpeechFeatures) -> SpeechOutput {
        let encoded = self.encoder.run(&mut state.encoder, features);
        let (gains, filters) = rayon::join(
            || self.gains.run(&mut state.gains, &encoded),
            || self.filters.run(&mut state.filters, &mut state.pathway, &encoded),
        );
        SpeechOutput { gains, filters, snr_db: encoded.snr_db }
    }

    /// Computes only the local signal-to-noise ratios, in dB: half the work. Afterwards, `state` is valid only for
    /// further calls of this function.
    pub fn snr_db(&self, state: &mut SpeechState, features: &SpeechFeatures) -> Vec<f32> {
        self.encoder.run(&mut state.encoder, features).snr_db
    }
}

/// A depthwise convolution over bands, then a pointwise product over channels.
#[derive(Debug)]
struct Separable {
    depthwise: Depthwise,
    pointwise: GroupedProduct,
}

impl Separable {
    fn read(reader: &mut WeightReader<'_>, step: DepthwiseStep) -> Result<Separable> {
        let depthwise = Depthwise::new(step, &reader.tensor(&[N_CHANNELS, 1, 1, 3])?);
        Ok(Separable { depthwise, pointwise: pointwise(reader, N_CHANNELS)? })
    }

    fn run(&self, input: &LayerFrames) -> LayerFrames {
        self.pointwise.run(&self.depthwise.run(input))
    }
}

/// A product over channels with a bias and a ReLU.
fn pointwise(reader: &mut WeightReader<'_>, n: usize) -> Result<GroupedProduct> {
    let (weights, bias) = (reader.tensor(&[n, n, 1, 1])?, reader.tensor(&[n])?);
    let weight = |_: usize, input: usize, output: usize| weights[output * n + input];
    Ok(GroupedProduct::new([1, n, n], weight, Some(bias), Activation::Relu))
}

/// A product in groups without a bias.
fn grouped(reader: &mut WeightReader<'_>, sizes: [usize; 3], activation: Activation) -> Result<GroupedProduct> {
    let weights = reader.tensor(&sizes)?;
    let [_, n_in, n_out] = sizes;
    let weight = |group: usize, input: usize, output: usize| weights[(group * n_in + input) * n_out + output];
    Ok(GroupedProduct::new(sizes, weight, None, activation))
}

/// A linear layer with a bias and a single output.
fn single(reader: &mut WeightReader<'_>, n_in: usize, activation: Activation) -> Result<GroupedProduct> {
    let (weights, bias) = (reader.tensor(&[n_in, 1])?, reader.tensor(&[1])?);
    Ok(GroupedProduct::new([1, n_in, 1], |_, input, _| weights[input], Some(bias), activation))
}

fn gru(reader: &mut WeightReader<'_>) -> Result<Gru> {
    let n_gates = 3 * N_HIDDEN;
    let [input, state] = [reader.tensor(&[1, n_gates, N_HIDDEN])?, reader.tensor(&[1, n_gates, N_HIDDEN])?];
    Ok(Gru::new([N_HIDDEN; 2], &input, &state, &reader.tensor(&[1, 2 * n_gates])?))
}

fn convolution(
    reader: &mut WeightReader<'_>,
    shape: ConvolutionShape,
    has_bias: bool,
    activation: Activation,
) -> Result<Convolution> {
    let [n_in, n_out] = shape.n_channels;
    let weights = reader.tensor(&[n_out, n_in / shape.n_groups, shape.kernel[0], shape.kernel[1]])?;
    let bias = if has_bias { Some(reader.tensor(&[n_out])?) } else { None };
    Ok(Convolution::new(shape, &weights, bias, activation))
}

#[derive(Debug)]
struct Encoder {
    bands: Convolution,
    band_layers: [Separable; 3],
    bins: Convolution,
    bins_mixed: GroupedProduct,
    bins_halved: Separable,
    from_bins: GroupedProduct,
    before_gru: GroupedProduct,
    gru: Gru,
    after_gru: GroupedProduct,
    snr: GroupedProduct,
}

/// Output of the encoder.
struct Encoded {
    /// Output for the bands, after each layer.
    bands: [LayerFrames; 4],
    bins: LayerFrames,
    code: LayerFrames,
    snr_db: Vec<f32>,
}

impl Encoder {
    fn read(reader: &mut WeightReader<'_>) -> Result<Encoder> {
        let bands = ConvolutionShape::new([3, 3], 1, [1, N_CHANNELS]);
        let bins = ConvolutionShape::new([3, 3], 2, [2, N_CHANNELS]);
        Ok(Encoder {
            bands: convolution(reader, bands, true, Activation::Relu)?,
            band_layers: [
                Separable::read(reader, DepthwiseStep::Halved)?,
                Separable::read(reader, DepthwiseStep::Halved)?,
                Separable::read(reader, DepthwiseStep::Same)?,
            ],
            bins: convolution(reader, bins, false, Activation::None)?,
            bins_mixed: pointwise(reader, N_CHANNELS)?,
            bins_halved: Separable::read(reader, DepthwiseStep::Halved)?,
            from_bins: grouped(reader, [32, 96, 16], Activation::Relu)?,
            before_gru: grouped(reader, [16, 32, 16], Activation::Relu)?,
            gru: gru(reader)?,
            after_gru: grouped(reader, [16, 16, 32], Activation::Relu)?,
            snr: single(reader, N_CODE, Activation::Sigmoid)?,
        })
    }

    fn run(&self, state: &mut EncoderState, features: &SpeechFeatures) -> Encoded {
        let e0 = self.bands.run(&features.bands.behind(&mut state.bands));
        let e1 = self.band_layers[0].run(&e0);
        let e2 = self.band_layers[1].run(&e1);
        let e3 = self.band_layers[2].run(&e2);
        let bins = self.bins_mixed.run(&self.bins.run(&features.bins.behind(&mut state.bins)));
        let from_bins = self.from_bins.run(&self.bins_halved.run(&bins));
        let before = self.before_gru.run(&from_bins.plus(&e3));
        let code = self.after_gru.run(&self.gru.run(&mut state.hidden, &before));
        let snr = self.snr.run(&code);
        let snr_db = snr.values().iter().map(|snr| SNR_RANGE_DB * snr + MIN_SNR_DB).collect();
        Encoded { bands: [e0, e1, e2, e3], bins, code, snr_db }
    }
}

#[derive(Debug)]
struct GainDecoder {
    before_grus: GroupedProduct,
    grus: [Gru; 2],
    after_grus: GroupedProduct,
    /// From the fewest bands to the most: the skip connection from the encoder, and the layer after it.
    layers: [(ChannelScale, Separable); 3],
    last: (ChannelScale, Convolution),
}

impl GainDecoder {
    fn read(reader: &mut WeightReader<'_>) -> Result<GainDecoder> {
        let (before_grus, grus) = (grouped(reader, [16, 32, 16], Activation::Relu)?, [gru(reader)?, gru(reader)?]);
        let after_grus = grouped(reader, [16, 16, 32], Activation::Relu)?;
        let scale = |reader: &mut WeightReader<'_>| -> Result<ChannelScale> {
            Ok(ChannelScale::new(reader.tensor(&[N_CHANNELS, 1, 1, 1])?, reader.tensor(&[N_CHANNELS])?))
        };
        let layers = [
            (scale(reader)?, Separable::read(reader, DepthwiseStep::Same)?),
            (scale(reader)?, Separable::read(reader, DepthwiseStep::Doubled)?),
            (scale(reader)?, Separable::read(reader, DepthwiseStep::Doubled)?),
        ];
        let shape = ConvolutionShape::new([1, 3], 1, [N_CHANNELS, 1]);
        let last = (scale(reader)?, convolution(reader, shape, true, Activation::Sigmoid)?);
        Ok(GainDecoder { before_grus, grus, after_grus, layers, last })
    }

    fn run(&self, states: &mut [Vec<f32>; 2], encoded: &Encoded) -> LayerFrames {
        let mut hidden = self.before_grus.run(&encoded.code);
        for (gru, state) in self.grus.iter().zip(states) {
            hidden = gru.run(state, &hidden);
        }
        let [e0, e1, e2, e3] = &encoded.bands;
        let mut cells = self.after_grus.run(&hidden).shaped([e3.n_bands(), N_CHANNELS]);
        for ((scale, layer), of_encoder) in self.layers.iter().zip([e3, e2, e1]) {
            cells = layer.run(&scale.run(of_encoder).plus(&cells));
        }
        let (scale, last) = &self.last;
        last.run(&scale.run(e0).plus(&cells))
    }
}

#[derive(Debug)]
struct FilterDecoder {
    before_grus: GroupedProduct,
    grus: [Gru; 2],
    beside_grus: GroupedProduct,
    pathway: Convolution,
    pathway_mixed: GroupedProduct,
    filters: GroupedProduct,
}

impl FilterDecoder {
    fn read(reader: &mut WeightReader<'_>) -> Result<FilterDecoder> {
        let (before_grus, grus) = (grouped(reader, [8, 64, 32], Activation::Relu)?, [gru(reader)?, gru(reader)?]);
        let beside_grus = grouped(reader, [16, 32, 16], Activation::None)?;
        // A layer that the published network contains but does not use.
        single(reader, N_HIDDEN, Activation::Sigmoid)?;
        let shape = ConvolutionShape::new([5, 1], 2, [N_CHANNELS, N_FILTER]);
        Ok(FilterDecoder {
            before_grus,
            grus,
            beside_grus,
            pathway: convolution(reader, shape, false, Activation::None)?,
            pathway_mixed: pointwise(reader, N_FILTER)?,
            filters: grouped(reader, [16, 16, 60], Activation::Tanh)?,
        })
    }

    fn run(&self, states: &mut [Vec<f32>; 2], before: &mut LayerFrames, encoded: &Encoded) -> LayerFrames {
        let mut hidden = self.before_grus.run(&encoded.code);
        for (gru, state) in self.grus.iter().zip(states) {
            hidden = gru.run(state, &hidden);
        }
        let hidden = hidden.plus(&self.beside_grus.run(&encoded.code));
        let pathway = self.pathway_mixed.run(&self.pathway.run(&encoded.bins.behind(before)));
        self.filters.run(&hidden).shaped([N_FILTERED, N_FILTER]).plus(&pathway)
    }
}
