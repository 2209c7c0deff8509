//! Real FFTs of lengths divisible by four, by a complex one of half the length: bit-identical to `realfft`, whose step
//! between real and complex takes longer than the complex transform.

mod halves;

use halves::{Twiddles, join, pack, separate, unpack};
use realfft::{ComplexToReal, FftError, RealToComplex};
use rustfft::num_complex::Complex32;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

/// Both directions of an FFT of `length` values, a multiple of four.
pub fn real_ffts(length: usize) -> (Arc<dyn RealToComplex<f32>>, Arc<dyn ComplexToReal<f32>>) {
    let mut planner = FftPlanner::new();
    let [forward, inverse] = [planner.plan_fft_forward(length / 2), planner.plan_fft_inverse(length / 2)];
    let forward = HalfLength { length, twiddles: Twiddles::new(length, -1.0, 0.5), fft: forward };
    let inverse = HalfLength { length, twiddles: Twiddles::new(length, 1.0, 1.0), fft: inverse };
    (Arc::new(Forward(forward)), Arc::new(Inverse(inverse)))
}

/// One direction of a transform of `length` real values.
struct HalfLength {
    length: usize,
    twiddles: Twiddles,
    /// Complex FFT of half the length.
    fft: Arc<dyn Fft<f32>>,
}

impl HalfLength {
    fn n_bins(&self) -> usize {
        self.length / 2 + 1
    }

    fn scratch_len(&self) -> usize {
        self.fft.get_inplace_scratch_len()
    }
}

/// Checks the lengths of buffers, each pair the length given and the length required.
fn check(input: [usize; 2], output: [usize; 2], scratch: [usize; 2]) -> Result<(), FftError> {
    match () {
        () if input[0] != input[1] => Err(FftError::InputBuffer(input[1], input[0])),
        () if output[0] != output[1] => Err(FftError::OutputBuffer(output[1], output[0])),
        () if scratch[0] < scratch[1] => Err(FftError::ScratchBuffer(scratch[1], scratch[0])),
        () => Ok(()),
    }
}

struct Forward(HalfLength);

impl RealToComplex<f32> for Forward {
    fn process(&self, input: &mut [f32], output: &mut [Complex32]) -> Result<(), FftError> {
        self.process_with_scratch(input, output, &mut self.make_scratch_vec())
    }

    fn process_with_scratch(
        &self,
        input: &mut [f32],
        output: &mut [Complex32],
        scratch: &mut [Complex32],
    ) -> Result<(), FftError> {
        let Forward(plan) = self;
        let n_scratch = [scratch.len(), plan.scratch_len()];
        check([input.len(), plan.length], [output.len(), plan.n_bins()], n_scratch)?;
        let half = plan.length / 2;
        pack(input, &mut output[..half]);
        plan.fft.process_with_scratch(&mut output[..half], scratch);
        // DC and Nyquist are real, and the middle bin is its own counterpart.
        let first = output[0];
        (output[0], output[half]) =
            (Complex32::new(first.re + first.im, 0.0), Complex32::new(first.re - first.im, 0.0));
        let (low, high) = output[1..half].split_at_mut(half / 2);
        separate(&plan.twiddles, &mut low[..half / 2 - 1], high);
        low[half / 2 - 1].im *= -1.0;
        Ok(())
    }

    fn get_scratch_len(&self) -> usize {
        self.0.scratch_len()
    }

    fn len(&self) -> usize {
        self.0.length
    }

    fn make_input_vec(&self) -> Vec<f32> {
        vec![0.0; self.0.length]
    }

    fn make_output_vec(&self) -> Vec<Complex32> {
        vec![Complex32::default(); self.0.n_bins()]
    }

    fn make_scratch_vec(&self) -> Vec<Complex32> {
        vec![Complex32::default(); self.0.scratch_len()]
    }
}

struct Inverse(HalfLength);

impl ComplexToReal<f32> for Inverse {
    fn process(&self, input: &mut [Complex32], output: &mut [f32]) -> Result<(), FftError> {
        self.process_with_scratch(input, output, &mut self.make_scratch_vec())
    }

    fn process_with_scratch(
        &self,
        input: &mut [Complex32],
        output: &mut [f32],
        scratch: &mut [Complex32],
    ) -> Result<(), FftError> {
        let Inverse(plan) = self;
        let n_scratch = [scratch.len(), plan.scratch_len()];
        check([input.len(), plan.n_bins()], [output.len(), plan.length], n_scratch)?;
        let half = plan.length / 2;
        let are_complex = [0, half].map(|end| input[end].im != 0.0);
        [0, half].into_iter().for_each(|end| input[end].im = 0.0);
        let (sum, difference) = (input[0] + input[half], input[0] - input[half]);
        input[0] = Complex32::new(sum.re - sum.im, difference.re - difference.im);
        let (low, high) = input[1..half].split_at_mut(half / 2);
        join(&plan.twiddles, &mut low[..half / 2 - 1], high);
        let halfway = &mut low[half / 2 - 1];
        *halfway = (*halfway + *halfway).conj();
        plan.fft.process_with_scratch(&mut input[..half], scratch);
        unpack(&input[..half], output);
        if are_complex == [false; 2] { Ok(()) } else { Err(FftError::InputValues(are_complex[0], are_complex[1])) }
    }

    fn get_scratch_len(&self) -> usize {
        self.0.scratch_len()
    }

    fn len(&self) -> usize {
        self.0.length
    }

    fn make_input_vec(&self) -> Vec<Complex32> {
        vec![Complex32::default(); self.0.n_bins()]
    }

    fn make_output_vec(&self) -> Vec<f32> {
        vec![0.0; self.0.length]
    }

    fn make_scratch_vec(&self) -> Vec<Complex32> {
        vec![Complex32::default(); self.0.scratch_len()]
    }
}
