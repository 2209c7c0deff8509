// Turns of the centre frequencies of rows, in units of 2^-64 turn: two words, the lower first.

struct RowTurns {
    first: vec2<u32>,  // at the first column
    step: vec2<u32>,   // from one column to the next, less whole turns
    whole: u32,        // whole turns from one column to the next
    padding: u32,
}

// The upper word of a product.
fn upper_product(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let other = a_low * b_high + (middle & 0xffffu);
    return a_high * b_high + (middle >> 16u) + (other >> 16u);
}

fn sum_of_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// Turns of a row at a column, counted from the first, before which it may be.
fn turns_at_column(of_row: RowTurns, column: i32) -> vec2<u32> {
    let n = bitcast<u32>(column);
    // The upper word of a negative number is -1.
    let beyond = select(0u, of_row.step.x, column < 0);
    let high = of_row.step.y * n + upper_product(of_row.step.x, n) - beyond;
    return sum_of_words(of_row.first, vec2<u32>(of_row.step.x * n, high));
}

// Turns of a row in a part of a column, which is in units of 2^-32.
fn turns_in_part(of_row: RowTurns, part: u32) -> vec2<u32> {
    let high = upper_product(of_row.step.y, part) + of_row.whole * part;
    let lowest = vec2<u32>(upper_product(of_row.step.x, part), 0u);
    return sum_of_words(vec2<u32>(of_row.step.y * part, high), lowest);
}

// Turns as exact in f32: their upper 24 bits.
fn turns_from_words(turns: vec2<u32>) -> f32 {
    return f32(turns.y >> 8u) / 16777216.0;
}
