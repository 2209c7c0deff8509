// One pass of Pillow's Lanczos filter over many 8-bit grey pictures, across or down, four pixels for each invocation.
// Twins: `narrow_band` and `shorten` in Rust.

struct ResizeWords {
    first_word: u32,    // of this dispatch
    end_word: u32,
    n_passes: u32,
}

struct ResizePass {
    first_word: u32,     // in what all passes write
    n_pixels: u32,
    width: u32,          // of the rows that are written
    from_pixel: u32,     // where its picture begins in what is read
    from_width: u32,     // of the rows that are read
    first_place: u32,
    is_across: u32,
}

struct TapPlace {
    first: u32,     // pixel of the line
    weight: u32,    // where its weights begin
    n: u32,
}

@group(0) @binding(0) var<uniform> words: ResizeWords;
@group(0) @binding(1) var<storage, read> passes: array<ResizePass>;
@group(0) @binding(2) var<storage, read> places: array<TapPlace>;
@group(0) @binding(3) var<storage, read> weights: array<i32>;
// Four pixels in each word, the first one lowest.
@group(0) @binding(4) var<storage, read> read_pixels: array<u32>;
@group(0) @binding(5) var<storage, read_write> written_pixels: array<u32>;

// Bits of the weights after the point, and what rounds a sum.
const PRECISION_BITS: u32 = 22u;
const HALF: i32 = 2097152;

// The last pass that begins at a word or before it.
fn pass_of(word: u32) -> u32 {
    var low = 0u;
    var high = words.n_passes;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if passes[middle].first_word <= word {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

fn pixel_at(at: u32) -> i32 {
    return i32((read_pixels[at / 4u] >> (8u * (at % 4u))) & 255u);
}

fn resized_pixel(index: u32, pixel: u32) -> u32 {
    let task = passes[index];
    let x = pixel % task.width;
    let y = pixel / task.width;
    let is_across = task.is_across != 0u;
    let place = places[task.first_place + select(y, x, is_across)];
    let step = select(task.from_width, 1u, is_across);
    let line = task.from_pixel + select(x, y * task.from_width, is_across);
    var sum = HALF;
    for (var k = 0u; k < place.n; k++) {
        sum += pixel_at(line + (place.first + k) * step) * weights[place.weight + k];
    }
    return u32(clamp(sum >> PRECISION_BITS, 0, 255));
}

@compute @workgroup_size(256)
fn resize_pictures(invocation: Invocation) {
    let word = words.first_word + number_of(invocation);
    if word >= words.end_word {
        return;
    }
    let index = pass_of(word);
    let first = 4u * (word - passes[index].first_word);
    var packed = 0u;
    for (var k = 0u; k < 4u; k++) {
        if first + k < passes[index].n_pixels {
            packed |= resized_pixel(index, first + k) << (8u * (k % 4u));
        }
    }
    written_pixels[word] = packed;
}
