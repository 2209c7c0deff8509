//! Duplicates among many sounds that are alike: the groups that comparing each pair gives, in memory that stays bounded.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::library_batches::own_gpu;
use super::library_store::{json, place_of};
use super::support::program::Place;
use super::support::random::Random;
use sonobrush::base::{EngineChoice, ErrorKind, Progress};
use sonobrush::engine::Engine;
use sonobrush::library::batches::{BatchEngine, BatchOrder, RouteBook};
use sonobrush::library::duplicates::{DuplicateLevel, DuplicateOrder, candidate_pairs};
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
        let mut words = insert("INSERT INTO words(sound, version, words) VALUES (?1, 1, ?2)");
        for (id, planted) in (1i64..).zip(sounds) {
            let [a, d, w] = planted.hashes.map(u64::cast_signed);
            let kind = if planted.is_picture { "picture" } else { "sound" };
            sound.execute(rusqlite::params![id, kind, a, d, w, planted.secs]).unwrap();
            file.execute([id]).unwrap();
            let bytes: Vec<u8> = planted.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            words.execute(rusqlite::params![id, bytes]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// A hash of which at most so many bits are changed.
fn near(random: &mut Random, hash: u64, most: usize) -> u64 {
    (0..random.below(most + 1)).fold(hash, |hash, _| hash ^ 1 << random.below(64))
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

/// The definition: each pair, joined where the three distances are within the threshold and the durations within a tenth.
fn plain_groups(sounds: &[Planted], threshold: u32) -> BTreeSet<Vec<i64>> {
    let mut group_of: Vec<usize> = (0..sounds.len()).collect();
    for (a, first) in sounds.iter().enumerate() {
        for (b, second) in sounds.iter().enumerate().skip(a + 1) {
            let distance: u32 = first.hashes.iter().zip(second.hashes).map(|(a, b)| (a ^ b).count_ones()).sum();
            let lasts_as_long = first.secs.max(second.secs) <= 1.1 * first.secs.min(second.secs);
            if distance <= threshold && lasts_as_long && first.is_picture == second.is_picture {
                let (kept, gone) = (group_of[a], group_of[b]);
                group_of.iter_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for (id, group) in (1i64..).zip(group_of) {
        groups.entry(group).or_default().push(id);
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
            Planted { hashes, secs, is_picture, words: Vec::new() }
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
    let asked = BatchOrder { choice: EngineChoice::Gpu, ..BatchOrder::cpu() };
    let on_device = found(&mut BatchEngine::on(Some(Engine::on(gpu)), &asked, RouteBook::default()));
    assert_eq!(on_device.len(), 5, "{on_device:?}");
    assert!(on_device == found(&mut BatchEngine::cpu()));
}

/// Of one-shots one hash may be almost the same: the pairs that it gives alone are not kept.
#[test]
#[cfg(target_os = "linux")]
fn many_sounds_that_are_nearly_alike_take_little_memory() {
    use super::support::program::most_megabytes;
    use std::process::Stdio;
    const MOST_MEGABYTES: u64 = 300;
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
        let megabytes = most_megabytes(&mut child);
        assert!(child.wait().unwrap().success(), "{level}");
        println!("{level}: {megabytes} MB");
        assert!((1..MOST_MEGABYTES).contains(&megabytes), "{level}: {megabytes} MB");
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
