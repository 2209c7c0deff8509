//! Attacks of drums, and how far from its place each one lies.

/// Levels in dB of each quarter of a millisecond, taken over a millisecond, of the high frequencies of all channels:
/// there an attack is sharp, and no period of a bass drum looks like one.
pub fn envelope(x: &[Vec<f32>], rate: f64) -> Vec<f64> {
    let sum: Vec<f32> = (0..x[0].len()).map(|k| x.iter().map(|channel| channel[k]).sum()).collect();
    let highs: Vec<f64> = sum.windows(3).map(|x| f64::from(x[0] - 2.0 * x[1] + x[2]).powi(2)).collect();
    let step = 0.00025 * rate;
    let level = |i: usize| {
        let at = (i as f64 * step) as usize;
        let energy: f64 =
            highs[at.saturating_sub((2.0 * step) as usize)..highs.len().min(at + (2.0 * step) as usize)].iter().sum();
        10.0 * (energy + 1e-9).log10()
    };
    (0..(highs.len() as f64 / step) as usize).map(level).collect()
}

/// Places in an envelope where 5 ms are 12 dB louder than the 5 ms before, the steepest within 40 ms.
pub fn attacks(levels: &[f64]) -> Vec<usize> {
    let mean = |range: std::ops::Range<usize>| levels[range.clone()].iter().sum::<f64>() / range.len() as f64;
    let rise = |at: usize| mean(at..at + 20) - mean(at - 20..at);
    let loudest = levels.iter().copied().fold(f64::MIN, f64::max);
    let is_attack = |at: &usize| {
        let max = (at.saturating_sub(160)..at + 160).filter(|at| *at >= 20).map(rise).fold(0.0, f64::max);
        rise(*at) > 12.0 && rise(*at) == max && mean(*at..at + 20) > loudest - 30.0
    };
    let mut found: Vec<usize> = (100..levels.len() - 200).filter(is_attack).collect();
    found.dedup_by(|next, before| *next < *before + 200);
    found
}

/// How far from `wanted` an attack lies that lay at `at`, in milliseconds: the shift within 20 ms at which the levels
/// around it are most alike.
pub fn distance_ms(before: &[f64], at: usize, after: &[f64], wanted: f64) -> f64 {
    let mine = &before[at - 40..at + 40];
    let alike = |from: usize| {
        let theirs = &after[from..from + mine.len()];
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let (a, b) = (mean(mine), mean(theirs));
        let sum = |f: &dyn Fn(f64, f64) -> f64| mine.iter().zip(theirs).map(|(x, y)| f(x - a, y - b)).sum::<f64>();
        sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt().max(1e-9)
    };
    let first = (wanted.round() as usize).saturating_sub(40);
    let places = first.saturating_sub(80)..(first + 80).min(after.len() - mine.len());
    let best = places.max_by(|a, b| alike(*a).total_cmp(&alike(*b))).unwrap();
    ((best + 40) as f64 - wanted).abs() / 4.0
}
