//! Duplicates among many sounds that are alike: the groups that comparing each pair gives, in memory that stays
//! bounded.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::library_store::{json, library, place_of};
use super::support::gpu::own_gpu;
use super::support::program::Place;
use super::support::random::Random;
use super::support::wav::Wav;
use sonobrush::base::{EngineChoice, ErrorKind, Progress};
use sonobrush::engine::Engine;
use sonobrush::library::batches::{BatchEngine, BatchOrder, KnownRates};
use sonobrush::library::identity::duplicates::{DuplicateLevel, DuplicateOrder, candidate_pairs};
use sonobrush::library::store::{LibraryLock, LibraryStore};
use std::collections::{BTreeMap, BTreeSet};

/// Words of two minutes, which is as far as sounds are compared.
const N_WORDS: usize = 968;

/// What a library knows of a sound, as far as duplicates go.
#[derive(Debug, Clone, Default)]
struct Planted {
    hashes: [u64; 3],
    secs: f64,
    is_picture: bool,
    words: Vec<u32>,
    /// The pitch in its description, if it has one.
    f0_hz: Option<f64>,
    centroid_hz: Option<f64>,
}

/// A library of sounds whose files are on a disk that is not there; their numbers are from 1 on.
fn library_of(place: &Place, sounds: &[Planted]) {
    let place = place_of(place);
    let lock = LibraryLock::try_take(&place).unwrap().unwrap();
    drop(LibraryStore::open_to_write(&place, &lock, &mut Vec::new()).unwrap());
    let mut connection = rusqlite::Connection::open(place.database()).unwrap();
    let transaction = connection.transaction().unwrap();
    transaction.execute_batch("INSERT INTO folder(id, path, watched) VALUES (1, CAST('/gone' AS BLOB), 0)").unwrap();
    {
        let insert = |text: &str| transaction.prepare(text).unwrap();
        let mut sound = insert(
            "INSERT INTO sound(id, file_hash, kind, ahash, dhash, whash, picture_secs, first_seen_ns)
             VALUES (?1, randomblob(32), ?2, ?3, ?4, ?5, ?6, ?1)",
        );
        let mut file = insert(
            "INSERT INTO file(folder, path, name, bytes, modified_ns, sound)
             VALUES (1, CAST('hit ' || ?1 AS BLOB), 'hit ' || ?1, 1, 1, ?1)",
        );
        let mut described =
            insert("INSERT INTO descriptor(sound, version, silent, f0_hz, centroid_hz) VALUES (?1, 1, 0, ?2, ?3)");
        let mut words = insert("INSERT INTO words(sound, version, words) VALUES (?1, 1, ?2)");
        for (id, planted) in (1i64..).zip(sounds) {
            let [a, d, w] = planted.hashes.map(u64::cast_signed);
            let kind = if planted.is_picture { "picture" } else { "sound" };
            sound.execute(rusqlite::params![id, kind, a, d, w, planted.secs]).unwrap();
            file.execute([id]).unwrap();
            if planted.f0_hz.is_some() || planted.centroid_hz.is_some() {
                described.execute(rusqlite::params![id, planted.f0_hz, planted.centroid_hz]).unwrap();
            }
            let bytes: Vec<u8> = planted.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            words.execute(rusqlite::params![id, bytes]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// The hash with at most `max` bits flipped.
fn near(random: &mut Random, hash: u64, max: usize) -> u64 {
    (0..random.below(max + 1)).fold(hash, |hash, _| hash ^ 1 << random.below(64))
}

/// Numbers of the sounds of each group of pictures.
fn groups(place: &Place, threshold: u32) -> BTreeSet<Vec<i64>> {
    let found = json(place, &["duplicates", "--level", "picture", "--threshold", &threshold.to_string()]);
    let ids = |group: &serde_json::Value| {
        let sounds = group["sounds"].as_array().unwrap().iter();
        let mut ids: Vec<i64> = sounds.map(|sound| sound["id"].as_i64().unwrap()).collect();
        ids.sort_unstable();
        ids
    };
    found.as_array().unwrap().iter().map(ids).collect()
}

/// The definition: the first sound is kept; each other one goes to the nearest kept one that it is the same as, the
/// first of equals, or is kept itself. The same are two whose three distances are within the threshold and whose
/// durations within a tenth.
fn plain_groups(sounds: &[Planted], threshold: u32) -> BTreeSet<Vec<i64>> {
    let mut groups: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for (at, (id, sound)) in (1i64..).zip(sounds).enumerate() {
        let distance_of =
            |other: &Planted| -> u32 { sound.hashes.iter().zip(other.hashes).map(|(a, b)| (a ^ b).count_ones()).sum() };
        let same = groups.keys().map(|&kept| (distance_of(&sounds[kept]), kept)).filter(|&(distance, kept)| {
            let kept = &sounds[kept];
            let lasts_as_long = sound.secs.max(kept.secs) <= 1.1 * sound.secs.min(kept.secs);
            distance <= threshold && lasts_as_long && sound.is_picture == kept.is_picture
        });
        let kept = same.min().map_or(at, |(_, kept)| kept);
        groups.entry(kept).or_default().push(id);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

#[test]
fn groups_of_pictures_are_those_of_comparing_each_pair() {
    let mut random = Random::new(20);
    let centres: Vec<[u64; 3]> = (0..12).map(|_| [0; 3].map(|_| random.bits())).collect();
    let mut sounds: Vec<Planted> = (0..300)
        .map(|_| {
            let hashes = random.pick(&centres).map(|hash| near(&mut random, hash, 9));
            let is_picture = random.once_in(9);
            // Steps of a little less than a tenth, so that long and short ones are joined by those between.
            let secs = if is_picture { 0.0 } else { 1.09f64.powi(random.below(12) as i32) };
            Planted { hashes, secs, is_picture, ..Planted::default() }
        })
        .collect();
    // The same hashes with other durations, many times.
    for _ in 0..120 {
        let same = random.below(300);
        let secs = if sounds[same].is_picture { 0.0 } else { random.between(1.0, 3.0) };
        sounds.push(Planted { secs, ..sounds[same].clone() });
    }
    let place = Place::new();
    library_of(&place, &sounds);
    let mut seen = BTreeSet::new();
    for threshold in [0, 2, 14, 20, 23, 24, 60] {
        let expected = plain_groups(&sounds, threshold);
        assert_eq!(groups(&place, threshold), expected, "{threshold}");
        seen.insert(expected);
    }
    assert!(seen.len() >= 4, "the thresholds tell");
}

/// What is like a copy may be far from the sound that is kept: each of a group is within the threshold of that one.
#[test]
fn groups_are_no_chains() {
    let of = |bits: u64, secs: f64| Planted { hashes: [bits, 0, 0], secs, ..Planted::default() };
    let place = Place::new();
    // 15 bits from one to the next, 30 from the first to the last.
    library_of(&place, &[of(0, 3.0), of(0x7fff, 3.0), of(0x3fff_ffff, 3.0)]);
    assert_eq!(groups(&place, 20), BTreeSet::from([vec![1, 2]]));
    // Nearest to the second of two that are kept, which are not the same.
    let place = Place::new();
    library_of(&place, &[of(0, 3.0), of(0xff_ffff, 3.0), of(0xffff, 3.0), of(0xf, 3.0)]);
    assert_eq!(groups(&place, 20), BTreeSet::from([vec![1, 4], vec![2, 3]]));
    // Durations, too.
    let place = Place::new();
    library_of(&place, &[of(0, 3.0), of(0, 3.27), of(0, 3.56)]);
    assert_eq!(groups(&place, 20), BTreeSet::from([vec![1, 2]]));
}

/// Sounds under 2 s with the same picture are the same only if pitch and brightness agree.
#[test]
fn short_sounds_agree_in_pitch_brightness_and_length() {
    let of = |secs: f64, f0_hz: Option<f64>, centroid_hz: f64| Planted {
        hashes: [9; 3],
        secs,
        f0_hz,
        centroid_hz: Some(centroid_hz),
        ..Planted::default()
    };
    let are_same = |a: Planted, b: Planted| {
        let place = Place::new();
        library_of(&place, &[a, b]);
        !groups(&place, 20).is_empty()
    };
    let semitones = |n: f64| Some(100.0 * (n / 12.0f64).exp2());
    let tom = || of(0.5, semitones(0.0), 400.0);
    assert!(are_same(tom(), tom()));
    assert!(are_same(tom(), of(0.5, semitones(1.0), 400.0)) && are_same(tom(), of(0.5, semitones(-1.0), 400.0)));
    assert!(!are_same(tom(), of(0.5, semitones(1.1), 400.0)) && !are_same(tom(), of(0.5, semitones(-12.0), 400.0)));
    assert!(are_same(tom(), of(0.5, semitones(0.0), 500.0)) && !are_same(tom(), of(0.5, semitones(0.0), 510.0)));
    assert!(!are_same(of(0.5, None, 4_000.0), of(0.5, None, 3_000.0)), "noise has no pitch, but a brightness");
    assert!(!are_same(tom(), of(0.61, semitones(0.0), 400.0)), "a fifth longer");
    // A long one's picture says enough.
    assert!(are_same(of(2.0, semitones(0.0), 400.0), of(2.1, semitones(12.0), 800.0)));
}

/// The names of the sounds of each group, with its level.
fn named_groups(found: &serde_json::Value) -> Vec<(String, Vec<String>)> {
    let name = |sound: &serde_json::Value| sound["paths"][0].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let of_group = |group: &serde_json::Value| {
        let mut names: Vec<String> = group["sounds"].as_array().unwrap().iter().map(name).collect();
        names.sort();
        (group["level"].as_str().unwrap().to_owned(), names)
    };
    found.as_array().unwrap().iter().map(of_group).collect()
}

/// Three toms have nearly the same picture; two recordings of a minute share fifteen seconds.
#[test]
fn toms_are_three_sounds_and_recordings_that_overlap_are_two() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let names =
        ["tom_hi_156hz.wav", "tom_mid_111hz.wav", "tom_low_74hz.wav", "overlap_first.mp3", "overlap_second.mp3"];
    for name in names {
        let found = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3").join(name);
        std::fs::copy(found, place.path("in").join(name)).unwrap();
    }
    // The control: a softer copy of a tom is the same.
    let mut softer = Wav::read(&place.path("in/tom_hi_156hz.wav"));
    softer.channels.iter_mut().flatten().for_each(|sample| *sample /= 2);
    softer.write(&place.path("in/softer tom.wav"));
    library(&place, &["add", "in"]);
    let found = json(&place, &["duplicates"]);
    let [copies, overlap] = [["softer tom.wav", "tom_hi_156hz.wav"], ["overlap_first.mp3", "overlap_second.mp3"]]
        .map(|names| names.map(str::to_owned).to_vec());
    assert_eq!(named_groups(&found), [("picture".into(), copies), ("overlap".into(), overlap.clone())], "{found:#}");
    // None of the two can be spared. The second begins 45 s into the first, or the first as long before the second.
    let group = &found[1];
    assert!(group.get("keep").is_none(), "{group:#}");
    let [first, second] = [0, 1].map(|at| &group["sounds"][at]);
    assert!(first.get("overlap_secs").is_none() && first["offset_secs"] == 0.0, "{group:#}");
    let [secs, offset] = ["overlap_secs", "offset_secs"].map(|field| second[field].as_f64().unwrap());
    assert!((secs - 15.0).abs() < 0.3 && (offset.abs() - 45.0).abs() < 0.3, "{group:#}");
    // One level at a time.
    assert_eq!(named_groups(&json(&place, &["duplicates", "--level", "overlap"])), [("overlap".into(), overlap)]);
    assert_eq!(json(&place, &["duplicates", "--level", "recording"]), serde_json::json!([]));
    let printed = library(&place, &["duplicates", "--level", "overlap"]);
    assert!(
        printed.starts_with("overlap\n") && !printed.contains("keep") && printed.contains("  15.2 s at "),
        "{printed}"
    );
}

/// Words of a recording and of its parts, as far as they lie within each other.
#[test]
fn half_of_the_shorter_recording_is_evidence() {
    let mut random = Random::new(5);
    let mut words = |n: usize| -> Vec<u32> { (0..n).map(|_| (random.bits() >> 32) as u32).collect() };
    let (shared, more) = (words(100), words(400));
    let of = |words: &[&[u32]]| {
        let words = words.concat();
        Planted { hashes: [u64::from(words[0]) << 16 | u64::from(words[9]); 3], words, ..Planted::default() }
    };
    let level = |other: Planted| {
        let place = Place::new();
        library_of(&place, &[of(&[&more[..200], &shared]), other]);
        let found = named_groups(&json(&place, &["duplicates"]));
        found.into_iter().map(|(level, _)| level).filter(|level| level != "picture").collect::<Vec<_>>()
    };
    assert_eq!(level(of(&[&shared])), ["recording"]);
    assert_eq!(level(of(&[&shared, &more[200..300]])), ["recording"], "a half");
    assert_eq!(level(of(&[&shared, &more[200..302]])), ["overlap"], "a little less");
    assert_eq!(level(of(&[&shared[76..], &more[200..]])), ["overlap"]);
    assert_eq!(level(of(&[&shared[77..], &more[200..]])), [""; 0], "less than three seconds");
}

/// More than a device compares at once.
#[test]
fn a_device_finds_the_same_groups_block_by_block() {
    let Some(gpu) = own_gpu() else { return };
    let mut random = Random::new(30);
    let hashes = (0..8_300).map(|_| [0; 3].map(|_| random.bits()));
    let mut sounds: Vec<Planted> = hashes.map(|hashes| Planted { hashes, secs: 1.0, ..Planted::default() }).collect();
    // Within each block, and across two.
    for (first, second) in [(5, 900), (17, 5_000), (4_100, 4_200), (60, 8_250), (8_210, 8_299)] {
        sounds[second].hashes = sounds[first].hashes.map(|hash| near(&mut random, hash, 5));
    }
    let place = Place::new();
    library_of(&place, &sounds);
    let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
    let order = DuplicateOrder { level: Some(DuplicateLevel::Picture), ..DuplicateOrder::default() };
    let found = |batches: &mut BatchEngine| store.duplicates(order, batches, &Progress::new()).unwrap();
    let requested = BatchOrder { choice: EngineChoice::Gpu, ..BatchOrder::cpu() };
    let on_device = found(&mut BatchEngine::on(Some(Engine::on(gpu)), &requested, KnownRates::default()));
    assert_eq!(on_device.len(), 5, "{on_device:?}");
    assert!(on_device == found(&mut BatchEngine::cpu()));
}

/// Of one-shots one hash may be almost the same: the pairs that it gives alone are not kept.
#[test]
#[cfg(target_os = "linux")]
fn many_sounds_that_are_nearly_alike_take_little_memory() {
    use super::support::program::max_megabytes;
    use std::process::Stdio;
    const MAX_MEGABYTES: u64 = 300;
    let mut random = Random::new(60);
    let likeness = random.bits();
    let mut sounds: Vec<Planted> = (0..12_000)
        .map(|_| {
            let hashes = [near(&mut random, likeness, 3), random.bits(), random.bits()];
            Planted { hashes, secs: 1.0, ..Planted::default() }
        })
        .collect();
    for at in [7, 4_000, 11_990] {
        sounds[at + 1].hashes = sounds[at].hashes.map(|hash| near(&mut random, hash, 5));
    }
    // Sixty stems in which a tone wavers for two minutes.
    for sound in &mut sounds[..60] {
        sound.words = (0..N_WORDS).map(|at| if at % 2 == 0 { 0x1234_5678 } else { 0x1234_5679 }).collect();
    }
    let place = Place::new();
    library_of(&place, &sounds);
    for (level, expected) in [("picture", vec![2, 2, 2]), ("recording", vec![60])] {
        let mut command =
            place.command(&["library", "--library", "l/lib.db", "duplicates", "--level", level, "--json"]);
        let out = std::fs::File::create(place.path("out.json")).unwrap();
        let mut child = command.stdout(Stdio::from(out)).spawn().unwrap();
        let megabytes = max_megabytes(&mut child);
        assert!(child.wait().unwrap().success(), "{level}");
        println!("{level}: {megabytes} MB");
        assert!((1..MAX_MEGABYTES).contains(&megabytes), "{level}: {megabytes} MB");
        let found: serde_json::Value = serde_json::from_slice(&place.read("out.json")).unwrap();
        let sizes = found.as_array().unwrap().iter().map(|group| group["sounds"].as_array().unwrap().len());
        assert_eq!(sizes.collect::<Vec<_>>(), expected, "{level}");
    }
}

/// Pairs with five equal words on one difference of offsets, or beside it: the definition.
fn plain_candidates(sounds: &[&[u32]], n_words: usize) -> Vec<(usize, usize)> {
    let part = |at: usize| &sounds[at][..n_words.min(sounds[at].len())];
    let is_candidate = |a: usize, b: usize| {
        let places = part(a).iter().enumerate();
        let mut differences: Vec<i64> = places
            .flat_map(|(at, word)| {
                let equal = part(b).iter().enumerate().filter(move |(_, other)| *other == word);
                equal.map(move |(other, _)| at as i64 - other as i64)
            })
            .collect();
        differences.sort_unstable();
        differences.windows(5).any(|five| five[4] - five[0] <= 2)
    };
    let pairs = (0..sounds.len()).flat_map(|a| (a + 1..sounds.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| is_candidate(a, b)).collect()
}

fn candidates(sounds: &[Vec<u32>], n_words: usize) -> Vec<(usize, usize)> {
    let sounds: Vec<&[u32]> = sounds.iter().map(Vec::as_slice).collect();
    candidate_pairs(&sounds, n_words, &Progress::new()).unwrap()
}

#[test]
fn candidates_are_those_of_comparing_each_pair() {
    let mut random = Random::new(8);
    // Of few words, so that some are equal by chance.
    let mut words = |n: usize| -> Vec<u32> { (0..n).map(|_| 1 + random.below(700) as u32).collect() };
    let mut sounds: Vec<Vec<u32>> = (0..40).map(|number| words(60 + 3 * number)).collect();
    sounds.push([words(30), sounds[3][10..60].to_vec()].concat());
    sounds.push(sounds[9][70..].to_vec());
    sounds.push(sounds[5][..5].to_vec());
    sounds.push(Vec::new());
    let slices: Vec<&[u32]> = sounds.iter().map(Vec::as_slice).collect();
    for n_words in [4, 50, 90, 10_000] {
        let expected = plain_candidates(&slices, n_words);
        assert_eq!(candidates(&sounds, n_words), expected, "{n_words}");
        assert_eq!(expected.is_empty(), n_words == 4, "{expected:?}");
    }
    let cancelled = Progress::new();
    cancelled.cancel();
    assert_eq!(candidate_pairs(&slices, 90, &cancelled).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn words_that_say_little_make_no_candidates_and_cost_little() {
    let all_pairs = |n: usize| n * (n - 1) / 2;
    // What more than 200 sounds have says nothing.
    let same = |n: usize| vec![(1..=8).collect::<Vec<u32>>(); n];
    assert_eq!((candidates(&same(200), 90).len(), candidates(&same(201), 90).len()), (all_pairs(200), 0));
    // Nor does silence, nor a word over and over.
    assert!(candidates(&vec![vec![0x55aa_1234; N_WORDS]; 60], N_WORDS).is_empty());
    // A loop, and a tone that wavers between two words: found, by the first places of each word.
    let turns = |n: usize, first: usize| -> Vec<u32> { (first..N_WORDS).map(|at| 1 + (at % n) as u32).collect() };
    assert_eq!(candidates(&[turns(23, 0), turns(23, 60)], N_WORDS), [(0, 1)]);
    let began = std::time::Instant::now();
    assert_eq!(candidates(&vec![turns(2, 0); 60], N_WORDS).len(), all_pairs(60));
    println!("sixty sounds of two words: {:.2?}", began.elapsed());
    assert!(began.elapsed().as_secs() < 5, "{:.2?}", began.elapsed());
}
