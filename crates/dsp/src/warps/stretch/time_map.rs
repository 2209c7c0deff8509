//! Maps positions in the output to positions in the input: unstretched around onsets, and stretched more in between.

/// Maximum fraction of the distance to the next onset that stays unstretched on either side.
const MAX_UNSTRETCHED_SHARE: f64 = 0.35;

/// The piecewise map from output to input, in samples. Its slope is 1 before and after the sound.
#[derive(Debug, Clone)]
pub struct TimeMap {
    /// Corresponding positions in input and output, ascending in both.
    nodes: Vec<[i64; 2]>,
    onsets: Vec<MappedOnset>,
}

/// An onset, and its position after stretching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedOnset {
    /// Sample in the input.
    pub input: i64,
    /// Sample in the output.
    pub output: i64,
    /// First sample in the output of the unstretched part before the onset.
    pub first_output: i64,
}

impl TimeMap {
    /// Spreads `n_input` samples over `n_output`, both above 0. Up to `reach` samples on both sides of each of the
    /// `onsets` (ascending) keep their distance to it.
    pub fn new(n_input: u64, n_output: u64, onsets: &[u64], reach: u64) -> TimeMap {
        let ratio = n_output as f64 / n_input as f64;
        let inner = onsets.iter().filter(|at| (1..n_input).contains(*at));
        let inner = inner.map(|at| [*at as i64, (*at as f64 * ratio).round() as i64]);
        let end = [n_input as i64, n_output as i64];
        let anchors: Vec<[i64; 2]> = std::iter::once([0; 2]).chain(inner).chain([end]).collect();
        let kept = |from: [i64; 2], to: [i64; 2]| {
            let room = (to[0] - from[0]).min(to[1] - from[1]);
            ((MAX_UNSTRETCHED_SHARE * room as f64) as i64).min(reach as i64)
        };
        let mut nodes = vec![[0; 2]];
        let mut mapped = Vec::new();
        for around in anchors.windows(3) {
            let [before, [input, output], after] = [around[0], around[1], around[2]];
            let [left, right] = [kept(before, [input, output]), kept([input, output], after)];
            mapped.push(MappedOnset { input, output, first_output: output - left });
            nodes.extend([[input - left, output - left], [input + right, output + right]]);
        }
        nodes.push(end);
        // Drops nodes of onsets so close to one another, or to an end, that no sample lies between.
        nodes.dedup_by(|next, before| next[0] <= before[0] || next[1] <= before[1]);
        if nodes.last() != Some(&end) {
            nodes.pop();
            nodes.push(end);
        }
        TimeMap { nodes, onsets: mapped }
    }

    /// Whether input and output are the same.
    pub fn is_identity(&self) -> bool {
        self.nodes.last().is_none_or(|[input, output]| input == output)
    }

    /// The onsets, ascending.
    pub(super) fn onsets(&self) -> &[MappedOnset] {
        &self.onsets
    }

    /// The sample of the input that corresponds to a sample of the output.
    pub fn input_at(&self, output: i64) -> i64 {
        let next = self.nodes.partition_point(|node| node[1] <= output);
        let (Some(after), Some(before)) = (self.nodes.get(next), next.checked_sub(1).map(|at| self.nodes[at])) else {
            let [input, end] = if next == 0 { [0; 2] } else { self.nodes[next - 1] };
            return input + output - end;
        };
        // Rounded to the nearest sample in 128-bit integers, since products of two long durations exceed 64 bits.
        let [n_input, n_output] = [after[0] - before[0], after[1] - before[1]].map(i128::from);
        let twice = 2 * i128::from(output - before[1]) * n_input + n_output;
        before[0] + twice.div_euclid(2 * n_output) as i64
    }
}
