// Between complex and polar cells, by the polynomials of the Rust functions of the same names.

// Cosine and sine of an angle in turns.
fn cos_sin_turns(turns: f32) -> vec2<f32> {
    let u = turns - round(turns);
    let q = round(u * 4.0);
    let r = u - q * 0.25;
    let y = r * r;
    let s = r * (6.2831855 + y * (-41.341663 + y * (81.59255 + y * -75.40207)));
    let c = 1.0 + y * (-19.739208 + y * (64.939316 + y * (-85.442856 + y * 59.220406)));
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
    let most = max(x, y);
    let least = min(x, y);
    if most == 0.0 {
        return 0.0;
    }
    let t = least / most;
    let v = t * t;
    var p = t
        * (0.15915494
            + v * (-0.053051267
                + v * (0.031819932
                    + v * (-0.022611352
                        + v * (0.016957432
                            + v * (-0.011990188 + v * (0.0068498924 + v * (-0.0025914991 + v * 0.00046210916))))))));
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
