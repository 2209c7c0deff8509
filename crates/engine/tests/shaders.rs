//! Every shader parses and validates, every file is used, and WGSL lays structs out as Rust does.

use engine::gpu::{StructLayout, layouts, shaders};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner};
use std::path::Path;
use support::sources::source;

fn validated(source: &str) -> Result<Module, String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).map_err(|error| error.emit_to_string(source))?;
    Ok(module)
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn every_shader_validates() {
    let sources = shaders::sources();
    assert!(sources.len() >= 23, "{}", sources.len());
    for (name, source) in &sources {
        let module = validated(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!module.entry_points.is_empty(), "{name}");
    }
    // Control: one wrong type is refused.
    let (_, source) = sources.iter().find(|(name, _)| name == "gain").unwrap();
    assert!(validated(&source.replace("log2_gain: f32,", "log2_gain: u32,")).is_err());
}

#[test]
fn every_file_is_used() {
    let folder = support::root().join("shaders");
    let sources = shaders::sources();
    let (kernels, common) = (files(&folder), files(&folder.join("common")));
    assert!(kernels.len() >= 11 && common.len() >= 6, "{} {}", kernels.len(), common.len());
    let is_used = |text: &str| sources.iter().any(|(_, source)| source.contains(text));
    for (name, text) in &kernels {
        // A file that is not a shader of its own must at least be valid.
        let own = sources.iter().find(|(source_name, _)| source_name == name);
        if let Some((_, source)) = own {
            assert!(source.contains(text.as_str()), "{name}");
        } else {
            validated(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    for (name, text) in &common {
        assert!(is_used(text), "common/{name} is used by nothing");
    }
    assert!(!is_used("fn that_does_not_exist"));
}

/// Whether a Rust file of `dsp` defines a function.
fn is_in_rust(file: &str, function: &str) -> bool {
    let text = source(&format!("dsp/{file}"));
    text.lines().any(|line| line.trim_start_matches("pub ").starts_with(&format!("fn {function}(")))
}

#[test]
fn kernels_have_the_names_of_their_twins() {
    let twins = [
        ("gain", "kernels/gain.rs", &["gain"][..]),
        ("erase", "kernels/erase.rs", &["erase"]),
        ("attenuate", "kernels/heal/attenuate.rs", &["attenuate", "along"]),
        ("band_filter", "kernels/band_filter.rs", &["band_filter"]),
        ("blur", "kernels/blur.rs", &["blur_mix"]),
        ("modulation_filter", "kernels/blur.rs", &["blur_mix"]),
        ("sharpen", "kernels/sharpen.rs", &["sharpen_mix"]),
        ("row_blur", "kernels/blur.rs", &["blur_mix"]),
        ("row_blur", "kernels/sharpen.rs", &["sharpen_mix"]),
        ("combine", "kernels/combine.rs", &["combine"]),
        ("row_drag", "kernels/combine.rs", &["combine"]),
        ("row_resample", "kernels/resample.rs", &["catmull_rom"]),
        ("contrast", "kernels/contrast.rs", &["contrast"]),
        ("gate", "kernels/gate.rs", &["gate"]),
        ("picture", "kernels/picture.rs", &["picture"]),
        ("harmonic_percussive", "kernels/harmonic_percussive.rs", &["harmonic_percussive"]),
        ("sound_medians", "kernels/harmonic_percussive.rs", &["medians", "mirrored"]),
        ("retarget", "kernels/heal/consistency.rs", &["retarget"]),
        ("distance", "kernels/heal/consistency.rs", &["distance_squares"]),
        ("resample", "kernels/resample.rs", &["resample", "catmull_rom"]),
        ("resample", "cells/polar.rs", &["cos_sin_turns", "turns_from_complex", "magnitude_from_complex"]),
        ("voices", "voices/sine.rs", &["sine"]),
        ("segment_mels", "mels/segment_mels.rs", &["reflected"]),
        ("picture_hashes", "comparison/hashes/mod.rs", &["ahash", "dhash"]),
        ("onset_flux", "pitch/onsets.rs", &["onset_flux"]),
    ];
    for (name, file, functions) in twins {
        let (_, source) = shaders::sources().into_iter().find(|(source_name, _)| source_name == name).unwrap();
        let module = validated(&source).unwrap();
        let functions_in_wgsl = module.functions.iter().filter_map(|(_, f)| f.name.as_deref());
        let entry_points = module.entry_points.iter().map(|entry| entry.name.as_str());
        let in_wgsl: Vec<&str> = functions_in_wgsl.chain(entry_points).collect();
        for function in functions {
            assert!(in_wgsl.contains(function), "{name}.wgsl has no function {function}");
            assert!(is_in_rust(file, function), "{file} has no function {function}");
        }
    }
    // Control: a function that only the shader has.
    assert!(!is_in_rust("kernels/resample.rs", "tap_turns"));
}

/// Decimal literals in WGSL with more than four significant digits, except powers of two.
fn long_numbers(text: &str) -> Vec<&str> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '.'));
    let is_long = |word: &&str| {
        let Ok(value) = word.trim_end_matches('f').parse::<f64>() else { return false };
        let digits = word.split(['e', 'f']).next().unwrap_or_default().chars().filter(char::is_ascii_digit);
        let is_power_of_two = value.fract() == 0.0 && (value as u64).is_power_of_two();
        word.contains('.') && !is_power_of_two && digits.skip_while(|digit| *digit == '0').count() > 4
    };
    words.filter(is_long).collect()
}

#[test]
fn numbers_that_both_engines_need_are_those_of_rust() {
    let constants = shaders::constants();
    assert!(constants.len() >= 31, "{}", constants.len());
    let (_, source) = shaders::sources().into_iter().find(|(name, _)| name == "attenuate").unwrap();
    let module = validated(&source).unwrap();
    let in_wgsl = |module: &Module, name: &str| {
        let (_, constant) = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(name))?;
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::F32(value)) => Some(value.to_bits()),
            _ => None,
        }
    };
    for (name, value) in &constants {
        assert_eq!(in_wgsl(&module, name), Some(value.to_bits()), "{name}");
    }
    // Control: a constant with one digit less has another value.
    let spoiled = source.replacen("0.05550411f", "0.0555041f", 1);
    assert_ne!(spoiled, source);
    assert_ne!(in_wgsl(&validated(&spoiled).unwrap(), "EXP2_2"), in_wgsl(&module, "EXP2_2"));
    // No WGSL file contains such constants itself, except drawing, which may use the logarithm of WGSL.
    let folder = support::root().join("shaders");
    let drawing = |(name, _): &(String, String)| name == "display";
    for (name, text) in files(&folder).into_iter().chain(files(&folder.join("common"))).filter(|file| !drawing(file)) {
        assert_eq!(long_numbers(&text), [""; 0], "{name}");
    }
    assert_eq!(long_numbers("let a = 0.6931472 * 4294967296.0 + 0.25 - x1.y; // 0.123456"), ["0.6931472"]);
}

/// The struct as WGSL lays it out, if the module has one of that name.
fn layout_in(module: &Module, name: &str) -> Option<(u32, Vec<(String, u32)>)> {
    module.types.iter().find_map(|(_, kind)| match &kind.inner {
        TypeInner::Struct { members, span } if kind.name.as_deref() == Some(name) => {
            Some((*span, members.iter().map(|m| (m.name.clone().unwrap(), m.offset)).collect()))
        }
        _ => None,
    })
}

fn is_same(layout: &StructLayout, (size, members): &(u32, Vec<(String, u32)>)) -> bool {
    layout.size == *size as usize
        && layout.members.len() == members.len()
        && layout
            .members
            .iter()
            .zip(members)
            .all(|((name, offset), (wgsl_name, wgsl_offset))| name == wgsl_name && *offset == *wgsl_offset as usize)
}

#[test]
fn structs_are_laid_out_as_in_rust() {
    let modules: Vec<(String, Module)> =
        shaders::sources().into_iter().map(|(name, source)| (name, validated(&source).unwrap())).collect();
    assert!(!layouts().is_empty());
    for layout in layouts() {
        let mut found = 0;
        for (name, module) in &modules {
            if let Some(in_wgsl) = layout_in(module, layout.name) {
                found += 1;
                assert!(is_same(&layout, &in_wgsl), "{} in {name}: {layout:?} {in_wgsl:?}", layout.name);
                // Control: a member that moved, one that was renamed, and a size that grew are each noticed.
                for spoil in [
                    |layout: &mut StructLayout| layout.members.last_mut().unwrap().1 += 4,
                    |layout: &mut StructLayout| layout.members.last_mut().unwrap().0 = "renamed",
                    |layout: &mut StructLayout| layout.size += 4,
                ] {
                    let mut spoiled = layout.clone();
                    spoil(&mut spoiled);
                    assert!(!is_same(&spoiled, &in_wgsl), "{}", layout.name);
                }
            }
        }
        assert!(found > 0, "no shader has the struct {}", layout.name);
    }
    // Every struct of a shader also exists in Rust, except the one of built-in values.
    for (name, module) in &modules {
        for (_, kind) in module.types.iter().filter(|(_, kind)| matches!(kind.inner, TypeInner::Struct { .. })) {
            let struct_name = kind.name.clone().unwrap_or_default();
            let is_known = struct_name == "Invocation" || layouts().iter().any(|layout| layout.name == struct_name);
            assert!(is_known, "{name}: struct {struct_name}");
        }
    }
}

/// Upper bound of an unsigned expression, if its text alone implies one.
fn max_of(module: &Module, function: &naga::Function, handle: naga::Handle<naga::Expression>) -> Option<u64> {
    use naga::{BinaryOperator as Op, Expression, Literal};
    match function.expressions[handle] {
        Expression::Literal(Literal::U32(value)) => Some(value.into()),
        Expression::Literal(Literal::I32(value)) => value.try_into().ok(),
        Expression::Constant(constant) => match module.global_expressions[module.constants[constant].init] {
            Expression::Literal(Literal::U32(value)) => Some(value.into()),
            _ => None,
        },
        Expression::Splat { value, .. } => max_of(module, function, value),
        Expression::Binary { op, left, right } => {
            let [left, right] = [left, right].map(|side| max_of(module, function, side));
            match op {
                Op::Modulo => right?.checked_sub(1),
                Op::And => left.into_iter().chain(right).min(),
                Op::Multiply => left?.checked_mul(right?),
                Op::Add => left?.checked_add(right?),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the text alone implies that a float lies within the range of 32-bit integers.
fn is_within(function: &naga::Function, handle: naga::Handle<naga::Expression>) -> bool {
    use naga::{BinaryOperator as Op, Expression, Literal, MathFunction as Math};
    let within = |handle| is_within(function, handle);
    match function.expressions[handle] {
        Expression::Literal(Literal::F32(value)) => value.abs() <= 65_536.0,
        Expression::Splat { value, .. } => within(value),
        Expression::Binary { op: Op::Add | Op::Subtract | Op::Multiply, left, right } => within(left) && within(right),
        Expression::Math { fun: Math::Clamp, arg1: Some(low), arg2: Some(high), .. } => within(low) && within(high),
        Expression::Math { fun: Math::Fract, .. } => true,
        Expression::Math { fun: Math::Round | Math::Floor, arg, .. } => within(arg),
        _ => false,
    }
}

/// Functions that convert floats with bounds unknown from the text to integers, and why they are in range.
const BOUNDED_ELSEWHERE: [(&str, &str); 5] = [
    ("cos_sin_turns", "a quarter of what is left of a number less its nearest whole one"),
    ("tap_turns", "a fraction below 1 times 2^32 over an overlap of at least 2"),
    ("picture", "a pixel of a texture"),
    ("smooth_picture", "a pixel of a texture"),
    ("copy_pane", "a pixel of the window less the origin of a pane in it"),
];

/// Expressions whose results may differ between WGSL and GLSL, to which shaders are translated for OpenGL: remainders
/// and quotients of signed integers, shifts by possibly 32 bits or more, and conversions of floats that may exceed the
/// range of integers.
fn left_open(name: &str, function: &naga::Function, info: &naga::valid::FunctionInfo, module: &Module) -> Vec<String> {
    use naga::{BinaryOperator as Op, Expression, ScalarKind};
    let kind = |handle: naga::Handle<Expression>| info[handle].ty.inner_with(&module.types).scalar_kind();
    let mut found = Vec::new();
    for (handle, expression) in function.expressions.iter() {
        let what = match *expression {
            Expression::Binary { op: op @ (Op::Modulo | Op::Divide), left, .. }
                if kind(left) == Some(ScalarKind::Sint) =>
            {
                format!("{op:?} of numbers with a sign")
            }
            Expression::Binary { op: op @ (Op::ShiftLeft | Op::ShiftRight), right, .. }
                if max_of(module, function, right).is_none_or(|max| max > 31) =>
            {
                format!("{op:?} by what may be 32 or more")
            }
            Expression::As { expr, kind: ScalarKind::Sint | ScalarKind::Uint, convert: Some(_) }
                if kind(expr) == Some(ScalarKind::Float)
                    && !is_within(function, expr)
                    && BOUNDED_ELSEWHERE.iter().all(|(known, _)| *known != name) =>
            {
                "a float of any size made a whole number".into()
            }
            _ => continue,
        };
        found.push(format!("{name}: {what}, expression {handle:?}"));
    }
    found
}

fn left_open_in(source: &str) -> Vec<String> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).unwrap();
    let functions = module.functions.iter().flat_map(|(handle, function)| {
        left_open(function.name.as_deref().unwrap_or_default(), function, &info[handle], &module)
    });
    let entries = module
        .entry_points
        .iter()
        .enumerate()
        .flat_map(|(index, entry)| left_open(&entry.name, &entry.function, info.get_entry_point(index), &module));
    functions.chain(entries).collect()
}

#[test]
fn arithmetic_means_the_same_in_glsl() {
    for (name, source) in shaders::sources() {
        assert_eq!(left_open_in(&source), [""; 0], "{name}");
    }
    // Controls. The first one once caused an error of 18 dB in a modulation filter.
    let found = |body: &str| {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> n: array<i32>;
             @group(0) @binding(1) var<storage, read_write> x: array<f32>;
             @compute @workgroup_size(64) fn run() {{ {body} }}"
        );
        left_open_in(&source).len()
    };
    assert_eq!(found("n[0] = (n[1] - 4) % 6;"), 1);
    assert_eq!(found("n[0] = n[1] / n[2];"), 1);
    assert_eq!(found("n[0] = n[1] << u32(n[2]);"), 1);
    assert_eq!(found("n[0] = n[1] >> (16u * (u32(n[2]) % 3u));"), 1);
    assert_eq!(found("n[0] = i32(x[0]);"), 1);
    assert_eq!(found("n[0] = i32(floor(clamp(x[0], -1e9, 5.0)));"), 1);
    let good =
        "n[0] = i32(u32(n[1]) % 6u); n[2] = n[1] << (8u * (u32(n[2]) % 4u)); n[3] = i32(round(clamp(x[0], 0.0, 5.0)));";
    assert_eq!(found(good), 0);
}
