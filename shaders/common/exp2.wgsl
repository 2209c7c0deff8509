// 2^x by the polynomial of the Rust function of the same name.

fn exp2_poly(x: f32) -> f32 {
    let u = clamp(x, -126.0, 127.0);
    let n = round(u);
    let f = u - n;
    let p = 1.0
        + f * (0.6931472
            + f * (0.2402265
                + f * (0.05550411 + f * (0.009618129 + f * (0.0013333558 + f * (1.540353e-4 + f * 1.525273e-5))))));
    return p * bitcast<f32>(u32(i32(n) + 127) << 23u);
}
