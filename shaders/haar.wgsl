// wHash of many square pictures in whole numbers, a workgroup for each. What is left of a picture without its mean are
// the sums of its 8 x 8 blocks, less one number and times another, neither of which moves a sum past the median. Where
// the two sums in the middle are equal, the last bits of f64 decide, and `Haar` in Rust does.

struct HashCount {
    n_pictures: u32,
}

struct HaarSquare {
    first_pixel: u32,
    side: u32,           // a power of two from 8; no buffer holds a square whose sums exceed 32 bits
}

@group(0) @binding(0) var<uniform> count: HashCount;
@group(0) @binding(1) var<storage, read> squares: array<HaarSquare>;
// Four pixels in each word, the first one lowest.
@group(0) @binding(2) var<storage, read> pixels: array<u32>;
// Per picture: upper and lower half of wHash, and 1 if it is undecided.
@group(0) @binding(3) var<storage, read_write> wavelets: array<u32>;

var<workgroup> parts: array<u32, 256>;
var<workgroup> sums: array<u32, 64>;
// Ranks 31 and 32 of 0 to 63, between which the median lies.
var<workgroup> middle: array<u32, 2>;

fn pixel_at(at: u32) -> u32 {
    return (pixels[at / 4u] >> (8u * (at % 4u))) & 255u;
}

// A quarter of the columns of a block.
fn part_of(square: HaarSquare, block: u32, quarter: u32) -> u32 {
    let side = square.side / 8u;
    let corner = square.first_pixel + (block / 8u * square.side + block % 8u) * side;
    var sum = 0u;
    for (var y = 0u; y < side; y++) {
        for (var x = quarter; x < side; x += 4u) {
            sum += pixel_at(corner + y * square.side + x);
        }
    }
    return sum;
}

// How many sums come before one in order; of equal ones the first comes first.
fn rank_of(block: u32) -> u32 {
    var rank = 0u;
    for (var k = 0u; k < 64u; k++) {
        rank += select(0u, 1u, sums[k] < sums[block] || (sums[k] == sums[block] && k < block));
    }
    return rank;
}

// 2 S > middle[0] + middle[1] for 32 sums, the first one highest. No sum lies between the two, so it is as well to be
// above the lower one.
fn bits_from(block: u32) -> u32 {
    var bits = 0u;
    for (var k = 0u; k < 32u; k++) {
        bits = (bits << 1u) | select(0u, 1u, sums[block + k] > middle[0]);
    }
    return bits;
}

@compute @workgroup_size(256)
fn hash_squares(invocation: Invocation) {
    let own = invocation.local_index;
    // Workgroups beyond the last picture write its hash once more.
    let number = invocation.workgroup.y * invocation.n_workgroups.x + invocation.workgroup.x;
    let picture = min(number, count.n_pictures - 1u);
    parts[own] = part_of(squares[picture], own / 4u, own % 4u);
    workgroupBarrier();
    if own < 64u {
        sums[own] = parts[4u * own] + parts[4u * own + 1u] + parts[4u * own + 2u] + parts[4u * own + 3u];
    }
    workgroupBarrier();
    if own < 64u {
        let rank = rank_of(own);
        if rank == 31u || rank == 32u {
            middle[rank - 31u] = sums[own];
        }
    }
    workgroupBarrier();
    if own < 2u {
        wavelets[3u * picture + own] = bits_from(32u * own);
    } else if own == 2u {
        wavelets[3u * picture + 2u] = select(0u, 1u, middle[0] == middle[1]);
    }
}
