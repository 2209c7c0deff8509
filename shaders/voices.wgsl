// Voices out of control points: one invocation for each sample. Each voice adds the sum of its oscillators, in order.

struct VoiceSizes {
    n_voices: u32,
    n_samples: u32,
}

struct VoiceRun {
    first: i32,     // sample of the first edge, counted from the chunk's first
    rows: u32,      // edges, one more than blocks
    partials: u32,
    offset: u32,    // where the first row begins
    gain: vec2<f32>,
}

struct ControlPoint {
    phase: u32,     // in 2^-32 turns
    step: u32,
    slope: u32,
    level: f32,
}

@group(0) @binding(0) var<uniform> sizes: VoiceSizes;
@group(0) @binding(1) var<storage, read> voices: array<VoiceRun>;
@group(0) @binding(2) var<storage, read> points: array<ControlPoint>;
@group(0) @binding(3) var<storage, read_write> samples: array<vec2<f32>>;

// sin(2 pi phase / 2^32) as `dsp::voices::sine` computes it, whose coefficients stand in front of every shader.
fn sine(phase: u32) -> f32 {
    let u = f32(bitcast<i32>(phase)) * (1.0 / 4294967296.0);
    let y = u * u;
    let v = TURN_SINE_0 + y * (TURN_SINE_1 + y * (TURN_SINE_2 + y * (TURN_SINE_3 + y * (TURN_SINE_4 + y * TURN_SINE_5))));
    return u * (0.25 - y) * v;
}

@compute @workgroup_size(64)
fn render_voices(@builtin(global_invocation_id) id: vec3<u32>) {
    let j = id.x;
    if j >= sizes.n_samples {
        return;
    }
    var sum = vec2<f32>(0.0);
    for (var v = 0u; v < sizes.n_voices; v++) {
        let voice = voices[v];
        // Counted from the voice's first edge.
        let sample = i32(j) - voice.first;
        if sample < 0 || sample >= i32((voice.rows - 1u) * 64u) {
            continue;
        }
        let block = u32(sample) >> 6u;
        let i = u32(sample) & 63u;
        // i (i - 1) / 2
        let triangle = (i * max(i, 1u) - i) >> 1u;
        let fraction = f32(i) * (1.0 / 64.0);
        let row = voice.offset + block * voice.partials;
        var of_voice = 0.0;
        for (var k = 0u; k < voice.partials; k++) {
            let point = points[row + k];
            let next_level = points[row + voice.partials + k].level;
            let phase = point.phase + i * point.step + triangle * point.slope;
            of_voice += (point.level + (next_level - point.level) * fraction) * sine(phase);
        }
        sum += voice.gain * of_voice;
    }
    samples[j] = sum;
}
