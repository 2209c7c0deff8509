//! Every shader, for platforms other than that of the test: naga, the translator that wgpu uses, produces SPIR-V, MSL
//! and HLSL for each entry point, and none requires more of a device than `gpu::NEEDS` or, for long FFTs in one
//! workgroup, than `FftStep::needs`.

use engine::gpu::fft::{self, FftShader, FftStep};
use engine::gpu::{NEEDS, Needs, shaders};
use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, EntryPoint, Module, ShaderStage};
use support::sources::{source, sources};

/// Maximum size of a workgroup along y and z, the same on every device.
const MAX_THREADS_Y_AND_Z: [u32; 2] = [256, 64];

/// Capabilities that Vulkan 1.0 guarantees on every device.
const VULKAN: [spv::Capability; 7] = [
    spv::Capability::Shader,
    spv::Capability::Matrix,
    spv::Capability::Sampled1D,
    spv::Capability::Image1D,
    spv::Capability::ImageQuery,
    spv::Capability::DerivativeControl,
    spv::Capability::StorageImageExtendedFormats,
];

fn validated(source: &str, capabilities: Capabilities) -> (Module, ModuleInfo) {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    let info = info.unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    (module, info)
}

/// Errors of each back end for one entry point, with its name. Each translates for the oldest target that wgpu
/// supports: Vulkan 1.0, Metal of macOS 10.12, and Shader Model 5.1, that of FXC.
fn translation_errors(module: &Module, info: &ModuleInfo, entry: &EntryPoint) -> Vec<String> {
    let mut errors = Vec::new();
    let options = spv::Options { capabilities: Some(VULKAN.into_iter().collect()), ..spv::Options::default() };
    let target = spv::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone() };
    match spv::write_vec(module, info, &options, Some(&target)) {
        Ok(words) => assert!(words.len() > 20, "{words:?}"),
        Err(error) => errors.push(format!("SPIR-V: {error}")),
    }
    let wanted = Some((entry.stage, entry.name.clone()));
    let options = msl::Options { lang_version: (1, 2), ..msl::Options::default() };
    let target = msl::PipelineOptions { entry_point: wanted.clone(), ..msl::PipelineOptions::default() };
    match msl::write_string(module, info, &options, &target) {
        Ok((_, written)) => errors.extend(written.entry_point_names.iter().filter_map(|name| {
            let error = name.as_ref().err()?;
            Some(format!("MSL: {error}"))
        })),
        Err(error) => errors.push(format!("MSL: {error}")),
    }
    let (options, target) = (hlsl::Options::default(), hlsl::PipelineOptions { entry_point: wanted });
    let mut text = String::new();
    match hlsl::Writer::new(&mut text, &options, &target).write(module, info, None) {
        Ok(written) => errors.extend(written.entry_point_names.iter().filter_map(|name| {
            let error = name.as_ref().err()?;
            Some(format!("HLSL: {error}"))
        })),
        Err(error) => errors.push(format!("HLSL: {error}")),
    }
    errors
}

/// Requirements of an entry point beyond the permitted ones.
fn excesses(module: &Module, info: &ModuleInfo, index: usize, may: Needs) -> Vec<String> {
    let used = info.get_entry_point(index);
    let globals = || module.global_variables.iter().filter(|(handle, _)| !used[*handle].is_empty());
    let workgroup_bytes: u32 = globals()
        .filter(|(_, global)| global.space == AddressSpace::WorkGroup)
        .map(|(_, global)| module.types[global.ty].inner.size(module.to_ctx()).next_multiple_of(16))
        .sum();
    let storage_buffers = globals().filter(|(_, global)| matches!(global.space, AddressSpace::Storage { .. })).count();
    let mut found = Vec::new();
    let mut compare = |what: &str, needed: u32, max: u32| {
        if needed > max {
            found.push(format!("{needed} {what}, more than {max}"));
        }
    };
    compare("bytes of workgroup memory", workgroup_bytes, may.workgroup_bytes);
    compare("storage buffers", storage_buffers as u32, may.storage_buffers);
    if module.entry_points[index].stage == ShaderStage::Compute {
        let [x, y, z] = module.entry_points[index].workgroup_size;
        compare("invocations", x * y * z, may.workgroup_threads);
        compare("invocations along y", y, MAX_THREADS_Y_AND_Z[0]);
        compare("invocations along z", z, MAX_THREADS_Y_AND_Z[1]);
    }
    found
}

/// Everything wrong with a shader, with its entry points.
fn problems(source: &str, capabilities: Capabilities, may: Needs) -> Vec<String> {
    let (module, info) = validated(source, capabilities);
    assert!(!module.entry_points.is_empty());
    let of_entry = |(index, entry): (usize, &EntryPoint)| {
        let found = [translation_errors(&module, &info, entry), excesses(&module, &info, index, may)].concat();
        found.into_iter().map(|problem| format!("{}: {problem}", entry.name)).collect::<Vec<_>>()
    };
    module.entry_points.iter().enumerate().flat_map(of_entry).collect()
}

#[test]
fn every_shader_translates_to_spirv_msl_and_hlsl_and_fits() {
    let sources = shaders::sources();
    let ffts: Vec<FftShader> = fft::shaders().collect();
    // Both directions of each size: nine sizes in one workgroup, one of them also in a narrow variant, and nine in two
    // shaders.
    assert_eq!((fft::SIZES.len(), ffts.len()), (17, 2 * (9 + 1 + 2 * 9)));
    for (name, source) in &sources {
        let fft = ffts.iter().find(|shader| shader.name() == *name);
        let may = fft.map_or(NEEDS, |shader| shader.step.needs(shader.n_fft).unwrap());
        assert_eq!(problems(source, Capabilities::empty(), may), [""; 0], "{name}");
    }
    assert!(ffts.iter().all(|shader| sources.iter().any(|(name, _)| shader.name() == *name)));
    // All but those of two sizes in one workgroup fit an adapter with 256 threads and 16 KB.
    let beyond = ffts.iter().filter(|shader| shader.step.needs(shader.n_fft) != Some(NEEDS));
    let beyond: Vec<_> = beyond.map(|shader| (shader.n_fft, shader.step)).collect();
    assert_eq!(beyond, [8192, 8192, 16384, 16384].map(|n_fft| (n_fft, FftStep::Whole)));
    // With WebGPU's default limits, every size uses steps that fit.
    let min = wgpu::Limits::default();
    for n_fft in fft::SIZES {
        let steps = fft::steps(n_fft, &min).unwrap();
        assert!(steps.iter().all(|step| step.needs(n_fft) == Some(NEEDS)), "{n_fft}: {steps:?}");
    }
    let (_, longest) = sources.iter().find(|(name, _)| name == "fft_16384").unwrap();
    let found = problems(longest, Capabilities::empty(), NEEDS).join("; ");
    assert_eq!(found, "fft: 32768 bytes of workgroup memory, more than 16384; fft: 512 invocations, more than 256");
}

#[test]
fn what_does_not_fit_or_translate_is_noticed() {
    let kernel = |declared: &str, threads: &str, body: &str| {
        format!("{declared}\n@compute @workgroup_size({threads}) fn run() {{ {body} }}")
    };
    let found = |source: &str, capabilities| problems(source, capabilities, NEEDS).join("; ");
    let plain = |source: &str| found(source, Capabilities::empty());
    // A shader exactly at the limit is accepted.
    let memory = |n: u32| kernel(&format!("var<workgroup> values: array<f32, {n}>;"), "256", "values[0] = 1.0;");
    assert_eq!(plain(&memory(4096)), "");
    assert_eq!(plain(&memory(4097)), "run: 16400 bytes of workgroup memory, more than 16384");
    assert_eq!(plain(&kernel("", "256, 2", "")), "run: 512 invocations, more than 256");
    let buffer = |k: usize| format!("@group(0) @binding({k}) var<storage, read_write> b{k}: array<f32>;");
    let buffers = |n: usize| {
        let (declared, uses): (Vec<_>, Vec<_>) = (0..n).map(|k| (buffer(k), format!("b{k}[0] = 1.0;"))).unzip();
        kernel(&declared.join("\n"), "64", &uses.join(" "))
    };
    assert_eq!(plain(&buffers(8)), "");
    assert_eq!(plain(&buffers(9)), "run: 9 storage buffers, more than 8");
    // All three back ends refuse an override constant without its final value; only Vulkan 1.0 refuses 16-bit floats.
    let refused = plain(&kernel("override n: u32 = 4u; var<private> last: u32;", "64", "last = n;"));
    assert!(["SPIR-V: ", "MSL: ", "HLSL: "].iter().all(|back_end| refused.contains(back_end)), "{refused}");
    let half = kernel("enable f16; var<private> last: f16;", "64", "last = 1.5h;");
    let refused = found(&half, Capabilities::SHADER_FLOAT16);
    assert!(refused.starts_with("run: SPIR-V: ") && !refused.contains("; "), "{refused}");
}

/// Names of source files that contain a text.
fn naming(wanted: &str) -> Vec<String> {
    sources().into_iter().filter(|(_, text)| text.contains(wanted)).map(|(name, _)| name).collect()
}

#[test]
fn no_shader_reaches_a_device_past_the_list() {
    // `shaders::sources()` lists what `gpu/shaders.rs` assembles. Pipelines take their source from there, through
    // `Program` or, for drawing, `DISPLAY`. No other file creates a shader module, and besides `gpu/shaders.rs` only
    // cell kernels include WGSL files.
    assert_eq!(naming("create_shader_module"), ["gpu/display.rs", "gpu/pipelines.rs"]);
    assert_eq!(naming("include_wgsl"), [""; 0]);
    let (kernels, others): (Vec<_>, Vec<_>) =
        naming(".wgsl\")").into_iter().partition(|file| file.starts_with("dsp/kernels"));
    assert_eq!(others, ["gpu/shaders.rs"]);
    assert!(source("gpu/display.rs").contains("ShaderSource::Wgsl(shaders::DISPLAY.into())"));
    // Every included file is a part of a file in the list.
    let assembled: String = shaders::sources().into_iter().map(|(_, source)| source).collect();
    let including = kernels.iter().chain(&others).map(|file| source(file)).collect::<String>();
    let included: Vec<&str> = including
        .split("include_str!(\"../../../")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(|file| file.trim_start_matches("../"))
        .collect();
    assert!(included.len() >= 28, "{included:?}");
    for file in included {
        let wgsl = std::fs::read_to_string(support::root().join(file)).unwrap();
        assert!(assembled.contains(&wgsl), "{file} is in no shader of the list");
    }
}
