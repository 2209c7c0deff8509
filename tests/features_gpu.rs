//! Features on the GPU: the values of the CPU within the tolerance of the definition, and one engine from first to
//! last.

use super::features::{RATE, array, f32_from_f16, signal, write};
use super::support::feature_orders::feature_work;
use super::support::gpu::gpu;
use super::support::npy;
use super::support::program::{Place, failure};
use super::support::signals::busy;
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::dsp::mels::mel::{MelBank, MelNorm, MelParams, MelScale};
use sonobrush::dsp::mels::segment_mels::SegmentMels;
use sonobrush::dsp::mels::segments::{SegmentParams, SegmentSpectra};
use sonobrush::engine::Engine;
use sonobrush::library::features::{FeatureEngine, FeatureOptions, FeatureOrder, RunStatus, write_features};
use std::time::Duration;

fn bank(n_mels: usize, n_fft: usize) -> MelBank {
    let params = MelParams { n_mels, scale: MelScale::Htk, norm: MelNorm::None, min_hz: 0.0, max_hz: 2_048.0 };
    MelBank::new(&params, n_fft, 4_096.0)
}

/// The farthest that two lists of mels are apart, relative to the loudest mel of each row.
fn apart(a: &[f32], b: &[f32], n_mels: usize) -> f32 {
    assert_eq!(a.len(), b.len());
    let of_row = |(a, b): (&[f32], &[f32])| {
        let loudest = b.iter().copied().fold(1e-20, f32::max);
        a.iter().zip(b).map(|(a, b)| (a - b).abs() / loudest).fold(0.0, f32::max)
    };
    a.chunks_exact(n_mels).zip(b.chunks_exact(n_mels)).map(of_row).fold(0.0, f32::max)
}

/// The segments' FFTs, the plain product and the GPU: mean power and single frames, with every size.
#[test]
fn a_product_with_the_windowed_dft_is_the_fft() {
    let samples = busy(3_000, 4_096.0, 7);
    for (n_samples, n_fft, hop, step) in
        [(512, 64, 16, 256), (300, 32, 50, 77), (500, 100, 16, 250), (257, 256, 64, 13)]
    {
        let params = SegmentParams { n_samples, n_fft, hop };
        let starts: Vec<usize> = (0..=(samples.len() - n_samples) / step).map(|k| k * step).collect();
        let bank = bank(20, n_fft);
        let mut spectra = SegmentSpectra::new(params, starts.clone());
        for by_frame in [false, true] {
            let of = SegmentMels::new(params, &starts, &bank, by_frame);
            let mut power = Vec::new();
            if by_frame {
                let mut frames = Vec::new();
                for &start in &starts {
                    spectra.power_by_frame(&samples[start..start + n_samples], &mut frames);
                    power.extend_from_slice(&frames);
                }
            } else {
                spectra.mean_power(&samples, &mut power);
            }
            let mut expected = vec![0.0; power.len() / params.n_bins() * 20];
            for (power, mels) in power.chunks_exact(params.n_bins()).zip(expected.chunks_exact_mut(20)) {
                bank.apply(power, mels);
            }
            let engines = [Some(Engine::cpu()), gpu().map(Engine::on)];
            for engine in engines.into_iter().flatten() {
                let found = engine.segment_mels(&of, &samples).unwrap();
                let worst = apart(&found, &expected, 20);
                assert!(worst < 2e-5, "{params:?} on the {}, {worst}", engine.name());
                // Control: another window, and the segment one sample later, are something else.
                let mut off = of.clone();
                off.matrix.iter_mut().for_each(|entry| entry[0] *= 1.001);
                assert!(apart(&engine.segment_mels(&off, &samples).unwrap(), &expected, 20) > 2e-5);
                let later: Vec<f32> = samples[1..].iter().copied().chain([0.0]).collect();
                assert!(apart(&engine.segment_mels(&of, &later).unwrap(), &expected, 20) > 2e-5);
            }
        }
    }
}

#[test]
fn the_preset_on_the_gpu_is_the_definition() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    write(&place, "a.wav", signal(40_960), RATE);
    // Longer than one block, shorter than a segment, and none at all.
    write(&place, "b.wav", signal(3_000), RATE);
    place.write("c.wav", b"RIFF");
    let said = place.done(&["features", "a.wav", "-o", "out", "--gpu"]);
    assert_eq!(said, "out: 1 file, [237, 32, 1]\n");
    let (_, bytes) = array(&place.path("out/features.npy"));
    let expected = npy::load(&"features_preset".into()).u16s_of("<f2");
    let found: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(found.len(), expected.len());
    for (&a, &b) in found.iter().zip(&expected) {
        let apart = (f32_from_f16(a) - f32_from_f16(b)).abs();
        assert!(apart <= 0.01 || a.abs_diff(b) <= 1, "{a} {b}");
    }
    let report: Value = serde_json::from_slice(&place.read("out/features.json")).unwrap();
    assert_eq!((&report["engine"], &report["options"]["engine"]), (&"gpu".into(), &"gpu".into()));
    // The report covers the GPU: one batch, with its samples and mels transferred.
    let stats = &report["stats"][0];
    assert_eq!((&stats["engine"], &stats["files"], &stats["batches"]), (&"gpu".into(), &1.into(), &1.into()));
    assert!(
        stats["moved_bytes"].as_u64().unwrap() >= 4 * 40_960 && stats["busy_ms"].as_f64().unwrap() > 0.0,
        "{stats}"
    );
    assert!(place.done(&["features", "--verify", "out"]).contains("intact"));
    // Whole sounds, frame by frame, in f32: as on the CPU, and the same rows.
    let options =
        ["features", "a.wav", "b.wav", "c.wav", "--whole", "--reduce", "frames", "--dtype", "f32", "--hop", "128"];
    place.done(&[&options[..], &["-o", "on_gpu", "--gpu"]].concat());
    place.done(&[&options[..], &["-o", "on_cpu", "--no-gpu"]].concat());
    assert_eq!(place.read("on_gpu/mapping.npy"), place.read("on_cpu/mapping.npy"));
    let values = |name: &str| -> Vec<f32> {
        let (_, bytes) = array(&place.path(name));
        bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
    };
    let (on_gpu, on_cpu) = (values("on_gpu/features.npy"), values("on_cpu/features.npy"));
    assert!(on_gpu.len() == on_cpu.len() && on_gpu.len() > 30_000);
    for (row, (a, b)) in on_gpu.chunks_exact(32 * 5).zip(on_cpu.chunks_exact(32 * 5)).enumerate() {
        let loudest = b.iter().copied().fold(f32::MIN, f32::max);
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 0.01 || *b < loudest - 60.0, "row {row}: {a} {b}, {loudest}");
        }
    }
    // The CPU's features say nothing of an engine that they did not name, as before.
    let report: Value = serde_json::from_slice(&place.read("on_cpu/features.json")).unwrap();
    assert!(report["engine"] == "cpu" && report["options"].get("engine").is_none());
}

/// How many files a batch has changes no byte, nor do those among them that cannot be read or take several blocks.
#[test]
fn a_batch_holds_segments_of_many_files_and_changes_no_byte() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    for number in 0..9 {
        let n = if number == 6 { 90_000 } else { 3_000 + 700 * number };
        write(&place, &format!("in/{number}.wav"), signal(n), RATE);
    }
    // Between the files 3 and 4.
    place.write("in/4 broken.wav", b"RIFF");
    let make = |name: &str, length: &[&str], more: &[&str]| {
        place.done(&[&["features", "in", "-o", name, "--jobs", "1", "--dtype", "f32"], length, more].concat());
    };
    let made = |name: &str, length: &[&str], size: &[&str]| {
        make(name, length, &[&["--gpu"], size].concat());
        let report: Value = serde_json::from_slice(&place.read(&format!("{name}/features.json"))).unwrap();
        assert_eq!((&report["failures"][0]["file"], &report["stats"][0]["shrunk"]), (&4.into(), &0.into()));
        ["files", "batches", "largest_batch"].map(|of| report["stats"][0][of].as_u64().unwrap())
    };
    // A file of 90,000 samples has two blocks.
    for (length, n_blocks) in [(&["--secs", "2"][..], 9), (&["--whole"][..], 10)] {
        let name = |of: &str| format!("{of} of {n_blocks}");
        assert_eq!(made(&name("one"), length, &["--gpu-batch-size", "1"]), [10, n_blocks, 1]);
        // What waits is computed before the rows of silence.
        assert_eq!(made(&name("four"), length, &["--gpu-batch-size", "4"])[2], 4);
        assert_eq!(made(&name("all"), length, &[]), [10, 2, n_blocks - 4]);
        let read = |of: &str, file: &str| place.read(&format!("{}/{file}", name(of)));
        for other in ["four", "all"] {
            for file in ["features.npy", "mapping.npy", "files.parquet"] {
                assert!(read("one", file) == read(other, file), "{file} of {other}, {length:?}");
            }
        }
        // The control: the last bits of the CPU are others.
        make(&name("cpu"), length, &["--no-gpu"]);
        assert!(read("one", "features.npy") != read("cpu", "features.npy"));
    }
}

fn order(place: &Place, engine: FeatureEngine, is_resumed: bool, keeps_engine: bool) -> FeatureOrder {
    FeatureOrder {
        inputs: vec![place.path("in")],
        output: place.path("out"),
        options: FeatureOptions { engine, ..FeatureOptions::mel_segments() },
        is_resumed,
        keeps_engine,
        files_per_task: None,
        work: feature_work(Duration::ZERO),
    }
}

#[test]
fn a_run_goes_on_with_the_engine_that_it_was_begun_on() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    for number in 0..70 {
        write(&place, &format!("in/{number:02}.wav"), signal(2_000 + 10 * number), RATE);
    }
    // Cancelled once the first task is taken.
    let progress = Progress::new();
    let error = write_features(&order(&place, FeatureEngine::Gpu, false, false), &progress, &mut |_| progress.cancel());
    assert!(error.is_err() && place.path("out.partial").exists());
    let other = write_features(&order(&place, FeatureEngine::Cpu, true, false), &Progress::new(), &mut |_| ());
    assert!(other.unwrap_err().message().contains("other options"));
    let mut last = None;
    let mut keep = |status: &RunStatus| last = Some(status.clone());
    let report = write_features(&order(&place, FeatureEngine::Cpu, true, true), &Progress::new(), &mut keep).unwrap();
    assert_eq!((report.engine.as_str(), report.files), ("gpu", 70));
    // The report includes the memory held on the GPU.
    let last = last.unwrap();
    let vram_bytes = last.vram_bytes.unwrap();
    let shown = format!("{}MB", vram_bytes / 1_000_000);
    assert!(vram_bytes > 0 && last.to_string().contains(&format!("| VRAM {shown:>5} |")), "{last}");
    // So do shards of a manifest.
    place.done(&["features", "--list", "in", "-o", "m.json", "--gpu"]);
    for index in ["0/2", "1/2"] {
        place.done(&["features", "--manifest", "m.json", "--shard", index, "-o", "shards"]);
    }
    let said = place.failed(&["features", "--manifest", "m.json", "--shard", "0/3", "-o", "others", "--no-gpu"]);
    assert!(said.contains("listed for the GPU"), "{said}");
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert_eq!(place.read("merged/features.npy"), place.read("out/features.npy"));
}

#[test]
fn features_that_the_gpu_cannot_make_are_refused() {
    let place = Place::new();
    write(&place, "a.wav", signal(5_000), RATE);
    for n_fft in ["16", "30", "258", "512"] {
        let said = place.failed(&["features", "a.wav", "-o", "out", "--n-fft", n_fft, "--gpu"]);
        assert!(said.contains("32 to 256") && said.contains("--gpu"), "{said}");
    }
    let mut command = place.command(&["features", "a.wav", "-o", "out", "--gpu"]);
    command
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .env("WGPU_BACKEND", "vulkan");
    let said = failure(&command.output().unwrap());
    assert!(said.contains("no graphics adapter"), "{said}");
    assert!(!place.path("out").exists() && !place.path("out.partial").exists());
    // What the settings ask for counts as what is typed, except where a run was begun otherwise, or something else is
    // typed.
    let with_settings = |arguments: &[&str]| {
        let output = place.command(arguments).env("SONOBRUSH_ENGINE", "gpu").output().unwrap();
        assert!(output.status.success(), "{}", failure(&output));
    };
    let engine_of = |folder: &str| -> String {
        let report: Value = serde_json::from_slice(&place.read(&format!("{folder}/features.json"))).unwrap();
        report["engine"].as_str().unwrap().to_owned()
    };
    with_settings(&["features", "a.wav", "-o", "cpu", "--no-gpu"]);
    assert_eq!(engine_of("cpu"), "cpu");
    place.done(&["features", "--list", "a.wav", "-o", "m.json"]);
    with_settings(&["features", "--manifest", "m.json", "--shard", "0/1", "-o", "shards"]);
    assert_eq!(engine_of("shards/shard-00000-of-00001"), "cpu");
    if gpu().is_some() {
        with_settings(&["features", "a.wav", "-o", "out"]);
        assert_eq!(engine_of("out"), "gpu");
    }
}
