//! Every shader parses and validates, every file is used, and WGSL lays structs out as Rust does.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner};
use sonobrush::gpu::{StructLayout, layouts, shaders};
use std::path::Path;

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let sources = shaders::sources();
    let (kernels, common) = (files(&folder), files(&folder.join("common")));
    assert!(kernels.len() >= 11 && common.len() >= 6, "{} {}", kernels.len(), common.len());
    let is_used = |text: &str| sources.iter().any(|(_, source)| source.contains(text));
    for (name, text) in &kernels {
        // The display shader belongs to the canvas, which brings its own pipeline.
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

#[test]
fn kernels_have_the_names_of_their_twins() {
    let twins = [
        ("gain", &["gain"][..]),
        ("erase", &["erase"]),
        ("attenuate", &["attenuate", "along"]),
        ("band_filter", &["band_filter"]),
        ("blur", &["blur_mix"]),
        ("sharpen", &["sharpen_mix"]),
        ("combine", &["combine"]),
        ("harmonic_percussive", &["harmonic_percussive"]),
        ("retarget", &["retarget"]),
        ("distance", &["distance_squares"]),
        ("resample", &["catmull_rom", "tap_turns", "tap"]),
    ];
    for (name, functions) in twins {
        let (_, source) = shaders::sources().into_iter().find(|(source_name, _)| source_name == name).unwrap();
        let module = validated(&source).unwrap();
        for function in functions {
            let found = module.functions.iter().any(|(_, f)| f.name.as_deref() == Some(*function));
            assert!(found, "{name} has no function {function}");
        }
    }
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
    // No shader has a struct that Rust does not know, but the one of built-in values.
    for (name, module) in &modules {
        for (_, kind) in module.types.iter().filter(|(_, kind)| matches!(kind.inner, TypeInner::Struct { .. })) {
            let struct_name = kind.name.clone().unwrap_or_default();
            let is_known = struct_name == "Invocation" || layouts().iter().any(|layout| layout.name == struct_name);
            assert!(is_known, "{name}: struct {struct_name}");
        }
    }
}
