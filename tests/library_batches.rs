//! Batches of the library on a device: how large, on which engine, and what happens when the device fails.

use super::descriptors::apart;
use super::library_store::{json, library, place_of, sounds};
use super::support::faults::{FOREVER, assert_same_where_one_fails};
use super::support::gpu::{gpu, own_gpu};
use super::support::program::{Place, failure};
use super::support::random::Random;
use serde_json::Value;
use sonobrush::base::{EngineChoice, ErrorKind};
use sonobrush::dsp::comparison::hamming::{PairSearch, pairs_within};
use sonobrush::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};
use sonobrush::engine::Engine;
use sonobrush::library::batches::{
    BatchEngine, BatchKind, BatchOrder, BatchSize, EngineRates, KnownRates, MIN_ITEMS, adapter_of, is_for_device,
};
use sonobrush::library::descriptors::DESCRIBED;
use sonobrush::library::store::{LibraryLock, LibraryStore};
use std::path::Path;

fn pictures(n: usize) -> Vec<GreyPicture> {
    let mut random = Random::new(5);
    let picture = |_| {
        let width = 20 + random.below(60);
        GreyPicture::new(width, 64, (0..64 * width).map(|_| random.below(256) as u8).collect()).unwrap()
    };
    (0..n).map(picture).collect()
}

fn on_cpu(pictures: &[GreyPicture]) -> Vec<PictureHashes> {
    let mut hasher = PictureHasher::default();
    pictures.iter().map(|picture| hasher.hashes(picture)).collect()
}

fn hashed(engine: &mut BatchEngine, pictures: &[GreyPicture]) -> Vec<PictureHashes> {
    let pictures: Vec<&GreyPicture> = pictures.iter().collect();
    let hashes = engine.picture_hashes(&mut PictureHasher::default(), &pictures, pictures.len());
    hashes.into_iter().map(Result::unwrap).collect()
}

fn order(choice: EngineChoice, batch_size: usize) -> BatchOrder {
    BatchOrder { choice, batch_size: Some(batch_size), ..BatchOrder::cpu() }
}

#[test]
fn a_batch_has_as_many_items_as_fit() {
    let size = BatchSize::new(Some(100), 1_000);
    assert_eq!(size.next([1; 200]), 100, "as many as were asked for");
    assert_eq!(size.next([10, 50, 20]), 20, "by the largest of those that wait");
    assert_eq!(size.next([2_000]), 1, "what does not fit is tried alone");
    assert_eq!(size.next([0, 0]), 100);
    // Only those count that may be in it.
    let far = (0..80).map(|at| if at < 64 { 10 } else { 1_000 });
    assert_eq!(size.next(far), 100);
    assert_eq!(BatchSize::new(Some(0), 1_000).requested(), 1);
    assert_eq!(BatchSize::new(Some(1 << 20), 1_000).requested(), 4_096);
}

#[test]
fn a_batch_that_failed_halves_the_next_and_good_ones_let_it_grow_again() {
    let mut size = BatchSize::new(Some(64), u64::MAX);
    let next = |size: &BatchSize| size.next([1; 64]);
    assert!(size.note_failed(64));
    assert_eq!(next(&size), 32);
    assert!(size.note_failed(32));
    assert_eq!(next(&size), 16);
    // Half as many again after sixteen, and never as many as failed.
    let mut seen = Vec::new();
    for _ in 0..16 * 6 {
        size.note_good();
        seen.push(next(&size));
    }
    assert_eq!(seen[14..17], [16, 24, 24]);
    assert_eq!(seen[31..33], [31, 31]);
    assert_eq!(seen.iter().max(), Some(&31));
    // A failure restarts the count.
    (0..15).for_each(|_| size.note_good());
    assert!(size.note_failed(20));
    size.note_good();
    assert_eq!(next(&size), 10);
    // One item cannot be halved.
    assert!(!size.note_failed(1));
    (0..100).for_each(|_| size.note_good());
    assert_eq!(next(&size), 1);
}

#[test]
fn the_engine_follows_the_choice_the_size_of_the_job_and_what_was_measured() {
    let rates = |cpu_per_s, gpu_per_s| EngineRates { cpu_per_s, gpu_per_s };
    let goes = |choice, is_real, kind, n, known: Option<EngineRates>| {
        is_for_device(choice, is_real, kind, n, 4, known.as_ref())
    };
    let (auto, kinds) = (EngineChoice::Auto, [BatchKind::Picture, BatchKind::HashPairs, BatchKind::Describe]);
    for (kind, min) in kinds.into_iter().zip([64, 64, MIN_ITEMS]) {
        assert!(!goes(EngineChoice::Cpu, true, kind, 1_000, Some(rates(1.0, 100.0))));
        assert!(goes(EngineChoice::Gpu, false, kind, 1, Some(rates(100.0, 1.0))));
        assert!(!goes(auto, false, kind, 1_000, Some(rates(1.0, 100.0))), "software");
        assert!(!goes(auto, true, kind, min - 1, Some(rates(1.0, 100.0))), "few");
        assert!(goes(auto, true, kind, min, None));
        assert!(goes(auto, true, kind, min, Some(rates(10.0, 100.0))));
        // Four threads together are faster than three times one.
        assert!(!goes(auto, true, kind, 1_000, Some(rates(10.0, 30.0))));
    }
}

/// `auto` on a device that counts as a real one: it takes large jobs, until `library bench` found the CPU the faster
/// one.
#[test]
fn large_jobs_go_to_a_device_unless_the_bench_found_it_slower() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(70);
    let expected = on_cpu(&pictures);
    let auto = order(EngineChoice::Auto, 16);
    let engine = |known| BatchEngine::on(Some(Engine::on(gpu.clone())), &auto, known);
    let counted = |mut engine: BatchEngine, n: usize| {
        assert_eq!(hashed(&mut engine, &pictures[..n]), expected[..n]);
        engine.take_counts().map(|counts| counts.items)
    };
    assert_eq!(counted(engine(KnownRates::default()).trusting(), 63), [63, 0]);
    assert_eq!(counted(engine(KnownRates::default()).trusting(), 70), [0, 70]);
    // In the library, and back; the last measurement counts.
    let place = Place::new();
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let adapter = adapter_of(&gpu);
    for (gpu_per_s, expected) in [(1e12, [0, 70]), (1e-3, [70, 0])] {
        let rates = EngineRates { cpu_per_s: 10.0, gpu_per_s };
        store.note_rates(BatchKind::Picture, &adapter, rates).unwrap();
        let known = LibraryStore::open_to_read(&held).unwrap().known_rates().unwrap();
        assert_eq!(known.get(BatchKind::Picture, &adapter), Some(&rates));
        assert_eq!(known.get(BatchKind::Picture, "another adapter"), None);
        assert_eq!(known.get(BatchKind::Describe, &adapter), None);
        assert_eq!(counted(engine(known).trusting(), 70), expected);
    }
    if !gpu.summary().is_real() {
        assert_eq!(counted(engine(KnownRates::default()), 70), [70, 0]);
    }
}

#[test]
fn a_batch_that_finds_no_memory_is_halved_until_it_fits() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(40);
    let expected = on_cpu(&pictures);
    let requested = order(EngineChoice::Gpu, 16);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &requested, KnownRates::default());
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let clean = engine.take_counts()[1];
    assert_eq!((clean.batches, clean.items, clean.largest, clean.shrunk, clean.fallbacks), (3, 40, 16, 0, 0));
    // Two failures: one that the device makes good by itself, and one that halves the batch.
    gpu.trim();
    gpu.fail_allocations(0..2);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let counts = engine.take_counts()[1];
    assert_eq!((counts.batches, counts.items, counts.largest, counts.shrunk, counts.fallbacks), (5, 40, 8, 1, 0));
}

/// Pictures and pairs of hashes, at every allocation.
#[test]
fn hashes_do_not_depend_on_a_failed_allocation() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(12);
    let engine =
        || BatchEngine::on(Some(Engine::on(gpu.clone())), &order(EngineChoice::Gpu, 16), KnownRates::default());
    assert_same_where_one_fails(&gpu, "pictures", 1, || hashed(&mut engine(), &pictures));
    let hashes: Vec<u64> = (0..5_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    assert_same_where_one_fails(&gpu, "pairs", 1, || engine().hash_pairs(&hashes, 12).unwrap());
}

#[test]
fn where_memory_has_ended_the_cpu_does_the_items() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(70);
    let expected = on_cpu(&pictures);
    let auto = order(EngineChoice::Auto, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &auto, KnownRates::default()).trusting();
    gpu.fail_allocations(0..FOREVER);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.fallbacks, device.shrunk), (70, 0, 70, 3));
    // Memory is back: one at a time, and after sixteen good ones more.
    gpu.fail_allocations(0..0);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.largest), (0, 70, 1), "one item failed, so no more are tried at once");
    // A device that is lost does no more at all.
    gpu.device().destroy();
    assert_eq!(hashed(&mut engine, &pictures), expected);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.fallbacks), (140, 0, 1));
}

#[test]
fn a_device_that_was_asked_for_fails_in_words() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(3);
    let requested = order(EngineChoice::Gpu, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &requested, KnownRates::default());
    gpu.fail_allocations(0..FOREVER);
    let refs: Vec<&GreyPicture> = pictures.iter().collect();
    for result in engine.picture_hashes(&mut PictureHasher::default(), &refs, 3) {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::GpuMemory);
        assert!(error.message().contains("out of memory") && error.message().contains("--engine cpu"), "{error}");
    }
    let hashes: Vec<u64> = (0..5_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    assert!(engine.hash_pairs(&hashes, 10).unwrap_err().message().contains("--engine cpu"));
    gpu.fail_allocations(0..0);
    assert_eq!(hashed(&mut engine, &pictures), on_cpu(&pictures));
    assert!(engine.hash_pairs(&hashes, 12).unwrap() == pairs_within(&hashes, 12, PairSearch::Blocks));
}

#[test]
fn pairs_of_hashes_are_found_on_the_engine_that_is_faster_at_them() {
    let Some(gpu) = own_gpu() else { return };
    let mut random = Random::new(3);
    let hashes: Vec<u64> = (0..6_000).map(|_| random.bits() & 0xffff_ffff).collect();
    let auto = order(EngineChoice::Auto, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu)), &auto, KnownRates::default()).trusting();
    let mut batches = |n: usize, max: u32| {
        let pairs = engine.hash_pairs(&hashes[..n], max).unwrap();
        (pairs, engine.take_counts().map(|counts| counts.batches))
    };
    // Few, and few bits, are the CPU's.
    assert_eq!(batches(4_000, 8).1, [1, 0]);
    assert_eq!(batches(6_000, 6).1, [1, 0]);
    let (pairs, counts) = batches(6_000, 8);
    assert!(pairs.len() > 100 && pairs == pairs_within(&hashes, 8, PairSearch::Blocks));
    assert_eq!(counts, [0, 1]);
}

fn hashes_of(place: &Place, arguments: &[&str]) -> Value {
    serde_json::from_str(&place.done(&[&["library", "hash", "--json"], arguments].concat())).unwrap()
}

#[test]
fn a_library_that_was_made_on_the_gpu_is_that_of_the_cpu() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    sounds(&place, "in", 13);
    place.write("in/broken.wav", b"RIFF");
    place.write("in/broken.png", b"\x89PNG\r\n\x1a\n and no more");
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/pictures/rgb.png");
    std::fs::copy(picture, place.path("in/rgb.png")).unwrap();
    let report = json(&place, &["add", "in", "--gpu", "--gpu-batch-size", "5"]);
    assert_eq!((&report["analysed"], &report["failed"]), (&14.into(), &2.into()), "{report}");
    let stats = json(&place, &["stats"]);
    let rows = stats.as_array().unwrap();
    let row = |engine: &str, kind: &str| rows.iter().find(|row| row["engine"] == engine && row["kind"] == kind);
    let batches = row("gpu", "picture").unwrap();
    assert_eq!((&batches["items"], &batches["fallbacks"], &batches["shrunk"]), (&14.into(), &0.into(), &0.into()));
    assert!(batches["batches"].as_i64() >= Some(3) && batches["batch_size"].as_i64() <= Some(5), "{batches}");
    assert!(batches["mean_batch_ms"].as_f64() > Some(0.0));
    let described = row("gpu", "describe").unwrap();
    assert_eq!(
        (&described["items"], &described["fallbacks"], &described["shrunk"]),
        (&13.into(), &0.into(), &0.into())
    );
    assert!(described["batches"].as_i64() >= Some(3) && described["batch_size"].as_i64() <= Some(5), "{described}");
    assert!(described["mean_batch_ms"].as_f64() > Some(0.0) && row("cpu", "describe").is_none(), "{stats}");
    assert_eq!(row("cpu", "words").unwrap()["items"], 13);
    let status = json(&place, &["status"]);
    assert_eq!((&status["engine"], &status["waiting"]), (&"gpu".into(), &0.into()));
    assert!(library(&place, &["stats"]).contains("fallbacks"));
    // The same hashes as on the CPU.
    let made = |database: &str, engine: &str| {
        place.done(&["library", "--library", database, "add", "in", engine]);
        let tables = format!("{database}.tables");
        place.done(&["library", "--library", database, "export", "--csv", "-o", &tables]);
        let text = std::fs::read_to_string(place.path(&tables).join("sounds.csv")).unwrap();
        let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let columns = ["file_hash", "ahash", "dhash", "whash"].map(|name| head.iter().position(|n| *n == name));
        let mut rows: Vec<Vec<String>> = text
            .lines()
            .skip(1)
            .map(|line| columns.iter().flatten().map(|at| line.split(',').nth(*at).unwrap().to_owned()).collect())
            .collect();
        rows.sort();
        assert!(rows.len() == 14 && columns.iter().all(Option::is_some), "{head:?}");
        rows
    };
    assert_eq!(made("gpu.db", "--gpu"), made("cpu.db", "--no-gpu"));
    // Descriptors of a sound agree within tolerances, whether it is added or only described.
    let described = |engine: &str| -> Value {
        serde_json::from_str(&place.done(&["library", "describe", "in/tone 005.wav", "--json", engine])).unwrap()
    };
    let (on_gpu, on_cpu) = (described("--gpu"), described("--no-gpu"));
    let added = json(&place, &["search", "005"])[0].clone();
    for name in DESCRIBED.map(|row| row.name) {
        assert!(apart(name, &on_gpu[name], &on_cpu[name]) <= 1.0, "{name}: {} {}", on_gpu[name], on_cpu[name]);
        if let Some(added) = added.get(name) {
            assert!(apart(name, added, &on_cpu[name]) <= 1.0, "{name}: {added} {}", on_cpu[name]);
        }
    }
    assert_ne!(on_gpu["harmonic_ratio"], on_cpu["harmonic_ratio"], "the last bits are those of the engine");
    // And of files, in order, with what could not be read between them.
    let files = ["in/tone 000.wav", "in/rgb.png", "in/tone 007.wav"];
    assert_eq!(
        hashes_of(&place, &[&files[..], &["--gpu"]].concat()),
        hashes_of(&place, &[&files[..], &["--no-gpu"]].concat())
    );
    let output =
        place.run(&["library", "hash", "--gpu", "in/tone 001.wav", "in/broken.wav", "in/tone 002.wav", "--json"]);
    assert!(failure(&output).contains("1 of 3 files"));
    let rest: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rest, hashes_of(&place, &["in/tone 001.wav", "in/tone 002.wav"]));
}

#[test]
fn duplicates_are_the_same_on_either_engine() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    sounds(&place, "in", 12);
    // The same sounds, a little quieter.
    for number in 0..12 {
        let quieter = super::library_store::tone(number, 1_600).into_iter().map(|sample| sample * 3 / 4).collect();
        super::library_store::write(&place, &format!("in/quieter {number:03}.wav"), quieter);
    }
    library(&place, &["add", "in"]);
    for threshold in ["20", "60"] {
        let of = |engine: &str| json(&place, &["duplicates", "--threshold", threshold, engine]);
        let found = of("--gpu");
        assert!(!found.as_array().unwrap().is_empty());
        assert_eq!(found, of("--no-gpu"));
    }
}

/// Commands that hash and compare count as runs of their own, separate from those that analyse.
#[test]
fn batches_of_commands_are_counted_as_those_of_adding() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    let names: Vec<String> = (0..12).map(|number| format!("in/tone {number:03}.wav")).collect();
    for (number, name) in names.iter().enumerate() {
        // Far enough apart that their pictures differ.
        super::library_store::write(&place, name, super::library_store::tone(9 * number, 1_600));
    }
    let hash = |engine: &[&str]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        library(&place, &[&["hash"], &names[..], engine].concat());
    };
    hash(&["--no-gpu"]);
    assert!(!place.path("l/lib.db").exists(), "what only hashes makes no library");
    library(&place, &["add", "in", "--no-gpu"]);
    let [status, before] = ["status", "stats"].map(|command| json(&place, &[command]));
    let new = |kind: &str, engine: &str| {
        let stats = json(&place, &["stats"]);
        let rows = stats.as_array().unwrap().iter().filter(|row| row["kind"] == kind && row["engine"] == engine);
        let found: Vec<Value> = rows.cloned().collect();
        assert_eq!(found.len(), 1, "{kind} on the {engine}: {stats}");
        ["batches", "items", "batch_size", "fallbacks"].map(|name| found[0][name].as_i64().unwrap())
    };
    hash(&["--gpu", "--gpu-batch-size", "5"]);
    assert_eq!(new("hashes", "gpu"), [3, 12, 5, 0]);
    hash(&["--no-gpu"]);
    assert_eq!(new("hashes", "cpu"), [12, 12, 1, 0]);
    // A device compares each of three hashes of a sound with those of all others, the CPU all three at once.
    let compared = [("--gpu", "gpu"), ("--no-gpu", "cpu")].map(|(engine, name)| {
        library(&place, &["duplicates", "--threshold", "60", engine]);
        new("hamming", name)
    });
    let [[batches, pairs, largest, fallbacks], on_cpu] = compared;
    assert!(batches == 3 && pairs == 3 * largest && largest > 0 && fallbacks == 0, "{compared:?}");
    assert_eq!(on_cpu, [1, largest, largest, 0]);
    // The run that analysed is still the last one.
    let after = json(&place, &["status"]);
    assert_eq!((&after["engine"], &after["batch"]), (&status["engine"], &status["batch"]));
    assert_eq!(after["per_second"], status["per_second"]);
    let stats = json(&place, &["stats"]);
    assert_eq!(stats.as_array().unwrap().len(), before.as_array().unwrap().len() + 4);
}

#[test]
fn a_gpu_that_is_asked_for_and_is_not_there_is_one_sentence() {
    let place = Place::new();
    sounds(&place, "in", 1);
    for arguments in [
        &["library", "--library", "l/lib.db", "add", "in", "--gpu"][..],
        &["library", "hash", "in/tone 000.wav", "--gpu"],
        &["library", "bench", "--gpu"],
    ] {
        let mut command = place.command(arguments);
        command
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .env("WGPU_BACKEND", "vulkan");
        let said = failure(&command.output().unwrap());
        assert!(said.contains("no graphics adapter") && said.contains("CPU engine"), "{said}");
    }
    // Nothing was begun.
    assert!(json(&place, &["status"])["folders"].as_array().unwrap().is_empty());
    for wrong in [
        &["library", "status", "--gpu", "--no-gpu"][..],
        &["library", "status", "--gpu", "--engine", "auto"],
        &["library", "status", "--gpu-batch-size", "0"],
        &["library", "status", "--gpu-batch-size", "4097"],
    ] {
        assert_eq!(place.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let config: Value =
        serde_json::from_str(&place.done(&["config", "--json", "--no-gpu", "--gpu-batch-size", "77"])).unwrap();
    let value = |name: &str| {
        let settings = config["settings"].as_array().unwrap();
        settings.iter().find(|setting| setting["name"] == name).unwrap()["value"].clone()
    };
    assert_eq!(
        (value("engine"), value("gpu_batch_size"), value("gpu_batch_mb")),
        ("cpu".into(), 77.into(), Value::Null)
    );
}

/// What both engines do is measured beside each other; hours follow from the rates.
#[test]
fn the_bench_has_both_engines_beside_each_other() {
    if gpu().is_none() {
        return;
    }
    let place = Place::new();
    sounds(&place, "in", 3);
    library(&place, &["add", "in"]);
    let rows = json(&place, &["bench", "--gpu"]);
    for row in rows.as_array().unwrap() {
        let number = |name: &str| row[name].as_f64();
        let is_of_gpu =
            ["mel", "describe", "chroma", "onsets", "hashes", "hamming"].contains(&row["kind"].as_str().unwrap());
        assert_eq!(number("gpu_per_s").is_some(), is_of_gpu, "{row}");
        if let Some(gpu_per_s) = number("gpu_per_s") {
            let ratio = gpu_per_s / number("cpu_per_s").unwrap();
            assert!(gpu_per_s > 0.0 && (number("speed_up").unwrap() / ratio - 1.0).abs() < 1e-9, "{row}");
        }
        if row["kind"] == "hashes" {
            let hours = 3.0 / number("gpu_per_s").unwrap() / 3600.0;
            assert!((number("library_gpu_hours").unwrap() / hours - 1.0).abs() < 1e-9, "{row}");
        }
    }
}
