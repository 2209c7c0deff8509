//! Interpolates a signal at positions a constant distance apart, which need not be a whole number of samples.

use super::filter::{Band, FilterTable, Places, read_places};
use super::stage::Stage;
use std::sync::Arc;

/// Number of phases between two samples for rates that `MAX_DOUBLINGS` doublings do not make whole. Positions are off
/// by less than a thousandth of a sample after a billion samples.
const FINE_PHASES: u64 = 1 << 40;
/// Maximum number of doublings to make a rate a whole number.
const MAX_DOUBLINGS: i32 = 16;

/// Converts one rate to another; the first output sample is at the position of the first input sample.
pub(super) struct Placing {
    table: Arc<FilterTable>,
    next: Places,
    /// Input of each channel that is needed for later positions.
    held: Vec<Vec<f32>>,
    made: Vec<f32>,
}

impl Placing {
    pub(super) fn new(band: Band, from_hz: f64, to_hz: f64, n_channels: usize) -> Placing {
        let [n_phases, step] = whole_ratio(to_hz, from_hz);
        let table = FilterTable::of(band, n_phases);
        // The sound is preceded by silence.
        let at = table.reach - 1;
        let next = Places { at, phase: 0, step: [step / n_phases, step % n_phases] };
        Placing { next, held: vec![vec![0.0; at]; n_channels], made: Vec::new(), table }
    }
}

impl Stage for Placing {
    fn n_wanted(&self, n: usize) -> usize {
        let Some(n_steps) = n.checked_sub(1) else { return 0 };
        let Places { at, phase, step } = self.next;
        let n_steps = n_steps as u128;
        let phases = u128::from(phase) + n_steps * u128::from(step[1]);
        let last = at as u128 + n_steps * u128::from(step[0]) + phases / u128::from(self.table.n_phases);
        (last as usize + self.table.reach + 1).saturating_sub(self.held.first().map_or(0, Vec::len))
    }

    fn input(&mut self, channel: usize) -> &mut Vec<f32> {
        &mut self.held[channel]
    }

    fn run(&mut self, n: usize, give: &mut dyn FnMut(usize, &[f32])) {
        let mut next = self.next;
        for (channel, held) in self.held.iter().enumerate() {
            self.made.clear();
            next = read_places(&self.table, held, self.next, n, &mut self.made);
            give(channel, &self.made);
        }
        let before = self.table.reach - 1;
        self.held.iter_mut().for_each(|held| drop(held.drain(..next.at - before)));
        self.next = Places { at: before, ..next };
    }

    fn table_bytes(&self) -> usize {
        self.table.bytes()
    }
}

/// Two whole numbers in the ratio of two rates, without a common divisor; for rates with too many binary digits after
/// the point, an approximation whose first number is 2^40.
pub fn whole_ratio(a: f64, b: f64) -> [u64; 2] {
    let is_whole = |n: f64| n.fract() == 0.0 && n < (1u64 << f64::MANTISSA_DIGITS) as f64;
    let scaled = |doublings: i32| [a, b].map(|rate| rate * f64::from(doublings).exp2());
    match (0..=MAX_DOUBLINGS).map(scaled).find(|&[a, b]| is_whole(a) && is_whole(b)) {
        Some(whole) => {
            let [a, b] = whole.map(|n| n as u64);
            let (mut divisor, mut rest) = (a, b);
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
            [a / divisor, b / divisor]
        }
        None => [FINE_PHASES, (b / a * FINE_PHASES as f64).round() as u64],
    }
}
