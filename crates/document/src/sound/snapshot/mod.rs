//! One state of the document's sound: a sequence of parts of layers, each layer an immutable base with a sparse set of
//! changed blocks. Cutting, moving and repeating change only references; no sample moves.

mod layer;
mod stored;
mod timeline;

pub use stored::SnapshotSignal;
pub(crate) use timeline::{LayerId, LayerPiece, MAX_PIECES, SOURCE_LAYER};

use super::store::{BLOCK_SAMPLES, Block, BlockStore};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::{Grid, Transform};
use crate::media::{MAX_SAMPLES, Source};
use layer::{Base, Layer, blocks_over};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use timeline::{Placed, Timeline, base_of};

/// An immutable value; display, playback, export, command line and undo all read `&Snapshot`. Clones are cheap.
#[derive(Debug, Clone)]
pub struct Snapshot {
    source: Source,
    timeline: Arc<Timeline>,
    store: BlockStore,
}

impl Snapshot {
    /// The unchanged source.
    pub fn new(source: Source) -> Snapshot {
        let timeline = Arc::new(Timeline::new(source.info().n_samples, source.info().n_channels));
        Snapshot { source, timeline, store: BlockStore::default() }
    }

    /// Storage for the changed samples of this snapshot and all made from it.
    pub fn store(&self) -> &BlockStore {
        &self.store
    }

    /// The source file. If time was cut or added, its samples are at other positions than the sound's.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Samples per channel.
    pub fn n_samples(&self) -> u64 {
        self.timeline.n_samples()
    }

    /// Samples available from the start while the source is being decoded; all of a complete one.
    pub fn n_ready(&self) -> u64 {
        let n_ready = self.source.n_ready();
        if n_ready == self.source.info().n_samples { self.n_samples() } else { n_ready }
    }

    /// Samples per second.
    pub fn sample_rate_hz(&self) -> f64 {
        f64::from(self.source.info().sample_rate_hz)
    }

    /// The grid of a transform over the sound.
    pub fn grid(&self, transform: impl Into<Transform>) -> Grid {
        Grid::new(transform, self.sample_rate_hz(), self.n_samples())
    }

    /// Number of channels.
    pub fn n_channels(&self) -> usize {
        self.source.info().n_channels
    }

    /// Reads samples of one channel starting at `first`; 0 beyond the ends.
    ///
    /// # Errors
    /// Read errors of a source on disk, and of older edits on disk.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        let wanted = first.max(0) as u64..first.saturating_add(out.len() as i64).max(0) as u64;
        let mut done = 0;
        for Placed { at, piece } in self.timeline.over(&wanted) {
            let from = (at as i64 - first) as usize;
            out[done..from].fill(0.0);
            done = from + piece.n as usize;
            self.read_piece(channel, piece, &mut out[from..done])?;
        }
        out[done..].fill(0.0);
        Ok(())
    }

    fn read_piece(&self, channel: usize, piece: LayerPiece, out: &mut [f32]) -> Result<()> {
        match base_of(piece.layer) {
            Base::Source => self.source.read(channel, piece.first as i64, out)?,
            Base::Silence => out.fill(0.0),
        }
        let Some(layer) = self.timeline.layers.get(&piece.layer) else { return Ok(()) };
        let window = piece.window();
        for index in blocks_over(&window) {
            let Some(block) = layer.block(channel, index) else { continue };
            let start = (index * BLOCK_SAMPLES) as u64;
            for range in &block.changed {
                let from = (start + u64::from(range.start)).max(window.start);
                let to = (start + u64::from(range.end)).min(window.end);
                if from < to {
                    let changed = (from - start) as usize..(to - start) as usize;
                    block.read(changed, &mut out[(from - piece.first) as usize..(to - piece.first) as usize])?;
                }
            }
        }
        Ok(())
    }

    /// The origins of the samples in a range, limited to the sound: consecutive runs, each with its length and the
    /// position of its first sample in the source, or `None` for samples that are not from the source.
    pub fn origins(&self, samples: Range<u64>) -> Vec<(u64, Option<u64>)> {
        let origin = |Placed { piece, .. }: Placed| {
            let n_source = self.source.info().n_samples;
            match base_of(piece.layer) {
                // Silence past the end of the source.
                Base::Source if piece.first < n_source => {
                    let n = piece.n.min(n_source - piece.first);
                    vec![(n, Some(piece.first)), (piece.n - n, None)]
                }
                _ => vec![(piece.n, None)],
            }
        };
        self.timeline.over(&samples).flat_map(origin).filter(|(n, _)| *n > 0).collect()
    }

    /// Whether every sample of the sound is at its position in the source, and none is missing.
    pub fn is_in_place(&self) -> bool {
        let n_source = self.source.info().n_samples;
        match *self.origins(0..self.n_samples()).as_slice() {
            [] => n_source == 0,
            [(n, Some(0))] => n == n_source,
            _ => false,
        }
    }

    /// The end of the silence that contains a sample of a channel, as far as it is known without reading samples:
    /// silence of the source, and added silence, up to the first change by an edit. `u64::MAX` if the rest of the sound
    /// is silent, and `first` itself if it is not known to be silent.
    pub fn silent_until(&self, channel: usize, first: u64) -> u64 {
        let mut end = first;
        for Placed { at, piece } in self.timeline.over(&(first..u64::MAX)) {
            let window = piece.window();
            let silent = match base_of(piece.layer) {
                Base::Source => self.source.silent_until(window.start).clamp(window.start, window.end),
                Base::Silence => window.end,
            };
            let layer = self.timeline.layers.get(&piece.layer);
            let changed = layer.and_then(|layer| layer.first_change(channel, window.start..silent));
            let silent = changed.unwrap_or(silent);
            end = at + (silent - window.start);
            if silent < window.end {
                return end;
            }
        }
        // Past the end there is only silence.
        if end >= self.n_samples() { u64::MAX } else { end }
    }

    /// Appends silence.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more than a file can hold.
    pub fn lengthened(&self, n_more: u64) -> Result<Snapshot> {
        self.check_room(n_more)?;
        let mut pieces = self.pieces();
        match pieces.as_mut_slice() {
            // Extends the only piece past the end of the source: silence, unless that was painted and then cut.
            [LayerPiece { layer: SOURCE_LAYER, first: 0, n }] if self.is_unchanged(SOURCE_LAYER, *n..*n + n_more) => {
                *n += n_more
            }
            _ => pieces.push(self.timeline.added(n_more)),
        }
        let mut timeline = (*self.timeline).clone();
        timeline.set(pieces);
        Ok(self.with_timeline(timeline))
    }

    fn is_unchanged(&self, layer: LayerId, window: Range<u64>) -> bool {
        let Some(found) = self.timeline.layers.get(&layer) else { return true };
        window.start >= self.source.info().n_samples
            && (0..found.n_channels()).all(|channel| found.first_change(channel, window.clone()).is_none())
    }

    /// Inserts silence at a sample.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more than a file can hold.
    pub fn with_silence(&self, at: u64, n: u64) -> Result<Snapshot> {
        self.check_room(n)?;
        let mut timeline = (*self.timeline).clone();
        timeline.set(self.pieces_spliced(at..at, &[self.timeline.added(n)]));
        Ok(self.with_timeline(timeline))
    }

    /// Removes a range of samples.
    pub fn without(&self, samples: Range<u64>) -> Snapshot {
        let mut timeline = (*self.timeline).clone();
        timeline.set(self.pieces_spliced(samples, &[]));
        self.with_timeline(timeline)
    }

    /// Inserts a copy of a range at a sample.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more than a file can hold.
    pub fn with_copy(&self, samples: Range<u64>, at: u64) -> Result<Snapshot> {
        self.check_room(samples.end.min(self.n_samples()).saturating_sub(samples.start))?;
        let mut timeline = (*self.timeline).clone();
        let pieces: Vec<LayerPiece> = self.timeline.over(&samples).map(|placed| placed.piece).collect();
        let copies = timeline.copied(&pieces);
        timeline.set(self.pieces_spliced(at..at, &copies));
        Ok(self.with_timeline(timeline))
    }

    /// Replaces a range of samples by added ones: silent until they are written to.
    pub(crate) fn with_added(&self, samples: Range<u64>) -> Snapshot {
        let mut timeline = (*self.timeline).clone();
        let added = self.timeline.added(samples.end - samples.start);
        timeline.set(self.pieces_spliced(samples, &[added]));
        self.with_timeline(timeline)
    }

    fn check_room(&self, n_more: u64) -> Result<()> {
        if self.timeline.pieces().count() + 3 > MAX_PIECES {
            let what = format!("this sound has {MAX_PIECES} cuts; export it and go on with the file");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        if self.n_samples().checked_add(n_more).is_some_and(|n| n <= MAX_SAMPLES) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Limit, "a file cannot hold a sound this long; add less"))
    }

    fn pieces_spliced(&self, removed: Range<u64>, added: &[LayerPiece]) -> Vec<LayerPiece> {
        let mut pieces: Vec<LayerPiece> = self.timeline.over(&(0..removed.start)).map(|placed| placed.piece).collect();
        pieces.extend_from_slice(added);
        pieces.extend(self.timeline.over(&(removed.end..u64::MAX)).map(|placed| placed.piece));
        pieces
    }

    fn with_timeline(&self, timeline: Timeline) -> Snapshot {
        Snapshot { source: self.source.clone(), timeline: Arc::new(timeline), store: self.store.clone() }
    }

    /// The pieces in their order.
    pub(crate) fn pieces(&self) -> Vec<LayerPiece> {
        self.timeline.pieces().collect()
    }

    /// The end of the last piece of each layer, in the layer's coordinates: all blocks of the layer begin before it.
    pub(crate) fn layer_ends(&self) -> BTreeMap<usize, u64> {
        let mut ends = BTreeMap::new();
        for piece in self.timeline.pieces() {
            let end = ends.entry(piece.layer as usize).or_insert(0);
            *end = piece.window().end.max(*end);
        }
        ends
    }

    /// The sound with other pieces, as stored in a session or a project. Blocks stay with their layers.
    ///
    /// # Errors
    /// [`Malformed`](ErrorKind::Malformed) for invalid pieces: two that contain the same sample, or too many samples.
    pub(crate) fn with_pieces(&self, pieces: Vec<LayerPiece>) -> Result<Snapshot> {
        let refused = || Error::new(ErrorKind::Malformed, "the parts of a sound contradict each other");
        if pieces.len() > MAX_PIECES {
            return Err(refused());
        }
        let mut n_samples = 0u64;
        let mut windows: BTreeMap<LayerId, Vec<Range<u64>>> = BTreeMap::new();
        for piece in &pieces {
            let is_possible = piece.n > 0 && piece.first <= 2 * MAX_SAMPLES && piece.n <= MAX_SAMPLES;
            n_samples = n_samples.saturating_add(piece.n);
            if !is_possible || n_samples > MAX_SAMPLES {
                return Err(refused());
            }
            windows.entry(piece.layer).or_default().push(piece.window());
        }
        for windows in windows.values_mut() {
            windows.sort_by_key(|window| window.start);
            if windows.windows(2).any(|pair| pair[0].end > pair[1].start) {
                return Err(refused());
            }
        }
        let mut timeline = (*self.timeline).clone();
        timeline.set(pieces);
        Ok(self.with_timeline(timeline))
    }

    /// Begins a changed copy.
    pub fn edit(&self) -> SnapshotEdit {
        SnapshotEdit { base: self.clone(), drafts: BTreeMap::new() }
    }

    /// A snapshot with `samples` written from `first` on in one channel.
    ///
    /// # Errors
    /// As [`SnapshotEdit::write`].
    pub fn with_samples(&self, channel: usize, first: u64, samples: &[f32]) -> Result<Snapshot> {
        let mut edit = self.edit();
        edit.write(channel, first, samples)?;
        Ok(edit.finish())
    }

    /// The sample ranges of a channel in which two snapshots of one source may differ, ascending and disjoint: samples
    /// from different layer positions, blocks at different addresses, and the tail of the longer snapshot. Cheap:
    /// compares pointers.
    pub fn differing(&self, other: &Snapshot, channel: usize) -> Vec<Range<u64>> {
        if self.is_same(other) {
            return Vec::new();
        }
        let (shorter, longer) = (self.n_samples().min(other.n_samples()), self.n_samples().max(other.n_samples()));
        let mut ranges = self.differing_over(0..shorter, other, 0, channel);
        if shorter < longer {
            join(&mut ranges, shorter..longer);
        }
        ranges
    }

    /// Whether a range of a channel may differ from an equally long range, starting at `from`, of another snapshot of
    /// the same document. Cheap: compares pointers.
    pub fn differs_from(&self, range: Range<u64>, other: &Snapshot, from: u64, channel: usize) -> bool {
        !self.differing_over(range, other, from, channel).is_empty()
    }

    /// The parts of a range that may differ from an equally long range of `other` that starts at `from`.
    fn differing_over(&self, range: Range<u64>, other: &Snapshot, from: u64, channel: usize) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let there = from..from + (range.end - range.start);
        let (mut mine, mut theirs) = (self.timeline.over(&range), other.timeline.over(&there));
        let (mut a, mut b) = (mine.next(), theirs.next());
        while let (Some(one), Some(another)) = (a, b) {
            let n = one.piece.n.min(another.piece.n);
            let window = one.piece.first..one.piece.first + n;
            let layers = (self.timeline.layers.get(&one.piece.layer), other.timeline.layers.get(&another.piece.layer));
            match layers {
                (Some(layer), Some(than)) if layer.base == than.base && one.piece.first == another.piece.first => {
                    for index in layer.differing(than, channel, &window) {
                        let start = (index * BLOCK_SAMPLES) as u64;
                        let block = start.max(window.start)..(start + BLOCK_SAMPLES as u64).min(window.end);
                        join(&mut ranges, one.at + (block.start - window.start)..one.at + (block.end - window.start));
                    }
                }
                _ => join(&mut ranges, one.at..one.at + n),
            }
            a = one.behind(n).or_else(|| mine.next());
            b = another.behind(n).or_else(|| theirs.next());
        }
        // The samples beyond the end of the shorter one.
        if let Some(left) = a.or(b.map(|left| Placed { at: left.at - from + range.start, ..left })) {
            join(&mut ranges, left.at..range.end);
        }
        ranges
    }

    /// Maps this snapshot to another of the same document: ascending ranges of this one's samples, each with the
    /// position of its first sample in `other`. Ignores edits of the samples themselves.
    pub fn runs_of(&self, other: &Snapshot) -> Vec<(Range<u64>, u64)> {
        let mut theirs: BTreeMap<LayerId, Vec<Placed>> = BTreeMap::new();
        for placed in other.timeline.over(&(0..u64::MAX)) {
            theirs.entry(placed.piece.layer).or_default().push(placed);
        }
        theirs.values_mut().for_each(|placed| placed.sort_by_key(|placed| placed.piece.first));
        let mut runs: Vec<(Range<u64>, u64)> = Vec::new();
        for Placed { at, piece } in self.timeline.over(&(0..u64::MAX)) {
            let window = piece.window();
            // A repeated range has its own layer, over the same source.
            let is_on_source = base_of(piece.layer) == Base::Source;
            let like = || theirs.get(&SOURCE_LAYER).filter(|_| is_on_source);
            let held = theirs.get(&piece.layer).or_else(like).map_or(&[][..], Vec::as_slice);
            let first = held.partition_point(|placed| placed.piece.window().end <= window.start);
            for placed in held[first..].iter().take_while(|placed| placed.piece.first < window.end) {
                let (start, end) = (window.start.max(placed.piece.first), window.end.min(placed.piece.window().end));
                let run = at + (start - window.start)..at + (end - window.start);
                let there = placed.at + (start - placed.piece.first);
                match runs.last_mut() {
                    Some((last, from)) if last.end == run.start && *from + (last.end - last.start) == there => {
                        last.end = run.end;
                    }
                    _ => runs.push((run, there)),
                }
            }
        }
        runs
    }

    /// The blocks of this snapshot that an earlier snapshot of the same document lacks, sorted by layer, channel and
    /// index.
    pub(crate) fn blocks_since(&self, before: &Snapshot) -> Vec<StoredBlock> {
        let of_layer = |(id, layer): (&LayerId, &Arc<Layer>)| {
            let theirs = before.timeline.layers.get(id);
            if theirs.is_some_and(|theirs| Arc::ptr_eq(theirs, layer)) {
                return Vec::new();
            }
            let found = layer.blocks_since(theirs.map(|layer| &**layer));
            found.into_iter().map(|(channel, index, block)| StoredBlock { layer: *id, channel, index, block }).collect()
        };
        self.timeline.layers.iter().flat_map(of_layer).collect()
    }

    /// Whether any edit has cut, moved or added time, or written samples.
    pub fn is_edited(&self) -> bool {
        !self.is_in_place() || self.timeline.layers.values().any(|layer| layer.is_edited())
    }

    /// Whether both are identical, compared by pointers and not by samples.
    pub fn is_same(&self, other: &Snapshot) -> bool {
        Arc::ptr_eq(&self.timeline, &other.timeline)
    }
}

/// A block and its position, as stored in sessions and projects.
#[derive(Debug, Clone)]
pub(crate) struct StoredBlock {
    pub layer: LayerId,
    pub channel: usize,
    pub index: usize,
    pub block: Arc<Block>,
}

/// A snapshot under construction: only the pages and blocks written to are copied.
#[derive(Debug)]
pub struct SnapshotEdit {
    base: Snapshot,
    /// By layer, channel and index.
    drafts: BTreeMap<(LayerId, usize, usize), Draft>,
}

/// A block under construction.
#[derive(Debug)]
struct Draft {
    samples: Vec<f32>,
    changed: Vec<Range<u32>>,
}

impl SnapshotEdit {
    /// Writes `samples` into a channel from `first` on; samples beyond the end are dropped.
    ///
    /// # Errors
    /// Read errors of older edits on disk.
    pub fn write(&mut self, channel: usize, first: u64, samples: &[f32]) -> Result<()> {
        let timeline = self.base.timeline.clone();
        for Placed { at, piece } in timeline.over(&(first..first + samples.len() as u64)) {
            let from = (at - first) as usize;
            self.write_piece(channel, piece, &samples[from..from + piece.n as usize])?;
        }
        Ok(())
    }

    fn write_piece(&mut self, channel: usize, piece: LayerPiece, samples: &[f32]) -> Result<()> {
        let window = piece.window();
        for index in blocks_over(&window) {
            let start = (index * BLOCK_SAMPLES) as u64;
            let (from, to) = (window.start.max(start), window.end.min(start + BLOCK_SAMPLES as u64));
            let key = (piece.layer, channel, index);
            if !self.drafts.contains_key(&key) {
                let draft = self.draft(key)?;
                self.drafts.insert(key, draft);
            }
            let Some(draft) = self.drafts.get_mut(&key) else { continue };
            let place = (from - start) as usize..(to - start) as usize;
            let part = &samples[(from - window.start) as usize..(to - window.start) as usize];
            draft.samples[place.clone()].copy_from_slice(part);
            let mut changed = std::mem::take(&mut draft.changed);
            changed.push(place.start as u32..place.end as u32);
            changed.sort_by_key(|range| range.start);
            for range in changed {
                join(&mut draft.changed, range);
            }
        }
        Ok(())
    }

    /// Replaces a whole block of a layer: `BLOCK_SAMPLES` values, of which only those in `changed` (ascending,
    /// disjoint, inside the block) count. Returns false if the layer or channel does not exist.
    pub(crate) fn put(
        &mut self,
        [layer, channel, index]: [usize; 3],
        samples: Vec<f32>,
        changed: Vec<Range<u32>>,
    ) -> bool {
        let Ok(layer) = LayerId::try_from(layer) else { return false };
        let found = self.base.timeline.layers.get(&layer);
        let has_place = found.is_some_and(|found| channel < found.n_channels()) && samples.len() == BLOCK_SAMPLES;
        if has_place {
            self.drafts.insert((layer, channel, index), Draft { samples, changed });
        }
        has_place
    }

    /// A copy of the existing block, or an unchanged one.
    fn draft(&self, (layer, channel, index): (LayerId, usize, usize)) -> Result<Draft> {
        let mut draft = Draft { samples: vec![0.0; BLOCK_SAMPLES], changed: Vec::new() };
        let layer = self.base.timeline.layers.get(&layer);
        if let Some(block) = layer.and_then(|layer| layer.block(channel, index)) {
            block.read(0..BLOCK_SAMPLES, &mut draft.samples)?;
            draft.changed = block.changed.clone();
        }
        Ok(draft)
    }

    /// Turns the samples written so far into blocks. Older blocks may move to disk, so this may take a moment.
    pub fn settle(&mut self) {
        let drafts = std::mem::take(&mut self.drafts);
        if !drafts.is_empty() {
            let timeline = Arc::make_mut(&mut self.base.timeline);
            for ((layer, channel, index), Draft { samples, changed }) in drafts {
                if let Some(layer) = timeline.layers.get_mut(&layer) {
                    Arc::make_mut(layer).put(channel, index, self.base.store.add(samples, changed));
                }
            }
        }
        self.base.store.settle();
    }

    /// The snapshot with all samples written so far. Calls [`settle`](SnapshotEdit::settle), so it may take a moment.
    pub fn so_far(&mut self) -> Snapshot {
        self.settle();
        self.base.clone()
    }

    /// The finished snapshot. Calls [`settle`](SnapshotEdit::settle), so it may take a moment.
    pub fn finish(mut self) -> Snapshot {
        self.settle();
        self.base
    }
}

/// Adds a range that starts at or after the last one's start, merging adjacent ranges.
pub(crate) fn join<T: Copy + Ord>(ranges: &mut Vec<Range<T>>, next: Range<T>) {
    match ranges.last_mut() {
        Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
        _ => ranges.push(next),
    }
}
