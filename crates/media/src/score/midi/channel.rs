//! The state of a MIDI channel, and the changes of its pitch, level and pan over time.

use std::collections::VecDeque;
use std::f64::consts::{FRAC_PI_2, SQRT_2};

/// Number of keys of a channel.
pub const N_KEYS: usize = 128;

const DATA_ENTRY: u8 = 6;
const VOLUME: u8 = 7;
const PAN: u8 = 10;
const EXPRESSION: u8 = 11;
const DATA_ENTRY_FINE: u8 = 38;
const NRPN: [u8; 2] = [98, 99];
const RPN_FINE: u8 = 100;
const RPN_COARSE: u8 = 101;
const RESET: u8 = 121;
/// Target of data entry while no parameter is selected.
const NO_PARAMETER: [u8; 2] = [127, 127];
const BEND_RANGE: [u8; 2] = [0, 0];
const FINE_TUNING: [u8; 2] = [0, 1];
const COARSE_TUNING: [u8; 2] = [0, 2];

/// Default volume of a channel, at which a note has the level of the score.
const DEFAULT_VOLUME: u8 = 100;
const CENTRE: u8 = 64;
/// Default range of the pitch bend in semitones.
const DEFAULT_BEND_SEMITONES: f64 = 2.0;

/// A value of a channel over time; each change applies until the next one.
#[derive(Debug)]
pub struct ChannelChanges<const N: usize> {
    before: [f64; N],
    changes: Vec<(f64, [f64; N])>,
}

impl<const N: usize> ChannelChanges<N> {
    fn new(before: [f64; N]) -> ChannelChanges<N> {
        ChannelChanges { before, changes: Vec::new() }
    }

    fn push(&mut self, secs: f64, value: [f64; N]) {
        if self.changes.last().map_or(self.before, |last| last.1) != value {
            self.changes.push((secs, value));
        }
    }

    /// The value before any change.
    pub fn usual(&self) -> [f64; N] {
        self.before
    }

    /// Maximum number of points of a curve from one time to another: two for each change, and one at the start; 0 if
    /// the default applies throughout.
    pub fn n_points(&self, from_secs: f64, to_secs: f64) -> usize {
        let (at_start, later) = self.within(from_secs, to_secs);
        2 * later.len() + usize::from(!later.is_empty() || at_start != self.before)
    }

    /// The value at `from_secs`, and the changes after it up to and including `to_secs`.
    pub fn within(&self, from_secs: f64, to_secs: f64) -> ([f64; N], &[(f64, [f64; N])]) {
        let first = self.changes.partition_point(|change| change.0 <= from_secs);
        let last = first + self.changes[first..].partition_point(|change| change.0 <= to_secs);
        let at_start = first.checked_sub(1).map_or(self.before, |before| self.changes[before].1);
        (at_start, &self.changes[first..last])
    }
}

/// State of a channel. Controllers act as in FluidSynth.
#[derive(Debug)]
pub struct ChannelState {
    pub program: u8,
    pub is_pedal_down: bool,
    /// Notes whose keys are down, by key, the earliest first.
    pub down: Vec<VecDeque<usize>>,
    /// Notes held by the pedal.
    pub held: Vec<usize>,
    /// Times at which all sound was turned off.
    pub cuts: Vec<f64>,
    /// Pitch offset in semitones.
    pub pitches: ChannelChanges<1>,
    /// Gain from volume and expression.
    pub levels: ChannelChanges<1>,
    /// Gains of left and right from the pan.
    pub sides: ChannelChanges<2>,
    /// Pitch bend, -1 to 1.
    bend: f64,
    bend_semitones: f64,
    tuning_semitones: [f64; 2],
    volume: u8,
    expression: u8,
    /// The registered parameter that data entry sets, coarse and fine number.
    parameter: [u8; 2],
    data_fine: u8,
}

impl ChannelState {
    pub fn new() -> ChannelState {
        ChannelState {
            program: 0,
            is_pedal_down: false,
            down: vec![VecDeque::new(); N_KEYS],
            held: Vec::new(),
            cuts: Vec::new(),
            pitches: ChannelChanges::new([0.0]),
            levels: ChannelChanges::new([1.0]),
            sides: ChannelChanges::new([1.0, 1.0]),
            bend: 0.0,
            bend_semitones: DEFAULT_BEND_SEMITONES,
            tuning_semitones: [0.0, 0.0],
            volume: DEFAULT_VOLUME,
            expression: 127,
            parameter: NO_PARAMETER,
            data_fine: 0,
        }
    }

    /// Applies a control change; `value` is 0 to 127.
    pub fn control(&mut self, secs: f64, controller: u8, value: u8) {
        match controller {
            VOLUME => self.volume = value,
            EXPRESSION => self.expression = value,
            PAN => self.sides.push(secs, sides_of(value)),
            RPN_COARSE => self.parameter[0] = value,
            RPN_FINE => self.parameter[1] = value,
            // A non-registered parameter: data entry then does not affect the pitch.
            _ if NRPN.contains(&controller) => self.parameter = NO_PARAMETER,
            DATA_ENTRY_FINE => self.data_fine = value,
            DATA_ENTRY => self.set_parameter(value),
            RESET => {
                self.bend = 0.0;
                self.expression = 127;
                self.parameter = NO_PARAMETER;
                self.data_fine = 0;
            }
            _ => return,
        }
        let [volume, expression] =
            [f64::from(self.volume) / f64::from(DEFAULT_VOLUME), f64::from(self.expression) / 127.0];
        self.levels.push(secs, [(volume * expression).powi(2)]);
        self.push_pitch(secs);
    }

    /// Applies a pitch bend, -1 to 1.
    pub fn bend(&mut self, secs: f64, bend: f64) {
        self.bend = bend;
        self.push_pitch(secs);
    }

    fn push_pitch(&mut self, secs: f64) {
        let [coarse, fine] = self.tuning_semitones;
        self.pitches.push(secs, [self.bend_semitones * self.bend + coarse + fine]);
    }

    fn set_parameter(&mut self, value: u8) {
        match self.parameter {
            // FluidSynth ignores the range's cents.
            BEND_RANGE => self.bend_semitones = f64::from(value),
            FINE_TUNING => {
                let steps = f64::from(value) * 128.0 + f64::from(self.data_fine) - 8192.0;
                self.tuning_semitones[1] = steps / 8192.0;
            }
            COARSE_TUNING => self.tuning_semitones[0] = f64::from(value) - f64::from(CENTRE),
            _ => {}
        }
    }
}

/// Gains of left and right for a pan: equal power, and 1 in the middle.
fn sides_of(pan: u8) -> [f64; 2] {
    match pan {
        CENTRE => [1.0, 1.0],
        0 => [SQRT_2, 0.0],
        _ => {
            let angle = f64::from(pan) / 128.0 * FRAC_PI_2;
            [SQRT_2 * angle.cos(), SQRT_2 * angle.sin()]
        }
    }
}
