//! WGSL for the FFT of one size: a register-blocked Stockham transform, one workgroup for one to eight frames.
//!
//! Element `e` of thread `t` holds value `t + T e`, `T` threads per transform. A pass of radix `r` multiplies by `W^(p
//! k)`, transforms `r` values at a time, and exchanges through workgroup memory. The forward shader reads samples and
//! window and writes N/2 packed complex values per frame, the inverse reads those and writes windowed frames. The two
//! largest sizes need 512 threads and 32 KiB, which not every adapter has: see [`needs`].
//!
//! Source: Stockham's autosort FFT as in Govindaraju et al., SC 2008; packing as in Sorensen et al., IEEE TASSP 35(6),
//! 1987.

use super::devices::needs::{NEEDS, Needs};
use std::fmt::Write;

/// Transform sizes that the GPU supports, in real samples.
pub const SIZES: [usize; 6] = [512, 1024, 2048, 4096, 8192, 16384];

/// Direction of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FftDirection {
    /// Samples to packed spectrum.
    Forward,
    /// Packed spectrum to windowed frames.
    Inverse,
}

/// The passes of one transform size.
struct Plan {
    /// Number of complex values, half the number of real ones.
    n: usize,
    threads: usize,
    frames_per_workgroup: usize,
    radices: &'static [usize],
    exchange: Exchange,
}

/// How threads exchange values between passes.
#[derive(Clone, Copy, PartialEq)]
enum Exchange {
    /// Whole complex values in one exchange.
    Whole,
    /// Real parts, then imaginary parts, in half the memory.
    Split,
}

impl Plan {
    fn new(n_fft: usize) -> Option<Plan> {
        use Exchange::{Split, Whole};
        let (threads, frames_per_workgroup, radices, exchange): (_, _, &[usize], _) = match n_fft {
            512 => (32, 8, &[8, 8, 4], Whole),
            1024 => (64, 4, &[8, 8, 8], Whole),
            2048 => (128, 2, &[8, 8, 8, 2], Whole),
            4096 => (256, 1, &[8, 8, 8, 4], Whole),
            8192 => (512, 1, &[8, 8, 8, 8], Whole),
            16384 => (512, 1, &[8, 8, 8, 8, 2], Split),
            _ => return None,
        };
        Some(Plan { n: n_fft / 2, threads, frames_per_workgroup, radices, exchange })
    }

    fn elements(&self) -> usize {
        self.n / self.threads
    }

    fn workgroup_bytes(&self) -> usize {
        let bytes = match self.exchange {
            Exchange::Whole => 8,
            Exchange::Split => 4,
        };
        bytes * self.n * self.frames_per_workgroup
    }
}

/// Device requirements of a transform size; `None` if it is not one of [`SIZES`].
pub fn needs(n_fft: usize) -> Option<Needs> {
    let plan = Plan::new(n_fft)?;
    Some(Needs {
        workgroup_bytes: plan.workgroup_bytes() as u32,
        workgroup_threads: (plan.threads * plan.frames_per_workgroup) as u32,
        ..NEEDS
    })
}

/// Number of frames that one workgroup transforms.
pub(super) fn frames_per_workgroup(n_fft: usize) -> usize {
    Plan::new(n_fft).map_or(1, |plan| plan.frames_per_workgroup)
}

/// The shader for `n_fft`; `None` if it is not one of [`SIZES`]. The entry point is `fft`.
pub fn source(n_fft: usize, direction: FftDirection) -> Option<String> {
    Plan::new(n_fft).map(|plan| Generator { plan, direction, text: String::new() }.shader())
}

/// Name of a shader, for labels and tests.
pub fn name(n_fft: usize, direction: FftDirection) -> String {
    match direction {
        FftDirection::Forward => format!("fft_{n_fft}"),
        FftDirection::Inverse => format!("fft_{n_fft}_inverse"),
    }
}

struct Generator {
    plan: Plan,
    direction: FftDirection,
    text: String,
}

/// Appends a line; writing to a `String` cannot fail.
macro_rules! line {
    ($generator:expr, $($arguments:tt)*) => {
        writeln!($generator.text, $($arguments)*).ok()
    };
}

impl Generator {
    fn shader(mut self) -> String {
        self.head();
        self.load();
        let mut n_done = 1;
        let radices = self.plan.radices;
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

    fn head(&mut self) {
        let Plan { n, threads, frames_per_workgroup, exchange, .. } = self.plan;
        line!(self, "@group(0) @binding(0) var<uniform> frames: Frames;");
        match self.direction {
            FftDirection::Forward => {
                line!(self, "@group(0) @binding(1) var<storage, read> samples: array<f32>;");
                line!(self, "@group(0) @binding(4) var<storage, read_write> packed: array<vec2<f32>>;");
            }
            FftDirection::Inverse => {
                line!(self, "@group(0) @binding(1) var<storage, read> packed: array<vec2<f32>>;");
                line!(self, "@group(0) @binding(4) var<storage, read_write> windowed: array<f32>;");
            }
        }
        line!(self, "@group(0) @binding(2) var<storage, read> window: array<f32>;");
        line!(
            self,
            "@group(0) @binding(3) var<storage, read> twiddles: array<vec2<f32>>; // exp(-2 pi i k / {})",
            2 * n
        );
        let total = n * frames_per_workgroup;
        match exchange {
            Exchange::Whole => line!(self, "var<workgroup> shared_values: array<vec2<f32>, {total}>;"),
            Exchange::Split => line!(self, "var<workgroup> shared_values: array<f32, {total}>;"),
        };
        let (turn, twiddle) = match self.direction {
            FftDirection::Forward => ("vec2<f32>(a.y, -a.x)", "twiddles[2u * k]"),
            FftDirection::Inverse => ("vec2<f32>(-a.y, a.x)", "conj(twiddles[2u * k])"),
        };
        line!(self, "fn quarter_turn(a: vec2<f32>) -> vec2<f32> {{ return {turn}; }}");
        line!(self, "fn twiddle(k: u32) -> vec2<f32> {{ return {twiddle}; }}");
        line!(self, "@compute @workgroup_size({})", threads * frames_per_workgroup);
        line!(
            self,
            "fn fft(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {{"
        );
        line!(self, "    let t = local % {threads}u;");
        line!(self, "    let slot = local / {threads}u;");
        line!(self, "    let base = slot * {n}u;");
        line!(self, "    let frame = workgroup.x * {frames_per_workgroup}u + slot;");
        // No early return: barriers need every thread.
        line!(self, "    let is_frame = frame < frames.n_frames;");
    }

    fn load(&mut self) {
        let Plan { n, threads, .. } = self.plan;
        for e in 0..self.plan.elements() {
            line!(self, "    var r{e} = vec2<f32>(0.0);");
        }
        line!(self, "    if is_frame {{");
        match self.direction {
            FftDirection::Forward => line!(self, "        let first = frame * frames.hop;"),
            FftDirection::Inverse => line!(self, "        let first = frame * {n}u;"),
        };
        for e in 0..self.plan.elements() {
            let k = threads * e;
            match self.direction {
                FftDirection::Forward => line!(
                    self,
                    "        {{ let k = 2u * (t + {k}u); r{e} = vec2<f32>(samples[first + k] * window[k], samples[first + k + 1u] * window[k + 1u]); }}"
                ),
                FftDirection::Inverse => line!(self, "        r{e} = packed[first + t + {k}u];"),
            };
        }
        line!(self, "    }}");
    }

    /// The butterflies of one pass, on registers: butterfly `b` takes the elements `b`, `b + B`, `b + 2 B` and so on.
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

    /// Exchanges values from the write positions of a pass to the read positions of the next.
    fn exchange(&mut self, radix: usize, n_done: usize, is_first: bool) {
        let parts: &[&str] = match self.plan.exchange {
            Exchange::Whole => &[""],
            Exchange::Split => &[".x", ".y"],
        };
        let n_butterflies = self.plan.elements() / radix;
        for (i, part) in parts.iter().enumerate() {
            if !(is_first && i == 0) {
                line!(self, "    workgroupBarrier();");
            }
            for b in 0..n_butterflies {
                line!(self, "    {{");
                self.output_place("base", b, radix, n_done);
                for k in 0..radix {
                    let (value, offset) = (b + k * n_butterflies, k * n_done);
                    line!(self, "        shared_values[to + {offset}u] = r{value}{part};");
                }
                line!(self, "    }}");
            }
            line!(self, "    workgroupBarrier();");
            for e in 0..self.plan.elements() {
                line!(self, "    r{e}{part} = shared_values[base + t + {}u];", self.plan.threads * e);
            }
        }
    }

    /// Declares `to`, the position of a butterfly's first output in natural order.
    fn output_place(&mut self, base: &str, b: usize, radix: usize, n_done: usize) {
        line!(self, "        let j = t + {}u;", self.plan.threads * b);
        line!(self, "        let to = {base} + (j / {n_done}u) * {}u + j % {n_done}u;", n_done * radix);
    }

    fn store(&mut self, radix: usize, n_done: usize) {
        let n_butterflies = self.plan.elements() / radix;
        line!(self, "    if is_frame {{");
        line!(self, "        let first = frame * {}u;", self.plan.n);
        for b in 0..n_butterflies {
            line!(self, "        {{");
            match self.direction {
                FftDirection::Forward => self.output_place("first", b, radix, n_done),
                FftDirection::Inverse => self.output_place("0u", b, radix, n_done),
            }
            for k in 0..radix {
                let (value, offset) = (b + k * n_butterflies, k * n_done);
                match self.direction {
                    FftDirection::Forward => line!(self, "        packed[to + {offset}u] = r{value};"),
                    FftDirection::Inverse => line!(
                        self,
                        "        {{ let k = 2u * (to + {offset}u); windowed[2u * first + k] = r{value}.x * window[k]; windowed[2u * first + k + 1u] = r{value}.y * window[k + 1u]; }}"
                    ),
                };
            }
            line!(self, "        }}");
        }
        line!(self, "    }}");
    }
}
