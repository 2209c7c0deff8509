// aHash and dHash of small pictures, half a hash for each invocation. Twins: `ahash` and `dhash` in Rust.

struct HashCount {
    n_pictures: u32,
}

struct SmallPictures {
    mean: u32,        // where the 8 x 8 pixels of aHash begin
    gradient: u32,    // where the 9 x 8 pixels of dHash begin
}

@group(0) @binding(0) var<uniform> count: HashCount;
@group(0) @binding(1) var<storage, read> small_pictures: array<SmallPictures>;
// Four pixels in each word, the first one lowest.
@group(0) @binding(2) var<storage, read> pixels: array<u32>;
// Per picture: upper and lower half of aHash, then of dHash.
@group(0) @binding(3) var<storage, read_write> halves: array<u32>;

fn pixel_at(at: u32) -> u32 {
    return (pixels[at / 4u] >> (8u * (at % 4u))) & 255u;
}

// 32 bits of aHash, from a pixel on, the first one highest.
fn ahash(mean: u32, from_pixel: u32) -> u32 {
    var sum = 0u;
    for (var k = 0u; k < 64u; k++) {
        sum += pixel_at(mean + k);
    }
    var bits = 0u;
    for (var k = 0u; k < 32u; k++) {
        bits = (bits << 1u) | select(0u, 1u, 64u * pixel_at(mean + from_pixel + k) > sum);
    }
    return bits;
}

// 32 bits of dHash, from a row on, the first one highest.
fn dhash(gradient: u32, from_row: u32) -> u32 {
    var bits = 0u;
    for (var k = 0u; k < 32u; k++) {
        let at = gradient + (from_row + k / 8u) * 9u + k % 8u;
        bits = (bits << 1u) | select(0u, 1u, pixel_at(at + 1u) > pixel_at(at));
    }
    return bits;
}

@compute @workgroup_size(256)
fn hash_pictures(invocation: Invocation) {
    let at = number_of(invocation);
    let picture = at / 4u;
    if picture >= count.n_pictures {
        return;
    }
    let small = small_pictures[picture];
    if at % 4u < 2u {
        halves[at] = ahash(small.mean, 32u * (at % 4u));
    } else {
        halves[at] = dhash(small.gradient, 4u * (at % 4u - 2u));
    }
}
