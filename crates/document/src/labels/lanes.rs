//! Lanes of overlapping labels.

/// Maximum number of lanes; labels that overlap more deeply share the lane that is free earliest.
const MAX_LANES: usize = 4;

/// The lane of each label in a set, by its index: the first that is free at the label's start. A range frees its lane
/// at its end, a marker after its time, so labels that don't overlap others are in lane 0.
#[derive(Debug, Clone, Default)]
pub struct LabelLanes {
    lanes: Vec<u8>,
    n_lanes: usize,
}

impl LabelLanes {
    /// Lanes of labels, given their starts and ends in order.
    pub(super) fn of(all_secs: impl Iterator<Item = [f64; 2]>) -> LabelLanes {
        let mut free_from = [f64::NEG_INFINITY; MAX_LANES];
        let mut n_lanes = 0;
        let lane_of = |[start, end]: [f64; 2]| {
            let is_free = free_from.iter().position(|free| *free <= start);
            let earliest = || (0..MAX_LANES).min_by(|a, b| free_from[*a].total_cmp(&free_from[*b]));
            let lane = is_free.or_else(earliest).unwrap_or(0);
            free_from[lane] = if end > start { end } else { start.next_up() }.max(free_from[lane]);
            n_lanes = n_lanes.max(lane + 1);
            lane as u8
        };
        let lanes = all_secs.map(lane_of).collect();
        LabelLanes { lanes, n_lanes }
    }

    /// The lane of the label at an index, counted from 0.
    pub fn at(&self, index: usize) -> usize {
        self.lanes.get(index).copied().unwrap_or(0).into()
    }

    /// Number of lanes, at most 4; 0 without labels.
    pub fn len(&self) -> usize {
        self.n_lanes
    }

    /// Whether there are no lanes.
    pub fn is_empty(&self) -> bool {
        self.n_lanes == 0
    }
}
