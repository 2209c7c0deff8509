//! Batches of the library on a device: how large, on which engine, and what happens when the device fails.

use super::descriptors::apart;
use super::library_store::{json, library, place_of, sounds};
use super::support::gpu::{gpu, own_gpu};
use super::support::program::{Place, failure};
use super::support::random::Random;
use serde_json::Value;
use sonobrush::base::{EngineChoice, ErrorKind};
use sonobrush::dsp::hamming::{PairSearch, pairs_within};
use sonobrush::dsp::hashes::{GreyPicture, PictureHasher, PictureHashes};
use sonobrush::engine::Engine;
use sonobrush::library::batches::{
    BatchCounts, BatchEngine, BatchOrder, BatchSize, LEAST_ITEMS, ProbeOrder, RatedEngine, RouteBook, RouteDecision,
    SpeedRoute, decide_route, measure_rates,
};
use sonobrush::library::descriptors::DESCRIBED;
use sonobrush::library::store::{LibraryLock, LibraryStore};
use std::path::Path;

const FOREVER: u64 = u64::MAX >> 1;
const DAY_NS: i64 = 86_400 * 1_000_000_000;

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
    assert_eq!(BatchSize::new(Some(0), 1_000).asked(), 1);
    assert_eq!(BatchSize::new(Some(1 << 20), 1_000).asked(), 4_096);
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
    // A failure begins the count anew.
    (0..15).for_each(|_| size.note_good());
    assert!(size.note_failed(20));
    size.note_good();
    assert_eq!(next(&size), 10);
    // Of one item there is no half.
    assert!(!size.note_failed(1));
    (0..100).for_each(|_| size.note_good());
    assert_eq!(next(&size), 1);
}

#[test]
fn the_route_follows_what_was_asked_for_and_what_was_measured() {
    let now_ns = 1_000 * DAY_NS;
    let route =
        |cpu_per_s, gpu_per_s, age_days| SpeedRoute { cpu_per_s, gpu_per_s, measured_ns: now_ns - age_days * DAY_NS };
    let decide =
        |choice, is_real, n, known: Option<SpeedRoute>| decide_route(choice, is_real, n, 4, known.as_ref(), now_ns);
    let (auto, fast, slow) = (EngineChoice::Auto, route(10.0, 100.0, 1), route(100.0, 10.0, 1));
    assert_eq!(decide(EngineChoice::Cpu, true, 1_000, Some(fast)), RouteDecision::Cpu);
    assert_eq!(decide(EngineChoice::Gpu, false, 1, Some(slow)), RouteDecision::Gpu);
    assert_eq!(decide(auto, true, LEAST_ITEMS, Some(fast)), RouteDecision::Gpu);
    assert_eq!(decide(auto, true, LEAST_ITEMS, Some(slow)), RouteDecision::Cpu);
    assert_eq!(decide(auto, true, LEAST_ITEMS - 1, Some(fast)), RouteDecision::Cpu, "few");
    assert_eq!(decide(auto, false, 1_000, Some(fast)), RouteDecision::Cpu, "software");
    assert_eq!(decide(auto, false, 1_000, None), RouteDecision::Cpu, "software");
    assert_eq!(decide(auto, true, LEAST_ITEMS, None), RouteDecision::Measure);
    // Four threads together are faster than three times one.
    assert_eq!(decide(auto, true, 1_000, Some(route(10.0, 30.0, 1))), RouteDecision::Cpu);
    // Measured long ago, or in the future of a clock that was wrong.
    assert_eq!(decide(auto, true, 1_000, Some(route(10.0, 100.0, 29))), RouteDecision::Gpu);
    assert_eq!(decide(auto, true, 1_000, Some(route(10.0, 100.0, 30))), RouteDecision::Measure);
    assert_eq!(decide(auto, true, 1_000, Some(route(10.0, 100.0, -1))), RouteDecision::Measure);
}

/// Seconds that a job takes: what measuring takes, what it leaves, and what comes then.
fn secs_of_auto(n_items: u64, [cpu_per_s, gpu_per_s]: [f64; 2]) -> f64 {
    let (mut spent, mut n_kept) = (0.0, 0);
    let mut run = |engine: RatedEngine, n: u64| {
        let secs = n as f64 / if engine == RatedEngine::Cpu { cpu_per_s } else { gpu_per_s };
        spent += secs;
        n_kept = n_kept.max(n);
        Ok(secs)
    };
    let rates = measure_rates(&ProbeOrder { n_items, first: 1, most: 256 }, &mut run).unwrap();
    let route = SpeedRoute { cpu_per_s: rates[0], gpu_per_s: rates[1], measured_ns: 0 };
    let decision = decide_route(EngineChoice::Auto, true, n_items as usize, 1, Some(&route), 1);
    let rate = if decision == RouteDecision::Gpu { gpu_per_s } else { cpu_per_s };
    spent + (n_items - n_kept) as f64 / rate
}

/// The law of the routes: never more than 5 % slower than the better engine over 1,000 sounds, what measuring takes
/// included, as long as neither engine is twenty times as fast; and whatever they are, once it is known.
#[test]
fn over_a_thousand_sounds_auto_is_as_fast_as_the_better_engine() {
    let ratios = [0.05, 0.06, 0.1, 0.2, 0.5, 0.8, 0.95, 1.0, 1.05, 1.3, 2.0, 3.0, 5.0, 8.0, 12.0, 19.0, 20.0];
    for ratio in ratios {
        for cpu_per_s in [0.7, 15.0, 300.0, 40_000.0] {
            let rates: [f64; 2] = [cpu_per_s, cpu_per_s * ratio];
            for n_items in [1_000, 5_000, 500_000] {
                let best = n_items as f64 / rates[0].max(rates[1]);
                let auto = secs_of_auto(n_items, rates);
                assert!(auto <= 1.05 * best, "{n_items} items, {rates:?}: {auto} s, {best} s at best");
            }
            let now_ns = 5 * DAY_NS;
            let route = SpeedRoute { cpu_per_s: rates[0], gpu_per_s: rates[1], measured_ns: DAY_NS };
            let decided = decide_route(EngineChoice::Auto, true, 1_000, 1, Some(&route), now_ns);
            assert_eq!(decided == RouteDecision::Gpu, ratio > 1.0);
        }
    }
    // Control: an engine that is always taken breaks the law.
    let always_on_cpu = |n_items: u64, rates: [f64; 2]| n_items as f64 / rates[0];
    assert!(always_on_cpu(1_000, [15.0, 30.0]) > 1.05 * secs_of_auto(1_000, [15.0, 30.0]));
}

/// A device that is so slow that one item takes longer than all may: two items, the first of which compiles, and no more.
#[test]
fn a_device_that_is_far_too_slow_is_left_at_once() {
    let mut asked = Vec::new();
    let mut run = |engine: RatedEngine, n: u64| {
        asked.push((engine, n));
        Ok(if engine == RatedEngine::Cpu { 0.001 * n as f64 } else { 30.0 })
    };
    let rates = measure_rates(&ProbeOrder { n_items: 1 << 40, first: 1, most: 256 }, &mut run).unwrap();
    assert!(rates[0] > rates[1]);
    assert_eq!(asked, [(RatedEngine::Gpu, 1), (RatedEngine::Cpu, 1), (RatedEngine::Gpu, 1)]);
}

/// `auto` on a device that counts as a real one: measured once, with the results kept, and believed from then on.
#[test]
fn the_first_job_measures_both_engines_and_the_library_remembers() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(40);
    let expected = on_cpu(&pictures);
    let auto = order(EngineChoice::Auto, 16);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &auto, RouteBook::default()).trusting();
    assert_eq!(hashed(&mut engine, &pictures[..9]), expected[..9]);
    assert!(engine.routes.take_new().is_empty(), "fewer than ten are not measured");
    assert_eq!(engine.take_counts()[1], BatchCounts::default());
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let counts = engine.take_counts();
    assert_eq!(
        counts[0].items + counts[1].items,
        40,
        "each counts once, on the engine whose result was kept: {counts:?}"
    );
    let new = engine.routes.take_new();
    let [(kind, adapter, route)] = &new[..] else { panic!("{new:?}") };
    assert_eq!(kind, "picture");
    assert!(adapter.contains(&gpu.summary().name) && route.cpu_per_s > 0.0 && route.gpu_per_s > 0.0);
    // In the library, and back.
    let place = Place::new();
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    store.note_routes(&new).unwrap();
    store.note_routes(&new).unwrap();
    let routes = LibraryStore::open_to_read(&held).unwrap().routes().unwrap();
    assert_eq!(routes.get("picture", adapter), Some(route));
    assert_eq!(routes.get("picture", "another adapter"), None);
    // What is known is not measured again; and it is what decides.
    for gpu_per_s in [1e-3, 1e12] {
        let mut routes = routes.clone();
        routes.note("picture", adapter, SpeedRoute { gpu_per_s, ..*route });
        routes.take_new();
        let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &auto, routes).trusting();
        assert_eq!(hashed(&mut engine, &pictures), expected);
        let counts = engine.take_counts();
        assert_eq!(counts.map(|counts| counts.items), if gpu_per_s > 1.0 { [0, 40] } else { [40, 0] });
        assert!(engine.routes.take_new().is_empty());
    }
    // A software adapter is no candidate.
    if !gpu.summary().is_real() {
        let mut engine = BatchEngine::on(Some(Engine::on(gpu)), &auto, RouteBook::default());
        assert_eq!(hashed(&mut engine, &pictures), expected);
        assert_eq!(engine.take_counts()[1], BatchCounts::default());
    }
}

#[test]
fn a_batch_that_finds_no_memory_is_halved_until_it_fits() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(40);
    let expected = on_cpu(&pictures);
    let asked = order(EngineChoice::Gpu, 16);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &asked, RouteBook::default());
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

#[test]
fn where_memory_has_ended_the_cpu_does_the_items() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(20);
    let expected = on_cpu(&pictures);
    // A route on which the device is the faster one by far.
    let adapter = format!("{} ({})", gpu.summary().name, gpu.summary().driver);
    let measured_ns = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as i64;
    let mut routes = RouteBook::default();
    routes.note("picture", &adapter, SpeedRoute { cpu_per_s: 1.0, gpu_per_s: 1e9, measured_ns });
    let auto = order(EngineChoice::Auto, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &auto, routes).trusting();
    gpu.fail_allocations(0..FOREVER);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.fallbacks, device.shrunk), (20, 0, 20, 3));
    // Memory is back: one at a time, and after sixteen good ones more.
    gpu.fail_allocations(0..0);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.largest), (0, 20, 1), "one item failed, so no more are tried at once");
    // A device that is lost does no more at all.
    gpu.device().destroy();
    assert_eq!(hashed(&mut engine, &pictures), expected);
    assert_eq!(hashed(&mut engine, &pictures), expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.fallbacks), (40, 0, 1));
}

#[test]
fn a_device_that_was_asked_for_fails_in_words() {
    let Some(gpu) = own_gpu() else { return };
    let pictures = pictures(3);
    let asked = order(EngineChoice::Gpu, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &asked, RouteBook::default());
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
fn pairs_of_hashes_are_measured_and_found_on_the_faster_engine() {
    let Some(gpu) = own_gpu() else { return };
    let mut random = Random::new(3);
    let hashes: Vec<u64> = (0..6_000).map(|_| random.bits() & 0xffff_ffff).collect();
    let auto = order(EngineChoice::Auto, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu)), &auto, RouteBook::default()).trusting();
    // Few, and few bits, are the CPU's.
    engine.hash_pairs(&hashes[..4_000], 8).unwrap();
    engine.hash_pairs(&hashes, 6).unwrap();
    assert!(engine.routes.take_new().is_empty());
    let expected = pairs_within(&hashes, 8, PairSearch::Blocks);
    assert!(expected.len() > 100 && engine.hash_pairs(&hashes, 8).unwrap() == expected);
    let mut new = engine.routes.take_new();
    let (kind, adapter, route) = new.remove(0);
    assert!(kind == "hamming" && route.cpu_per_s > 1e6 && route.gpu_per_s > 0.0, "{route:?}");
    for gpu_per_s in [1.0, 1e15] {
        engine.routes.note(&kind, &adapter, SpeedRoute { gpu_per_s, ..route });
        assert!(engine.hash_pairs(&hashes, 8).unwrap() == expected);
    }
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
    // What is known of a sound is the same but for the tolerances, whether it is added or only described.
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

/// Commands that hash and compare are runs of their own, which are told from those that analyse.
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
        let is_of_gpu = ["mel", "describe", "hashes", "hamming"].contains(&row["kind"].as_str().unwrap());
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
