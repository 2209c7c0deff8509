// Between complex and polar cells: the functions of the same names in `dsp::polar`, whose coefficients stand in front of
// every shader.

// Cosine and sine of an angle in turns.
fn cos_sin_turns(turns: f32) -> vec2<f32> {
    let u = turns - round(turns);
    let q = round(u * 4.0);
    let r = u - q * 0.25;
    let y = r * r;
    let s = r * (SINE_0 + y * (SINE_1 + y * (SINE_2 + y * SINE_3)));
    let c = 1.0 + y * (COSINE_0 + y * (COSINE_1 + y * (COSINE_2 + y * COSINE_3)));
    switch i32(q) & 3 {
        case 0: { return vec2<f32>(c, s); }
        case 1: { return vec2<f32>(-s, c); }
        case 2: { return vec2<f32>(-c, -s); }
        default: { return vec2<f32>(s, -c); }
    }
}

// The angle of `z.x + i z.y` in turns, [-0.5, 0.5); 0 for 0.
fn turns_from_complex(z: vec2<f32>) -> f32 {
    let x = abs(z.x);
    let y = abs(z.y);
    let largest = max(x, y);
    let smallest = min(x, y);
    if largest == 0.0 {
        return 0.0;
    }
    let t = smallest / largest;
    let v = t * t;
    let upper = ANGLE_4 + v * (ANGLE_5 + v * (ANGLE_6 + v * (ANGLE_7 + v * ANGLE_8)));
    var p = t * (ANGLE_0 + v * (ANGLE_1 + v * (ANGLE_2 + v * (ANGLE_3 + v * upper))));
    if y > x {
        p = 0.25 - p;
    }
    if z.x < 0.0 {
        p = 0.5 - p;
    }
    if z.y < 0.0 {
        p = -p;
    }
    return select(p, -0.5, p >= 0.5);
}

fn magnitude_from_complex(z: vec2<f32>) -> f32 {
    return sqrt(z.x * z.x + z.y * z.y);
}
