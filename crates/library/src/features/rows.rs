//! Rows of features, and their segments.

use super::options::FeatureOptions;
use crate::base::Result;

/// Rows of features and of the table, in order.
#[derive(Debug, Default)]
pub struct Rows {
    /// The stored values.
    pub features: Vec<u8>,
    /// Origin of each row: long segment, short segment, first sample.
    pub places: Vec<[u64; 3]>,
}

/// Receives rows of a file, with the file's number. Files and their rows come in order.
pub type TakeRows<'a> = dyn FnMut(usize, &Rows) -> Result<()> + 'a;

impl Rows {
    /// Clears the rows, keeping their memory.
    pub fn clear(&mut self) {
        self.features.clear();
        self.places.clear();
    }

    /// Appends the rows of long segments. `push_row` appends the values of the short segment that begins at a sample,
    /// counted from the first long one.
    pub fn push_long(
        &mut self,
        options: &FeatureOptions,
        first_long: u64,
        n_long: usize,
        push_row: &mut dyn FnMut(usize, &mut Vec<u8>),
    ) {
        for long in 0..n_long {
            for short in 0..options.n_short() {
                push_row(long * options.long[1] + short * options.short[1], &mut self.features);
                self.places.push(place_of(options, first_long + long as u64, short));
            }
        }
    }
}

/// Origin of a row: long segment, short segment, first sample.
pub fn place_of(options: &FeatureOptions, long: u64, short: usize) -> [u64; 3] {
    [long, short as u64, long * options.long[1] as u64 + (short * options.short[1]) as u64]
}

/// First samples of all distinct short segments in `n_long` long ones, ascending.
pub fn starts_of(options: &FeatureOptions, n_long: usize) -> Vec<usize> {
    let of_long =
        |long: usize| (0..options.n_short()).map(move |short| long * options.long[1] + short * options.short[1]);
    let mut starts: Vec<usize> = (0..n_long).flat_map(of_long).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}
