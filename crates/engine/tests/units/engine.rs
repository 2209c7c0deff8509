//! The choice of the engine, and its cached plans.

use base::EngineChoice;
use dsp::{StftParams, Window};
use engine::gpu::{AdapterSummary, MemoryKind};
use engine::{Plans, Verdict, judge};
use std::sync::Arc;

fn adapter(device_type: &str, computes: bool) -> AdapterSummary {
    AdapterSummary {
        name: "A".into(),
        backend: "Vulkan".into(),
        driver: String::new(),
        device_type: device_type.into(),
        max_texture: 16384,
        max_storage_buffer: 1 << 27,
        computes,
        memory_bytes: None,
        memory_kind: MemoryKind::Unknown,
        pci: String::new(),
        threads: 1024,
        workgroup_bytes: 32 << 10,
        timestamps: true,
    }
}

#[test]
fn the_adapter_with_most_memory_is_taken_among_equals() {
    let with_memory = |gigabytes: u64| AdapterSummary {
        memory_bytes: Some(gigabytes << 30),
        // Drivers state about the same largest buffer for every card.
        max_storage_buffer: (1 << 31) - gigabytes,
        ..adapter("DiscreteGpu", true)
    };
    let is_better = |a: &AdapterSummary, b: &AdapterSummary| a.rank() < b.rank();
    assert!(is_better(&with_memory(24), &with_memory(8)) && !is_better(&with_memory(8), &with_memory(24)));
    assert!(is_better(&with_memory(2), &adapter("DiscreteGpu", true)), "one whose memory is not known");
    // Integrated graphics may count all of the machine's memory; a discrete card still comes first.
    let integrated = AdapterSummary { memory_bytes: Some(64 << 30), ..adapter("IntegratedGpu", true) };
    assert!(is_better(&with_memory(8), &integrated) && is_better(&integrated, &adapter("Cpu", true)));
    let gl = AdapterSummary { backend: "Gl".into(), ..with_memory(24) };
    assert!(is_better(&with_memory(8), &gl));
    let draws_only = AdapterSummary { computes: false, ..with_memory(24) };
    assert!(is_better(&adapter("Cpu", true), &draws_only));
}

#[test]
fn only_real_adapters_are_taken_unasked() {
    let is_gpu = |choice, kind, computes| matches!(judge(choice, &adapter(kind, computes)), Verdict::Gpu(_));
    for (kind, expected) in
        [("DiscreteGpu", true), ("IntegratedGpu", true), ("VirtualGpu", true), ("Cpu", false), ("Other", false)]
    {
        assert_eq!(is_gpu(EngineChoice::Auto, kind, true), expected, "{kind}");
        assert!(is_gpu(EngineChoice::Gpu, kind, true), "{kind}");
        assert!(!is_gpu(EngineChoice::Cpu, kind, true) && !is_gpu(EngineChoice::Auto, kind, false), "{kind}");
        assert!(matches!(judge(EngineChoice::Gpu, &adapter(kind, false)), Verdict::Refused(_)), "{kind}");
    }
    // OpenGL draws, and computes only on request.
    let gl = AdapterSummary { backend: "Gl".into(), ..adapter("DiscreteGpu", true) };
    assert!(matches!(judge(EngineChoice::Auto, &gl), Verdict::Cpu(why) if why.contains("OpenGL")));
    assert!(matches!(judge(EngineChoice::Gpu, &gl), Verdict::Gpu(_)));
}

#[test]
fn plans_are_made_once_and_the_least_recently_used_is_dropped() {
    let plans = Plans::default();
    let of = |exponent: usize| StftParams::of_size(64 << exponent, 4, Window::Hann);
    let first = plans.get(of(0));
    let n_made = plans.n_made();
    assert!(Arc::ptr_eq(&first, &plans.clone().get(of(0))));
    assert_eq!(plans.n_made(), n_made);
    let mut others = Vec::new();
    for window in Window::ALL {
        others.push(Arc::downgrade(&plans.get(StftParams { window, ..of(1) })));
        others.push(Arc::downgrade(&plans.get(StftParams { window, ..of(2) })));
        plans.get(of(0));
    }
    assert!(Arc::ptr_eq(&first, &plans.get(of(0))), "used all the time");
    let kept = others.iter().filter(|plan| plan.strong_count() > 0).count();
    assert_eq!(kept, 11, "a dozen with the first");
    let n_made = plans.n_made();
    plans.get(of(1));
    assert!(plans.n_made() > n_made, "used long ago");
}
