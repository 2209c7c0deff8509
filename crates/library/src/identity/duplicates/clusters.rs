//! Clusters of duplicates around kept sounds. Similarity is not transitive: a sound similar to a copy may differ from
//! the sound kept.

use super::candidates::candidate_pairs;
use super::groups::{DuplicateLevel, Joined, KnownSound, distance_of};
use super::pairs;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::library::batches::BatchEngine;
use crate::library::identity::words::{RecordingMatch, WordIndex, words_in};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of pairs of similar pictures: 268 MB, counting both directions.
const MAX_PAIRS: usize = 1 << 24;

/// Classes of sounds with the same samples, best first, and which of them duplicate better ones.
pub struct Clusters<'a> {
    sounds: &'a [KnownSound],
    /// Indices of sounds, best first.
    classes: &'a [Vec<usize>],
    recordings: Option<Recordings>,
    pictures: Option<Pictures>,
    /// For each class, the kept class that it duplicates; `None` if it is kept itself.
    places: Vec<Option<Place>>,
    /// Pairs of overlapping kept classes, the better one first, and the position of the second in the first.
    overlaps: Vec<(usize, usize, RecordingMatch)>,
}

/// The kept class that another duplicates.
#[derive(Clone, Copy)]
struct Place {
    /// Index of the kept class.
    kept: usize,
    level: DuplicateLevel,
    matched: Option<RecordingMatch>,
}

/// Comparison of classes as recordings.
struct Recordings {
    words: Vec<Option<Vec<u32>>>,
    /// For each class, the better classes to compare it with.
    near: Vec<Vec<u32>>,
}

/// Comparison of classes as pictures. Classes with the same hashes share a list.
struct Pictures {
    hashes: Vec<[u64; 3]>,
    list_of: Vec<Option<u32>>,
    /// For each list, the lists with similar hashes.
    near: Vec<Vec<u32>>,
}

impl<'a> Clusters<'a> {
    /// Clusters of classes before any comparison.
    pub fn new(sounds: &'a [KnownSound], classes: &'a [Vec<usize>]) -> Clusters<'a> {
        let places = vec![None; classes.len()];
        Clusters { sounds, classes, recordings: None, pictures: None, places, overlaps: Vec::new() }
    }

    /// The best sound of a class.
    fn best(&self, class: usize) -> &KnownSound {
        &self.sounds[self.classes[class][0]]
    }

    /// Compares classes as recordings by their words.
    ///
    /// # Errors
    /// Cancelled.
    pub fn compare_recordings(
        &mut self,
        mut words: HashMap<i64, Vec<u32>>,
        fingerprint_secs: u32,
        progress: &Progress,
    ) -> Result<()> {
        let ids = |class: &Vec<usize>| class.iter().map(|&at| self.sounds[at].id).collect::<Vec<_>>();
        let words: Vec<Option<Vec<u32>>> =
            self.classes.iter().map(|class| ids(class).iter().find_map(|id| words.remove(id))).collect();
        let with_words = words.iter().enumerate().filter_map(|(class, words)| Some((class, words.as_deref()?)));
        let (members, all): (Vec<usize>, Vec<&[u32]>) = with_words.unzip();
        let mut near = vec![Vec::new(); self.classes.len()];
        for (a, b) in candidate_pairs(&all, words_in(fingerprint_secs), progress)? {
            near[members[b]].push(members[a] as u32);
        }
        self.recordings = Some(Recordings { words, near });
        Ok(())
    }

    /// Compares classes as pictures whose hashes differ by at most `threshold` bits.
    ///
    /// # Errors
    /// Errors of a chosen device; [`Limit`](ErrorKind::Limit) where too many are alike; cancelled.
    pub fn compare_pictures(&mut self, threshold: u32, batches: &mut BatchEngine, progress: &Progress) -> Result<()> {
        let mut place: HashMap<[u64; 3], u32> = HashMap::new();
        let mut pictures = Pictures { hashes: Vec::new(), list_of: vec![None; self.classes.len()], near: Vec::new() };
        // For each list, its class if it has only one.
        let mut only: Vec<Option<usize>> = Vec::new();
        for class in 0..self.classes.len() {
            let Some(hashes) = self.best(class).hashes.filter(|_| !self.best(class).is_silent) else { continue };
            let list = *place.entry(hashes).or_insert(pictures.hashes.len() as u32);
            pictures.list_of[class] = Some(list);
            if list as usize == pictures.hashes.len() {
                pictures.hashes.push(hashes);
                only.push(Some(class));
            } else {
                only[list as usize] = None;
            }
        }
        let mut near = NearPairs::default();
        let mut take = |a: usize, b: usize| {
            // Rejects most pairs of short sounds.
            let is_other = only[a].zip(only[b]).is_some_and(|(a, b)| !self.best(a).may_be(self.best(b)));
            if !is_other {
                near.push(a, b);
            }
        };
        pairs::each_alike(&pictures.hashes, threshold, batches, progress, &mut take)?;
        pictures.near = near.of_each(pictures.hashes.len()).ok_or_else(|| {
            let what = format!(
                "more than {} million pairs of pictures differ by at most {threshold} bits; ask with a lower --threshold",
                MAX_PAIRS / 1_000_000
            );
            Error::new(ErrorKind::Limit, what)
        })?;
        self.pictures = Some(pictures);
        Ok(())
    }

    /// Decides which classes are kept: in order, the best first, each class that duplicates no class kept so far.
    ///
    /// # Errors
    /// Cancelled.
    pub fn find(&mut self, progress: &Progress) -> Result<()> {
        // Kept classes of each list of pictures.
        let mut kept_of = vec![Vec::new(); self.pictures.as_ref().map_or(0, |pictures| pictures.hashes.len())];
        for class in 0..self.classes.len() {
            progress.check()?;
            let (recording, overlaps) = self.recording_of(class);
            self.places[class] = recording.or_else(|| self.picture_of(class, &kept_of));
            if self.places[class].is_none() {
                self.overlaps.extend(overlaps);
                let list = self.pictures.as_ref().and_then(|pictures| pictures.list_of[class]);
                if let Some(list) = list {
                    kept_of[list as usize].push(class);
                }
            }
        }
        Ok(())
    }

    /// The kept recording that a class duplicates, and the kept recordings it overlaps with.
    fn recording_of(&self, class: usize) -> (Option<Place>, Vec<(usize, usize, RecordingMatch)>) {
        let mut overlaps = Vec::new();
        let Some(recordings) = &self.recordings else { return (None, overlaps) };
        let Some(words) = &recordings.words[class] else { return (None, overlaps) };
        let near = recordings.near[class].iter().map(|&near| near as usize);
        let kept: Vec<usize> = near.filter(|&near| self.places[near].is_none()).collect();
        if kept.is_empty() {
            return (None, overlaps);
        }
        let index = WordIndex::of(words);
        let mut best: Option<(RecordingMatch, usize)> = None;
        for kept in kept {
            let Some(matched) = recordings.words[kept].as_ref().and_then(|other| index.find_in(other)) else {
                continue;
            };
            if !matched.is_same {
                overlaps.push((kept, class, matched));
            } else if best.is_none_or(|best| matched.error_rate < best.0.error_rate) {
                best = Some((matched, kept));
            }
        }
        let place = |(matched, kept)| Place { kept, level: DuplicateLevel::Recording, matched: Some(matched) };
        (best.map(place), overlaps)
    }

    /// The kept class whose picture is nearest to that of a class.
    fn picture_of(&self, class: usize, kept_of: &[Vec<usize>]) -> Option<Place> {
        let pictures = self.pictures.as_ref()?;
        let own = pictures.list_of[class]?;
        let bits = |list: u32| distance_of(&pictures.hashes[own as usize], &pictures.hashes[list as usize]);
        let lists = std::iter::once(own).chain(pictures.near[own as usize].iter().copied());
        let kept = lists.flat_map(|list| kept_of[list as usize].iter().map(move |&kept| (list, kept)));
        let same = kept.filter(|&(_, kept)| self.best(class).may_be(self.best(kept)));
        let (_, kept) = same.map(|(list, kept)| (bits(list), kept)).min()?;
        Some(Place { kept, level: DuplicateLevel::Picture, matched: None })
    }

    /// Groups of several sounds; with `has_files`, also of one sound with several files.
    pub fn groups(&self, has_files: bool) -> Vec<Joined> {
        let mut of_kept: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (class, place) in self.places.iter().enumerate() {
            of_kept.entry(place.map_or(class, |place| place.kept)).or_default().push(class);
        }
        let mut groups = Vec::new();
        for (kept, classes) in of_kept {
            let mut level = DuplicateLevel::File;
            let mut members = Vec::new();
            for class in classes {
                let place = self.places[class];
                level = level.max(place.map_or(DuplicateLevel::File, |place| place.level));
                if self.classes[class].len() > 1 {
                    level = level.max(DuplicateLevel::Audio);
                }
                let matched = place.and_then(|place| place.matched);
                members.extend(self.classes[class].iter().map(|&at| (at, matched)));
            }
            members.sort_by_key(|&(at, _)| self.sounds[at].order());
            if members.len() > 1 || has_files && self.best(kept).n_files > 1 {
                groups.push(Joined { level, members });
            }
        }
        groups
    }

    /// Kept sounds, each with the lower-ranked ones that overlap with it.
    pub fn overlaps(&self) -> Vec<Joined> {
        let mut of_first: BTreeMap<usize, Vec<(usize, Option<RecordingMatch>)>> = BTreeMap::new();
        for &(first, second, matched) in &self.overlaps {
            let members = of_first.entry(first).or_insert_with(|| vec![(self.classes[first][0], None)]);
            members.push((self.classes[second][0], Some(matched)));
        }
        of_first.into_values().map(|members| Joined { level: DuplicateLevel::Overlap, members }).collect()
    }
}

/// Pairs of lists, up to a maximum.
#[derive(Default)]
struct NearPairs {
    pairs: Vec<(u32, u32)>,
    are_too_many: bool,
}

impl NearPairs {
    /// Adds a pair; pairs may repeat.
    fn push(&mut self, a: usize, b: usize) {
        if self.pairs.len() == MAX_PAIRS {
            self.pairs.sort_unstable();
            self.pairs.dedup();
            self.are_too_many |= self.pairs.len() > MAX_PAIRS / 2;
        }
        if !self.are_too_many {
            self.pairs.push((a.min(b) as u32, a.max(b) as u32));
        }
    }

    /// The neighbours of each list; `None` if there are too many pairs.
    fn of_each(mut self, n: usize) -> Option<Vec<Vec<u32>>> {
        if self.are_too_many {
            return None;
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let mut near = vec![Vec::new(); n];
        for (a, b) in self.pairs {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        Some(near)
    }
}
