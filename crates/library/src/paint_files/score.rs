//! Review priority of a painted file, from 0 (none) to 1 (highest).

use super::line::{PaintLine, PaintStatus};
use crate::document::{AnchorFound, EditLine};

/// Consistency at or below which nothing is added to the score.
const GOOD_CONSISTENCY_DB: f64 = -30.0;
/// Number of median absolute deviations from the median within which a change of level counts as normal.
const DEFAULT_DEVIATIONS: f64 = 3.0;
/// Minimum deviation assumed if all files change alike.
const MIN_DEVIATION_DB: f64 = 0.1;
/// Minimum number of level changes for a median.
const MIN_FILES: usize = 5;

/// The score from the edits and the confidence of their anchors.
pub fn of_edits(edits: &[EditLine], anchors: &[AnchorFound]) -> f64 {
    let consistency = edits.iter().filter_map(|edit| edit.consistency_db);
    let consistency = consistency.map(|db| (1.0 - db / GOOD_CONSISTENCY_DB).clamp(0.0, 1.0));
    consistency.chain(anchors.iter().map(|anchor| 1.0 - anchor.margin)).fold(0.0, f64::max)
}

/// The final score of each line, in order, raised by comparison with the other files of a run.
pub fn of_run(lines: &[&PaintLine]) -> Vec<f64> {
    let is_painted = |line: &&&PaintLine| line.status != PaintStatus::Failed;
    let mut sorted: Vec<f64> = lines.iter().filter(is_painted).filter_map(|line| line.change_db).collect();
    let usual = (sorted.len() >= MIN_FILES).then(|| {
        let middle = median(&mut sorted);
        let mut apart: Vec<f64> = sorted.iter().map(|db| (db - middle).abs()).collect();
        (middle, DEFAULT_DEVIATIONS * median(&mut apart).max(MIN_DEVIATION_DB))
    });
    let of_level = |line: &PaintLine| match (usual, line.change_db) {
        (Some((middle, usual)), Some(db)) => {
            let apart = (db - middle).abs();
            if apart > usual { 1.0 - usual / apart } else { 0.0 }
        }
        _ => 0.0,
    };
    lines.iter().map(|line| line.score.max(of_level(line))).collect()
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() % 2 {
        _ if numbers.is_empty() => 0.0,
        1 => numbers[middle],
        _ => (numbers[middle - 1] + numbers[middle]) / 2.0,
    }
}
