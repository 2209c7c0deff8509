// The modulation filter along one axis of a plane. Lines along the axis are taken in pairs, one as real and one as
// imaginary part: the response is real and even, so it keeps them apart. Each line is extended by mirroring to a power
// of two, transformed by Stockham passes of radix 4 and 2, weighted and transformed back.

struct Lines {
    n_cells: u32,      // of a line
    n_padded: u32,
    n_before: u32,     // mirrored cells in front of the line
    n_lines: u32,
    first_pair: u32,   // of this batch
    n_pairs: u32,      // in this batch
    cell_step: u32,    // in the plane, from cell to cell along a line
    line_step: u32,    // in the plane, from line to line
    element_step: u32, // in the data, along a line
    pair_step: u32,    // in the data, from pair to pair
    n_done: u32,       // product of the radices of earlier passes
    inverse: u32,
}

@group(0) @binding(0) var<uniform> lines: Lines;
@group(0) @binding(1) var<storage, read> plane: array<f32>;
@group(0) @binding(2) var<storage, read> source: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read_write> target_data: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / n_padded)
@group(0) @binding(5) var<storage, read> response: array<f32>; // divided by n_padded
@group(0) @binding(6) var<storage, read_write> filtered: array<f32>;

// Pair and place along it of the nth of `n_along` places; neighbours in the data are neighbours in a workgroup.
fn place(n: u32, n_along: u32) -> vec2<u32> {
    if lines.element_step == 1u {
        return vec2<u32>(n / n_along, n % n_along);
    }
    return vec2<u32>(n % lines.n_pairs, n / lines.n_pairs);
}

fn data_index(pair: u32, element: u32) -> u32 {
    return pair * lines.pair_step + element * lines.element_step;
}

@compute @workgroup_size(256)
fn load(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= lines.n_pairs * lines.n_padded {
        return;
    }
    let at = place(n, lines.n_padded);
    let period = 2u * lines.n_cells;
    // Never the remainder of a negative number, which GLSL leaves open.
    let mirrored = (at.y + period - lines.n_before % period) % period;
    let cell = select(mirrored, period - 1u - mirrored, mirrored >= lines.n_cells) * lines.cell_step;
    let line = 2u * (lines.first_pair + at.x);
    let re = plane[line * lines.line_step + cell];
    var im = 0.0;
    if line + 1u < lines.n_lines {
        im = plane[(line + 1u) * lines.line_step + cell];
    }
    target_data[data_index(at.x, at.y)] = vec2<f32>(re, im);
}

fn twiddle(k: u32) -> vec2<f32> {
    let w = twiddles[k];
    return select(w, conj(w), lines.inverse == 1u);
}

fn quarter_turn(a: vec2<f32>) -> vec2<f32> {
    return select(vec2<f32>(a.y, -a.x), vec2<f32>(-a.y, a.x), lines.inverse == 1u);
}

@compute @workgroup_size(256)
fn pass_4(invocation: Invocation) {
    let n = number_of(invocation);
    let n_butterflies = lines.n_padded / 4u;
    if n >= lines.n_pairs * n_butterflies {
        return;
    }
    let at = place(n, n_butterflies);
    let j = at.y;
    let p = j % lines.n_done;
    let step = lines.n_padded / (lines.n_done * 4u);
    let x0 = source[data_index(at.x, j)];
    let x1 = mul(source[data_index(at.x, j + n_butterflies)], twiddle(p * step));
    let x2 = mul(source[data_index(at.x, j + 2u * n_butterflies)], twiddle(2u * p * step));
    let x3 = mul(source[data_index(at.x, j + 3u * n_butterflies)], twiddle(3u * p * step));
    let a0 = x0 + x2;
    let a1 = x0 - x2;
    let a2 = x1 + x3;
    let a3 = quarter_turn(x1 - x3);
    let to = (j / lines.n_done) * lines.n_done * 4u + p;
    target_data[data_index(at.x, to)] = a0 + a2;
    target_data[data_index(at.x, to + lines.n_done)] = a1 + a3;
    target_data[data_index(at.x, to + 2u * lines.n_done)] = a0 - a2;
    target_data[data_index(at.x, to + 3u * lines.n_done)] = a1 - a3;
}

@compute @workgroup_size(256)
fn pass_2(invocation: Invocation) {
    let n = number_of(invocation);
    let n_butterflies = lines.n_padded / 2u;
    if n >= lines.n_pairs * n_butterflies {
        return;
    }
    let at = place(n, n_butterflies);
    let j = at.y;
    let p = j % lines.n_done;
    let step = lines.n_padded / (lines.n_done * 2u);
    let x0 = source[data_index(at.x, j)];
    let x1 = mul(source[data_index(at.x, j + n_butterflies)], twiddle(p * step));
    let to = (j / lines.n_done) * lines.n_done * 2u + p;
    target_data[data_index(at.x, to)] = x0 + x1;
    target_data[data_index(at.x, to + lines.n_done)] = x0 - x1;
}

@compute @workgroup_size(256)
fn respond(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= lines.n_pairs * lines.n_padded {
        return;
    }
    let at = place(n, lines.n_padded);
    let k = min(at.y, lines.n_padded - at.y);
    let index = data_index(at.x, at.y);
    target_data[index] = target_data[index] * response[k];
}

@compute @workgroup_size(256)
fn store(invocation: Invocation) {
    let n = number_of(invocation);
    if n >= lines.n_pairs * lines.n_cells {
        return;
    }
    let at = place(n, lines.n_cells);
    let value = source[data_index(at.x, at.y + lines.n_before)];
    let line = 2u * (lines.first_pair + at.x);
    filtered[line * lines.line_step + at.y * lines.cell_step] = value.x;
    if line + 1u < lines.n_lines {
        filtered[(line + 1u) * lines.line_step + at.y * lines.cell_step] = value.y;
    }
}
