//! The real FFTs of the STFT against their plain form, `realfft`: bit-identical. The shortest have fewer bins than a
//! vector.

use dsp::FftPlans;
use realfft::{FftError, RealFftPlanner};
use rustfft::num_complex::Complex32;
use support::signals::noise;

fn complex_bits(values: &[Complex32]) -> Vec<[u32; 2]> {
    values.iter().map(|z| [z.re.to_bits(), z.im.to_bits()]).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn both_directions_give_the_bits_of_realfft() {
    let (plans, mut planner) = (FftPlans::default(), RealFftPlanner::<f32>::new());
    let lengths = (1..=14).flat_map(|e| [1 << e, 3 << e]).chain([4, 20, 28, 36, 44, 1_000, 4_410, 4_412]);
    for length in lengths {
        let ours = plans.get(length);
        let (forward, inverse) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
        let samples = noise(length, 0.3, length as u64);
        let [mut own, mut theirs] = [ours.forward.make_output_vec(), forward.make_output_vec()];
        ours.forward.process(&mut samples.clone(), &mut own).unwrap();
        forward.process(&mut samples.clone(), &mut theirs).unwrap();
        assert_eq!(complex_bits(&own), complex_bits(&theirs), "{length} samples, forwards");
        let [mut back, mut back_theirs] = [vec![0.0; length], vec![0.0; length]];
        ours.inverse.process(&mut own, &mut back).unwrap();
        inverse.process(&mut theirs, &mut back_theirs).unwrap();
        assert_eq!(bits(&back), bits(&back_theirs), "{length} samples, back");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_ends_that_are_not_real_are_told() {
    let ffts = FftPlans::default().get(16);
    let (mut samples, mut bins) = (vec![0.5; 16], vec![Complex32::default(); 9]);
    assert!(matches!(ffts.forward.process(&mut samples[..15], &mut bins), Err(FftError::InputBuffer(16, 15))));
    assert!(matches!(ffts.forward.process(&mut samples, &mut bins[..8]), Err(FftError::OutputBuffer(9, 8))));
    bins[8].im = 1.0;
    assert!(matches!(ffts.inverse.process(&mut bins, &mut samples), Err(FftError::InputValues(false, true))));
    assert!(samples.iter().all(|x| *x == 0.0), "as if it were real: {samples:?}");
    // A transform that needs scratch memory.
    let forward = FftPlans::default().get(2_048).forward;
    let short = &mut vec![Complex32::default(); forward.get_scratch_len() - 1];
    let result = forward.process_with_scratch(&mut vec![0.0; 2_048], &mut forward.make_output_vec(), short);
    assert!(matches!(result, Err(FftError::ScratchBuffer(..))), "{result:?}");
}
