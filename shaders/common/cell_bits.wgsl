// Cells compared as bits, so that equal ones differ by exactly 0 however the compiler contracts or flushes.

// The bits, -0 written as 0.
fn comparable(bits: vec2<u32>) -> vec2<u32> {
    return select(bits, vec2<u32>(0u), bits == vec2<u32>(0x80000000u));
}

// Whether two cells differ; one without magnitude has no phase.
fn differ(before: vec2<u32>, after: vec2<u32>) -> bool {
    return (before.x | after.x) != 0u && any(before != after);
}

fn complex_from_bits(cell: vec2<u32>) -> vec2<f32> {
    return bitcast<f32>(cell.x) * cos_sin_turns(bitcast<f32>(cell.y));
}
