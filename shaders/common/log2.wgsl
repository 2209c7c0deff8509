// log2(x) by the polynomial of the Rust function of the same name.

fn log2_poly(x: f32) -> f32 {
    let bits = bitcast<i32>(max(x, 7.888609e-31));
    let exponent = (bits - 0x3f3504f3) >> 23u;
    let m = bitcast<f32>(bits - (exponent << 23u));
    let s = (m - 1.0) / (m + 1.0);
    let y = s * s;
    let p = s * (2.8853901 + y * (0.9617967 + y * (0.57707804 + y * (0.41219857 + y * 0.3205989))));
    return f32(exponent) + p;
}
