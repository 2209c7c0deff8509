//! WGSL of the FFTs: a register-blocked Stockham transform.
//!
//! Element `e` of thread `t` holds value `t + T e`, `T` threads per transform. A pass of radix `r` multiplies by
//! `W^(p k)`, transforms `r` values at a time, and exchanges through workgroup memory.
//!
//! Source: Stockham's autosort FFT as in Govindaraju et al., SC 2008.

use super::fft::{FftDirection, FftExchange, FftPlan, FftShader, FftStep};
use std::fmt::Write;

/// The text of a shader, if its size has this step. Entry point `fft`.
pub(super) fn source(shader: FftShader) -> Option<String> {
    let plan = shader.step.plan(shader.n_fft)?;
    Some(Generator::new(plan, shader).shader())
}

/// Writes one shader.
struct Generator {
    plan: FftPlan,
    shader: FftShader,
    text: String,
}

/// Appends a line; writing to a `String` cannot fail.
macro_rules! line {
    ($generator:expr, $($arguments:tt)*) => {
        writeln!($generator.text, $($arguments)*).ok()
    };
}

impl Generator {
    pub fn new(plan: FftPlan, shader: FftShader) -> Generator {
        Generator { plan, shader, text: String::new() }
    }

    /// The text. Entry point `fft`.
    pub fn shader(mut self) -> String {
        self.bindings();
        self.head();
        self.load();
        let mut n_done = 1;
        let radices = self.plan.radices.clone();
        for (i, &radix) in radices.iter().enumerate() {
            self.pass(radix, n_done);
            if i + 1 < radices.len() {
                self.exchange(radix, n_done, i == 0);
            } else {
                self.store(radix, n_done);
            }
            n_done *= radix;
        }
        line!(self, "}}");
        self.text
    }

    fn is_forward(&self) -> bool {
        self.shader.direction == FftDirection::Forward
    }

    /// Whether it is a step of the four-step algorithm.
    fn is_part(&self) -> bool {
        self.are_columns() || self.shader.step == FftStep::Rows
    }

    fn are_columns(&self) -> bool {
        self.shader.step == FftStep::Columns
    }

    /// Whether it reads samples or writes windowed samples, rather than reading and writing complex values.
    fn meets_samples(&self) -> bool {
        self.shader.step != FftStep::Rows
    }

    /// Complex values of a frame.
    fn n_packed(&self) -> usize {
        self.shader.n_fft / 2
    }

    fn bindings(&mut self) {
        let output = if self.is_part() { "stepped" } else { "packed" };
        line!(self, "@group(0) @binding(0) var<uniform> frames: Frames;");
        if self.meets_samples() && self.is_forward() {
            line!(self, "@group(0) @binding(1) var<storage, read> samples: array<f32>;");
        } else {
            line!(self, "@group(0) @binding(1) var<storage, read> packed: array<vec2<f32>>;");
        }
        if self.meets_samples() && !self.is_forward() {
            line!(self, "@group(0) @binding(4) var<storage, read_write> windowed: array<f32>;");
        } else {
            line!(self, "@group(0) @binding(4) var<storage, read_write> {output}: array<vec2<f32>>;");
        }
        if self.meets_samples() {
            line!(self, "@group(0) @binding(2) var<storage, read> window: array<f32>;");
        }
        line!(
            self,
            "@group(0) @binding(3) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / {})",
            self.shader.n_fft
        );
    }

    fn head(&mut self) {
        let FftPlan { n, threads, per_workgroup, exchange, .. } = self.plan;
        let total = n * per_workgroup;
        match exchange {
            FftExchange::Whole => line!(self, "var<workgroup> shared_values: array<vec2<f32>, {total}>;"),
            FftExchange::Split => line!(self, "var<workgroup> shared_values: array<f32, {total}>;"),
        };
        let stride = self.shader.n_fft / n;
        let (turn, [before, after]) = match self.shader.direction {
            FftDirection::Forward => ("vec2<f32>(a.y, -a.x)", ["", ""]),
            FftDirection::Inverse => ("vec2<f32>(-a.y, a.x)", ["conj(", ")"]),
        };
        line!(self, "fn quarter_turn(a: vec2<f32>) -> vec2<f32> {{ return {turn}; }}");
        line!(self, "fn twiddle(k: u32) -> vec2<f32> {{ return {before}twiddles[{stride}u * k]{after}; }}");
        if self.are_columns() {
            // The multiplication between columns and rows.
            line!(self, "fn turned(a: vec2<f32>, k: u32) -> vec2<f32> {{");
            line!(self, "    return mul(a, {before}twiddles[2u * k]{after});");
            line!(self, "}}");
        }
        line!(self, "@compute @workgroup_size({})", threads * per_workgroup);
        line!(
            self,
            "fn fft(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {{"
        );
        if self.are_columns() {
            // Adjacent invocations process adjacent columns, which are adjacent in memory.
            line!(self, "    let t = local / {per_workgroup}u;");
            line!(self, "    let slot = local % {per_workgroup}u;");
        } else {
            line!(self, "    let t = local % {threads}u;");
            line!(self, "    let slot = local / {threads}u;");
            line!(self, "    let base = slot * {n}u;");
        }
        if self.is_part() {
            line!(self, "    let frame = workgroup.y;");
            line!(self, "    let row_or_column = workgroup.x * {per_workgroup}u + slot;");
        } else {
            line!(self, "    let frame = workgroup.x * {per_workgroup}u + slot;");
            // No early return: barriers need every thread.
            line!(self, "    let is_frame = frame < frames.n_frames;");
        }
    }

    /// Begins a block for the values of a frame, which is conditional if the last workgroup may have fewer frames.
    fn of_frame(&mut self) {
        line!(self, "{}", if self.is_part() { "    {" } else { "    if is_frame {" });
    }

    /// Index of value `place` of this transform relative to the frame's first value.
    fn place_in_frame(&self, place: &str) -> String {
        match self.shader.step {
            FftStep::Columns => format!("({place}) * {}u + row_or_column", self.n_packed() / self.plan.n),
            FftStep::Rows => format!("row_or_column * {}u + {place}", self.plan.n),
            FftStep::Whole | FftStep::Narrow => place.to_string(),
        }
    }

    fn load(&mut self) {
        let FftPlan { threads, .. } = self.plan;
        let n = self.n_packed();
        for e in 0..self.plan.elements() {
            line!(self, "    var r{e} = vec2<f32>(0.0);");
        }
        self.of_frame();
        let reads_samples = self.meets_samples() && self.is_forward();
        if reads_samples {
            line!(self, "        let first = frames.first_sample + frame * frames.hop;");
        } else {
            line!(self, "        let first = frame * {n}u;");
        }
        for e in 0..self.plan.elements() {
            let k = threads * e;
            let place = self.place_in_frame(&format!("t + {k}u"));
            if reads_samples {
                line!(
                    self,
                    "        {{ let k = 2u * ({place}); r{e} = vec2<f32>(samples[first + k] * window[k], samples[first + k + 1u] * window[k + 1u]); }}"
                );
            } else if self.are_columns() {
                line!(self, "        r{e} = turned(packed[first + {place}], (t + {k}u) * row_or_column);");
            } else {
                line!(self, "        r{e} = packed[first + {place}];");
            }
        }
        line!(self, "    }}");
    }

    /// Butterflies of one pass, on registers: butterfly `b` takes elements `b`, `b + B`, `b + 2 B` and so on.
    fn pass(&mut self, radix: usize, n_done: usize) {
        let n_butterflies = self.plan.elements() / radix;
        let (n, threads) = (self.plan.n, self.plan.threads);
        for b in 0..n_butterflies {
            let v: Vec<String> = (0..radix).map(|k| format!("r{}", b + k * n_butterflies)).collect();
            line!(self, "    {{");
            if n_done > 1 {
                line!(self, "        let p = (t + {}u) % {n_done}u;", threads * b);
                let step = n / (n_done * radix);
                for (k, v) in v.iter().enumerate().skip(1) {
                    line!(self, "        {v} = mul({v}, twiddle(p * {}u));", k * step);
                }
            }
            self.butterfly(&v);
            line!(self, "    }}");
        }
    }

    fn butterfly(&mut self, v: &[String]) {
        match v {
            [a, b] => {
                line!(self, "        let s = {a} + {b}; {b} = {a} - {b}; {a} = s;");
            }
            [a, b, c, d] => {
                self.butterfly_of_4("x", [a, b, c, d]);
                line!(self, "        {a} = x0; {b} = x1; {c} = x2; {d} = x3;");
            }
            [a, b, c, d, e, f, g, h] => {
                self.butterfly_of_4("x", [a, c, e, g]);
                self.butterfly_of_4("y", [b, d, f, h]);
                // The eighth turns: (1 - i) / sqrt 2 forward, its powers, and their conjugates back.
                line!(self, "        let z1 = (y1 + quarter_turn(y1)) * 0.70710678118654752;");
                line!(self, "        let z2 = quarter_turn(y2);");
                line!(self, "        let z3 = (quarter_turn(y3) - y3) * 0.70710678118654752;");
                line!(self, "        {a} = x0 + y0; {b} = x1 + z1; {c} = x2 + z2; {d} = x3 + z3;");
                line!(self, "        {e} = x0 - y0; {f} = x1 - z1; {g} = x2 - z2; {h} = x3 - z3;");
            }
            _ => {}
        }
    }

    /// Declares `{to}0` to `{to}3`, the transform of four values.
    fn butterfly_of_4(&mut self, to: &str, [a, b, c, d]: [&String; 4]) {
        line!(self, "        let {to}s = {a} + {c}; let {to}d = {a} - {c};");
        line!(self, "        let {to}t = {b} + {d}; let {to}q = quarter_turn({b} - {d});");
        line!(self, "        let {to}0 = {to}s + {to}t; let {to}1 = {to}d + {to}q;");
        line!(self, "        let {to}2 = {to}s - {to}t; let {to}3 = {to}d - {to}q;");
    }

    /// Where a value of this transform is in workgroup memory.
    fn shared(&self, place: &str, offset: usize) -> String {
        if self.are_columns() {
            format!("shared_values[({place} + {offset}u) * {}u + slot]", self.plan.per_workgroup)
        } else {
            format!("shared_values[{place} + {offset}u]")
        }
    }

    /// Exchanges values from the write positions of a pass to the read positions of the next.
    fn exchange(&mut self, radix: usize, n_done: usize, is_first: bool) {
        let parts: &[&str] = match self.plan.exchange {
            FftExchange::Whole => &[""],
            FftExchange::Split => &[".x", ".y"],
        };
        let n_butterflies = self.plan.elements() / radix;
        let (base, read) = if self.are_columns() { ("0u", "t") } else { ("base", "base + t") };
        for (i, part) in parts.iter().enumerate() {
            if !(is_first && i == 0) {
                line!(self, "    workgroupBarrier();");
            }
            for b in 0..n_butterflies {
                line!(self, "    {{");
                self.output_place(base, b, radix, n_done);
                for k in 0..radix {
                    let (value, to) = (b + k * n_butterflies, self.shared("to", k * n_done));
                    line!(self, "        {to} = r{value}{part};");
                }
                line!(self, "    }}");
            }
            line!(self, "    workgroupBarrier();");
            for e in 0..self.plan.elements() {
                let from = self.shared(read, self.plan.threads * e);
                line!(self, "    r{e}{part} = {from};");
            }
        }
    }

    /// Declares `to`, the index of a butterfly's first output in natural order.
    fn output_place(&mut self, base: &str, b: usize, radix: usize, n_done: usize) {
        line!(self, "        let j = t + {}u;", self.plan.threads * b);
        line!(self, "        let to = {base} + (j / {n_done}u) * {}u + j % {n_done}u;", n_done * radix);
    }

    fn store(&mut self, radix: usize, n_done: usize) {
        let n_butterflies = self.plan.elements() / radix;
        let writes_windowed = self.meets_samples() && !self.is_forward();
        self.of_frame();
        line!(self, "        let first = frame * {}u;", self.n_packed());
        for b in 0..n_butterflies {
            line!(self, "        {{");
            let base = if self.is_part() || writes_windowed { "0u" } else { "first" };
            self.output_place(base, b, radix, n_done);
            for k in 0..radix {
                let (value, output) = (b + k * n_butterflies, format!("to + {}u", k * n_done));
                let place = self.place_in_frame(&output);
                if writes_windowed {
                    line!(
                        self,
                        "        {{ let k = 2u * ({place}); windowed[2u * first + k] = r{value}.x * window[k]; windowed[2u * first + k + 1u] = r{value}.y * window[k + 1u]; }}"
                    );
                } else if self.are_columns() {
                    line!(self, "        stepped[first + {place}] = turned(r{value}, ({output}) * row_or_column);");
                } else if self.is_part() {
                    line!(self, "        stepped[first + {place}] = r{value};");
                } else {
                    line!(self, "        packed[{place}] = r{value};");
                }
            }
            line!(self, "        }}");
        }
        line!(self, "    }}");
    }
}
