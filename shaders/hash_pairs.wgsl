// All pairs of hashes that differ in few bits, counted and noted. Twin: `pairs_within` in Rust.

struct HashRows {
    first_row: u32,    // of this dispatch; each row is compared with all hashes after it
    end_row: u32,
    n_hashes: u32,
    max_distance: u32,         // bits that may differ
    n_room: u32,       // pairs that can be noted
}

@group(0) @binding(0) var<uniform> rows: HashRows;
// Lower and upper 32 bits.
@group(0) @binding(1) var<storage, read> hashes: array<vec2<u32>>;
// First, second, and the bits that differ; in any order.
@group(0) @binding(2) var<storage, read_write> found: array<vec3<u32>>;
// How many there are, noted or not.
@group(0) @binding(3) var<storage, read_write> n_found: array<atomic<u32>>;

// Rows of one workgroup; the same number in Rust.
const GROUP_ROWS: u32 = 64u;

fn differing_bits(a: vec2<u32>, b: vec2<u32>) -> u32 {
    let ones = countOneBits(a ^ b);
    return ones.x + ones.y;
}

// A column for each invocation, rows along y.
@compute @workgroup_size(256)
fn pairs(invocation: Invocation) {
    let column = invocation.workgroup.x * 256u + invocation.local_index;
    if column >= rows.n_hashes {
        return;
    }
    let hash = hashes[column];
    let first = rows.first_row + invocation.workgroup.y * GROUP_ROWS;
    let end = min(min(first + GROUP_ROWS, rows.end_row), column);
    for (var row = first; row < end; row++) {
        let distance = differing_bits(hashes[row], hash);
        if distance <= rows.max_distance {
            let at = atomicAdd(&n_found[0], 1u);
            if at < rows.n_room {
                found[at] = vec3<u32>(row, column, distance);
            }
        }
    }
}
