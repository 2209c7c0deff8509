// Running medians of lines of `before_magnitude`, which the including shader declares.

// A place of a line mirrored at both ends, the ends repeated.
fn mirrored(at: i32, n: i32) -> u32 {
    var within = at;
    while within < 0 || within >= n {
        within = select(2 * n - 1 - within, -1 - within, within < 0);
    }
    return u32(within);
}

// The median of a window around a place of a line whose values stand `stride` apart from `first` on. As bits, numbers
// that are not negative are in their own order: bit by bit, the largest number that has no more than half below it.
fn median(first: u32, stride: u32, n: u32, place: u32, window: u32) -> f32 {
    let half = i32(window / 2u);
    var found = 0u;
    for (var bit = 30; bit >= 0; bit--) {
        let probe = found | (1u << (u32(bit) & 31u));
        var n_below = 0u;
        for (var k = -half; k <= half; k++) {
            let value = before_magnitude[first + mirrored(i32(place) + k, i32(n)) * stride];
            n_below += select(0u, 1u, bitcast<u32>(value) < probe);
        }
        if n_below <= u32(half) {
            found = probe;
        }
    }
    return bitcast<f32>(found);
}
