// log2(x) as `dsp::log2::log2` computes it, whose coefficients stand in front of every shader.

fn log2_poly(x: f32) -> f32 {
    let bits = bitcast<i32>(max(x, LOG2_MIN));
    let exponent = (bits - 0x3f3504f3) >> 23u;
    let m = bitcast<f32>(bits - (exponent << 23u));
    let s = (m - 1.0) / (m + 1.0);
    let y = s * s;
    let p = s * (LOG2_0 + y * (LOG2_1 + y * (LOG2_2 + y * (LOG2_3 + y * LOG2_4))));
    return f32(exponent) + p;
}
