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

    /// The edge from a lattice point to the next row.
    fn along_row(&self, row: usize, column: usize) -> usize {
        (row * self.n_columns + column) * 2
    }

    /// The edge from a lattice point to the next column.
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
