//! Contours of a field of values: marching squares, joined into polylines.

use std::collections::HashMap;

/// Polylines along which the field crosses `level`, in lattice coordinates (fractional row, fractional column), by
/// linear interpolation. `values` has `n_rows` rows of `n_columns`. A closed line repeats its first point; an open line
/// ends at the border of the field.
pub fn contours(values: &[f32], n_rows: usize, n_columns: usize, level: f32) -> Vec<Vec<[f32; 2]>> {
    let field = Field { values, n_columns, level };
    let mut links: HashMap<usize, [Option<usize>; 2]> = HashMap::new();
    let mut link = |a: usize, b: usize| {
        for (from, to) in [(a, b), (b, a)] {
            let ends = links.entry(from).or_default();
            ends[usize::from(ends[0].is_some())] = Some(to);
        }
    };
    for row in 0..n_rows.saturating_sub(1) {
        for column in 0..n_columns.saturating_sub(1) {
            let corner = |dr: usize, dc: usize| field.is_inside(row + dr, column + dc);
            let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
            if a == b && b == c && c == d {
                continue;
            }
            let (ab, bc) = (field.along_row(row, column), field.along_column(row + 1, column));
            let (dc, ad) = (field.along_row(row, column + 1), field.along_column(row, column));
            if a == c && b == d {
                // A saddle: keep the inside corners separate.
                let pairs = if a { [(ad, ab), (bc, dc)] } else { [(ab, bc), (dc, ad)] };
                pairs.into_iter().for_each(|(from, to)| link(from, to));
                continue;
            }
            let mut crossed =
                [(a != b, ab), (b != c, bc), (c != d, dc), (d != a, ad)].into_iter().filter(|edge| edge.0);
            if let (Some((_, from)), Some((_, to))) = (crossed.next(), crossed.next()) {
                link(from, to);
            }
        }
    }
    field.lines(links)
}

struct Field<'a> {
    values: &'a [f32],
    n_columns: usize,
    level: f32,
}

impl Field<'_> {
    fn is_inside(&self, row: usize, column: usize) -> bool {
        self.values[row * self.n_columns + column] >= self.level
    }

    /// The edge from a place to the next row.
    fn along_row(&self, row: usize, column: usize) -> usize {
        (row * self.n_columns + column) * 2
    }

    /// The edge from a place to the next column.
    fn along_column(&self, row: usize, column: usize) -> usize {
        self.along_row(row, column) + 1
    }

    fn place(&self, edge: usize) -> [f32; 2] {
        let (from, is_column) = (edge / 2, edge % 2 == 1);
        let to = from + if is_column { 1 } else { self.n_columns };
        let (a, b) = (self.values[from], self.values[to]);
        let part = ((self.level - a) / (b - a)).clamp(0.0, 1.0);
        let (row, column) = ((from / self.n_columns) as f32, (from % self.n_columns) as f32);
        if is_column { [row, column + part] } else { [row + part, column] }
    }

    fn lines(&self, mut links: HashMap<usize, [Option<usize>; 2]>) -> Vec<Vec<[f32; 2]>> {
        let mut lines = Vec::new();
        // Open lines first, from an end; the rest are rings. Sorted by position, so that dashes do not jump between
        // frames.
        let mut edges: Vec<usize> = links.keys().copied().collect();
        edges.sort_unstable_by_key(|edge| (links[edge][1].is_some(), *edge));
        for start in edges {
            let Some([Some(mut next), other]) = links.remove(&start) else { continue };
            let mut line = vec![self.place(start), self.place(next)];
            let mut last = start;
            while let Some(ends) = links.remove(&next) {
                let Some(further) = ends.into_iter().flatten().find(|&end| end != last) else { break };
                last = next;
                next = further;
                line.push(self.place(next));
            }
            debug_assert!(other.is_none() || next == start, "a ring ends where it begins");
            lines.push(line);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(n: usize, at: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        (0..n * n).map(|i| at((i / n) as f32, (i % n) as f32)).collect()
    }

    #[test]
    fn a_disc_is_one_ring_at_its_radius() {
        let values = field(40, |x, y| 12.0 - (x - 20.0).hypot(y - 19.0));
        let lines = contours(&values, 40, 40, 2.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        let radii: Vec<f32> = lines[0].iter().map(|[x, y]| (x - 20.0).hypot(y - 19.0)).collect();
        // Between two values the distance is nearly linear: off by less than 1/8 of a square of the step over the radius.
        assert!(radii.iter().all(|radius| (radius - 10.0).abs() < 0.02), "{radii:?}");
        assert!(!radii.iter().all(|radius| (radius - 10.1).abs() < 0.02), "the check can fail");
        let length: f32 = lines[0].windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1])).sum();
        assert!((length / (std::f32::consts::TAU * 10.0) - 1.0).abs() < 0.01, "{length}");
    }

    #[test]
    fn lines_end_at_the_border_and_saddles_stay_apart() {
        let half = field(10, |x, _| if x < 4.5 { 1.0 } else { 0.0 });
        let lines = contours(&half, 10, 10, 0.5);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() == 10 && lines[0].iter().all(|[x, _]| *x == 4.5));
        // Two cells that touch at a corner are two rings; four neighbours one.
        let two = field(6, |x, y| f32::from(u8::from((x, y) == (2.0, 2.0) || (x, y) == (3.0, 3.0))));
        assert_eq!(contours(&two, 6, 6, 0.5).len(), 2);
        let four = field(6, |x, y| f32::from(u8::from((2.0..=3.0).contains(&x) && (2.0..=3.0).contains(&y))));
        assert_eq!(contours(&four, 6, 6, 0.5).len(), 1);
        assert!(contours(&field(6, |_, _| 1.0), 6, 6, 0.5).is_empty());
    }
}
