// 2^x as `dsp::exp2::exp2` computes it, whose coefficients stand in front of every shader.

fn exp2_poly(x: f32) -> f32 {
    let u = clamp(x, -126.0, 127.0);
    let n = round(u);
    let f = u - n;
    let p = 1.0 + f * (EXP2_0 + f * (EXP2_1 + f * (EXP2_2 + f * (EXP2_3 + f * (EXP2_4 + f * (EXP2_5 + f * EXP2_6))))));
    return p * bitcast<f32>(u32(i32(n) + 127) << 23u);
}
