//! The rows of a database, written and read, each with its seal.

use super::beat::write_beat;
use super::sealed::{SEAL_BYTES, Seal, blob, number, required, seal_in, text, unreadable};
use super::source::{SourceRef, bytes_of, path_from};
use super::{SessionState, damaged};
use crate::base::{MAX_TEXT_BYTES, Result};
use crate::document::labels::{Columns, Label, LabelSet};
use crate::document::scripts::script::{
    selection_from_json, selection_to_json, transform_from_json, transform_to_json,
};
use crate::document::sound::snapshot::{LayerPiece, MAX_PIECES, StoredBlock};
use crate::document::{BLOCK_SAMPLES, Block, Edit, Script, Snapshot};
use crate::media::FileStamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::ops::Range;
use std::path::PathBuf;

/// Maximum size of a view and of a path.
const MAX_VIEW_BYTES: usize = 1 << 20;
const MAX_PATH_BYTES: usize = 1 << 16;
const MAX_NAME_BYTES: usize = 1 << 12;
/// Maximum number of markers.
pub const MAX_MARKERS: u64 = 100_000;

/// The only row of `session`.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub source: SourceRef,
    /// Length of the source.
    pub n_samples: u64,
    pub sample_rate_hz: u32,
    pub n_channels: usize,
    pub n_edits: usize,
    pub position: usize,
    pub desk: SessionState,
    /// Labels of the opened file.
    pub labels: LabelSet,
    /// The project that the document was opened from or saved to, and the position in the history at that time.
    pub project: Option<PathBuf>,
    pub project_position: Option<usize>,
}

/// Converts to the signed 64-bit integers of SQLite, saturating.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl Head {
    fn seal(&self, texts: &[String; 2], selection: Option<&str>) -> [u8; SEAL_BYTES] {
        let mut seal = Seal::default();
        let stamp = self.source.stamp();
        seal.text(kind_of(&self.source)).maybe(self.source.path(), |seal, path| _ = seal.blob(&bytes_of(path)));
        seal.number(signed(stamp.n_bytes)).number(stamp.modified_ns);
        seal.maybe(self.source.hash(), |seal, hash| _ = seal.blob(&hash));
        seal.number(signed(self.n_samples)).number(self.sample_rate_hz.into()).number(self.n_channels as i64);
        seal.number(self.n_edits as i64).number(self.position as i64).number(self.labels.len() as i64);
        texts.iter().for_each(|text| _ = seal.text(text));
        seal.maybe(selection, |seal, text| _ = seal.text(text));
        seal.maybe(self.project.as_deref(), |seal, path| _ = seal.blob(&bytes_of(path)));
        seal.maybe(self.project_position, |seal, position| _ = seal.number(position as i64));
        seal.done()
    }

    /// Writes it, the beat grid, and the labels of the opened file.
    pub fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let texts = [transform_to_json(&self.desk.transform), self.desk.view.clone()];
        let selection = self.desk.selection.as_ref().map(selection_to_json);
        let stamp = self.source.stamp();
        connection.prepare("INSERT OR REPLACE INTO session VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")?.execute(
            params![
                kind_of(&self.source),
                self.source.path().map(|path| bytes_of(path).into_owned()),
                signed(stamp.n_bytes),
                stamp.modified_ns,
                self.source.hash().map(|hash| hash.to_vec()),
                signed(self.n_samples),
                self.sample_rate_hz,
                self.n_channels as i64,
                self.n_edits as i64,
                self.position as i64,
                self.labels.len() as i64,
                texts[0],
                texts[1],
                selection,
                self.project.as_deref().map(|path| bytes_of(path).into_owned()),
                self.project_position.map(|position| position as i64),
                self.seal(&texts, selection.as_deref()).to_vec(),
            ],
        )?;
        write_beat(connection, self.desk.beat.as_ref())?;
        connection.execute("DELETE FROM labels", [])?;
        let mut insert = connection.prepare("INSERT INTO labels VALUES (?,?,?,?,?,?,?,?,?,?,?)")?;
        for label in self.labels.iter() {
            let row = LabelRow::of(label);
            insert.execute(params![
                row.id,
                row.secs[0],
                row.secs[1],
                row.hz[0],
                row.hz[1],
                row.text,
                row.confidence,
                row.channel,
                row.colour,
                row.columns,
                row.seal().to_vec()
            ])?;
        }
        Ok(())
    }

    /// Reads it.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn read(connection: &Connection, version: u32) -> Result<Head> {
        let row = connection.query_row("SELECT * FROM session WHERE id = 1", [], |row| Ok(read_head(row, version)));
        let (mut head, texts, selection, n_markers, seal) =
            row.optional().map_err(unreadable)?.ok_or_else(|| damaged("its source record is missing"))??;
        let transform = transform_from_json(&texts[0]);
        // Labels count in the seal, so they come first.
        let labels = match version {
            1 => read_markers(connection, n_markers)?,
            _ => read_labels(connection, n_markers)?,
        };
        head.labels = LabelSet::of(labels).map_err(|error| damaged(error.message()))?;
        if head.seal(&texts, selection.as_deref()) != seal {
            return Err(damaged("its source record is corrupted"));
        }
        let ours = |error: crate::base::Error| damaged(error.message());
        head.desk.transform = transform.map_err(ours)?;
        head.desk.selection = selection.as_deref().map(selection_from_json).transpose().map_err(ours)?;
        Ok(head)
    }
}

fn kind_of(source: &SourceRef) -> &'static str {
    match source {
        SourceRef::Silence => "silence",
        SourceRef::File { .. } => "file",
        SourceRef::Embedded { .. } => "embedded",
    }
}

type HeadRow = (Head, [String; 2], Option<String>, u64, [u8; SEAL_BYTES]);

fn read_head(row: &Row<'_>, version: u32) -> Result<HeadRow> {
    let path = blob(row, "source_path", MAX_PATH_BYTES)?.map(path_from);
    let modified_ns: i64 = row.get("source_modified_ns").map_err(unreadable)?;
    let stamp = FileStamp { n_bytes: number(row, "source_bytes", i64::MAX as u64)?, modified_ns };
    let hash = blob(row, "source_hash", 32)?
        .map(|bytes| <[u8; 32]>::try_from(bytes).map_err(|_| damaged("the hash of its source is invalid")))
        .transpose()?;
    let source = match required(text(row, "source_kind", 16)?, "source_kind")? {
        "silence" => SourceRef::Silence,
        "file" => SourceRef::File { path: required(path, "source_path")?, stamp, hash },
        "embedded" => SourceRef::Embedded { path: required(path, "source_path")?, stamp, hash },
        _ => return Err(damaged("the kind of its source is unknown")),
    };
    let sample_rate_hz = number(row, "sample_rate_hz", u64::from(crate::media::MAX_RATE_HZ))? as u32;
    let texts = [
        required(text(row, "transform", MAX_VIEW_BYTES)?, "transform")?.to_owned(),
        required(text(row, "view", MAX_VIEW_BYTES)?, "view")?.to_owned(),
    ];
    let project_position: Option<i64> = row.get("project_position").map_err(unreadable)?;
    let mut desk = SessionState::of_rate(f64::from(sample_rate_hz));
    desk.view = texts[1].clone();
    let head = Head {
        source,
        n_samples: number(row, "n_samples", i64::MAX as u64)?,
        sample_rate_hz,
        n_channels: number(row, "n_channels", crate::media::MAX_CHANNELS as u64)? as usize,
        n_edits: number(row, "n_edits", u64::from(u32::MAX))? as usize,
        position: number(row, "position", u64::from(u32::MAX))? as usize,
        desk,
        labels: LabelSet::default(),
        project: blob(row, "project_path", MAX_PATH_BYTES)?.map(path_from),
        project_position: project_position.and_then(|position| usize::try_from(position).ok()),
    };
    let selection = text(row, "selection", MAX_TEXT_BYTES)?.map(str::to_owned);
    let counted = if version == 1 { "n_markers" } else { "n_labels" };
    Ok((head, texts, selection, number(row, counted, MAX_MARKERS)?, seal_in(row)?))
}

/// Reads markers of version 1, which were positions or ranges with a name.
fn read_markers(connection: &Connection, n_markers: u64) -> Result<Vec<Label>> {
    let mut statement = connection.prepare("SELECT * FROM markers ORDER BY id").map_err(unreadable)?;
    let mut rows = statement.query([]).map_err(unreadable)?;
    let mut labels = Vec::new();
    while let Some(row) = rows.next().map_err(unreadable)? {
        let id = number(row, "id", MAX_MARKERS)?;
        let name = required(text(row, "name", MAX_NAME_BYTES)?, "name")?;
        let (secs, end_secs): (f64, Option<f64>) =
            (row.get("secs").map_err(unreadable)?, row.get("end_secs").map_err(unreadable)?);
        let mut seal = Seal::default();
        seal.number(id as i64).real(secs).maybe(end_secs, |seal, secs| _ = seal.real(secs)).text(name);
        let label = Label::new([secs, end_secs.unwrap_or(secs)], name).checked();
        match label {
            Ok(checked) if id == labels.len() as u64 && seal_in(row)? == seal.done() => labels.push(checked.label),
            _ => return Err(damaged("its markers are corrupted")),
        }
    }
    if labels.len() as u64 != n_markers {
        return Err(damaged("some of its markers are missing"));
    }
    Ok(labels)
}

/// A row of a label.
#[derive(Debug, Clone, PartialEq)]
struct LabelRow {
    id: i64,
    secs: [f64; 2],
    hz: [Option<f64>; 2],
    text: String,
    confidence: Option<f64>,
    channel: Option<i64>,
    colour: Option<i64>,
    columns: Option<String>,
}

impl LabelRow {
    fn of(label: &Label) -> LabelRow {
        LabelRow {
            id: signed(label.id),
            secs: label.secs,
            hz: [label.low_hz, label.high_hz],
            text: label.text.to_string(),
            confidence: label.confidence,
            channel: label.channel.map(i64::from),
            colour: label.colour.map(i64::from),
            columns: (!label.columns.is_empty()).then(|| label.columns.to_json()),
        }
    }

    fn label(&self) -> Result<Label> {
        let corrupted = || damaged("its labels are corrupted");
        let columns = self.columns.as_deref().map(Columns::from_json).transpose().map_err(|_| corrupted())?;
        let label = Label {
            id: u64::try_from(self.id).ok().filter(|id| *id > 0).ok_or_else(corrupted)?,
            secs: self.secs,
            low_hz: self.hz[0],
            high_hz: self.hz[1],
            text: self.text.as_str().into(),
            confidence: self.confidence,
            channel: self.channel.map(u16::try_from).transpose().map_err(|_| corrupted())?,
            colour: self.colour.map(u8::try_from).transpose().map_err(|_| corrupted())?,
            columns: columns.unwrap_or_default(),
        };
        let checked = label.checked().map_err(|_| corrupted())?;
        if checked.is_swapped { Err(corrupted()) } else { Ok(checked.label) }
    }

    fn seal(&self) -> [u8; SEAL_BYTES] {
        let real = |seal: &mut Seal, value: f64| _ = seal.real(value);
        let number = |seal: &mut Seal, value: i64| _ = seal.number(value);
        let mut seal = Seal::default();
        seal.number(self.id).real(self.secs[0]).real(self.secs[1]);
        seal.maybe(self.hz[0], real).maybe(self.hz[1], real).text(&self.text).maybe(self.confidence, real);
        seal.maybe(self.channel, number).maybe(self.colour, number);
        seal.maybe(self.columns.as_deref(), |seal, text| _ = seal.text(text));
        seal.done()
    }

    fn read(row: &Row<'_>) -> Result<LabelRow> {
        let real = |column: &str| row.get::<_, Option<f64>>(column).map_err(unreadable);
        let whole = |column: &str| row.get::<_, Option<i64>>(column).map_err(unreadable);
        Ok(LabelRow {
            id: number(row, "id", i64::MAX as u64)? as i64,
            secs: [required(real("start_secs")?, "start_secs")?, required(real("end_secs")?, "end_secs")?],
            hz: [real("low_hz")?, real("high_hz")?],
            text: required(text(row, "text", MAX_NAME_BYTES)?, "text")?.to_owned(),
            confidence: real("confidence")?,
            channel: whole("channel")?,
            colour: whole("colour")?,
            columns: text(row, "columns", MAX_VIEW_BYTES)?.map(str::to_owned),
        })
    }
}

fn read_labels(connection: &Connection, n_labels: u64) -> Result<Vec<Label>> {
    let mut statement = connection.prepare("SELECT * FROM labels ORDER BY id").map_err(unreadable)?;
    let mut rows = statement.query([]).map_err(unreadable)?;
    let mut labels = Vec::new();
    while let Some(row) = rows.next().map_err(unreadable)? {
        let label = LabelRow::read(row)?;
        if labels.len() as u64 == n_labels || seal_in(row)? != label.seal() {
            return Err(damaged("its labels are corrupted"));
        }
        labels.push(label.label()?);
    }
    if labels.len() as u64 != n_labels {
        return Err(damaged("some of its labels are missing"));
    }
    Ok(labels)
}

/// A change of the pieces of a sound: replaces `n_removed` of them from `first` on with `added`.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceChange {
    pub first: usize,
    pub n_removed: usize,
    pub added: Vec<LayerPiece>,
}

/// Bytes of a piece in a row.
const PIECE_BYTES: usize = 20;

impl PieceChange {
    /// The change from `before` to `after`; `None` if they are equal.
    pub fn between(before: &[LayerPiece], after: &[LayerPiece]) -> Option<PieceChange> {
        let first = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let max = before.len().min(after.len()) - first;
        let last = before.iter().rev().zip(after.iter().rev()).take(max).take_while(|(a, b)| a == b).count();
        let (n_removed, added) = (before.len() - last - first, after[first..after.len() - last].to_vec());
        (n_removed > 0 || !added.is_empty()).then_some(PieceChange { first, n_removed, added })
    }

    /// The pieces after the change.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn applied(&self, mut pieces: Vec<LayerPiece>) -> Result<Vec<LayerPiece>> {
        let end = self.first.saturating_add(self.n_removed);
        if end > pieces.len() {
            return Err(damaged("the parts of its sound contradict each other"));
        }
        pieces.splice(self.first..end, self.added.iter().copied());
        Ok(pieces)
    }

    fn list(&self) -> Vec<u8> {
        let bytes = |piece: &LayerPiece| {
            [&piece.layer.to_le_bytes()[..], &piece.first.to_le_bytes(), &piece.n.to_le_bytes()].concat()
        };
        self.added.iter().flat_map(bytes).collect()
    }

    fn from_list(first: usize, n_removed: usize, list: &[u8]) -> Option<PieceChange> {
        let piece = |bytes: &[u8]| {
            let (layer, rest) = bytes.split_first_chunk::<4>()?;
            let (first, rest) = rest.split_first_chunk::<8>()?;
            let n = u64::from_le_bytes(rest.try_into().ok()?);
            Some(LayerPiece { layer: u32::from_le_bytes(*layer), first: u64::from_le_bytes(*first), n })
        };
        let added = list.chunks(PIECE_BYTES).map(piece).collect::<Option<_>>()?;
        Some(PieceChange { first, n_removed, added })
    }

    fn seal(edit: i64, first: i64, n_removed: i64, list: &[u8]) -> [u8; SEAL_BYTES] {
        let mut seal = Seal::default();
        seal.number(edit).number(first).number(n_removed).blob(list);
        seal.done()
    }
}

/// How an edit changed the pieces; `None` if it did not. [`read_edit`] checks that the row belongs to the edit.
///
/// # Errors
/// If the row is damaged.
pub fn read_pieces(connection: &Connection, version: u32, id: usize) -> Result<Option<PieceChange>> {
    if version == 1 {
        return Ok(None);
    }
    let row = connection.query_row("SELECT * FROM pieces WHERE edit = ?", [id as i64], |row| {
        Ok(piece_change(row, id as i64).map(|(change, _)| change))
    });
    row.optional().map_err(unreadable)?.transpose()
}

fn piece_change(row: &Row<'_>, edit: i64) -> Result<(PieceChange, [u8; SEAL_BYTES])> {
    let first = number(row, "first", MAX_PIECES as u64)?;
    let n_removed = number(row, "n_removed", MAX_PIECES as u64)?;
    let list = required(blob(row, "list", MAX_PIECES * PIECE_BYTES)?, "list")?;
    let seal = seal_in(row)?;
    let is_whole = seal == PieceChange::seal(edit, first as i64, n_removed as i64, list);
    let change = PieceChange::from_list(first as usize, n_removed as usize, list).filter(|_| is_whole);
    Ok((change.ok_or_else(|| damaged("the parts of its sound are corrupted"))?, seal))
}

/// The row of an edit, after its seal has been checked.
pub struct EditRow {
    pub edit: Edit,
    pub consistency_db: Option<f64>,
    /// Length of its script.
    pub script_bytes: usize,
}

fn edit_seal(
    id: i64,
    script: &str,
    consistency_db: Option<f64>,
    n_samples: u64,
    seals: &[[u8; SEAL_BYTES]],
    pieces: Option<[u8; SEAL_BYTES]>,
) -> [u8; SEAL_BYTES] {
    let mut seal = Seal::default();
    seal.number(id).text(script).maybe(consistency_db, |seal, db| _ = seal.real(db)).number(signed(n_samples));
    seal.number(seals.len() as i64);
    seals.iter().for_each(|one| _ = seal.blob(one));
    pieces.iter().for_each(|one| _ = seal.blob(one));
    seal.done()
}

/// A stored block: changed ranges as pairs of 32-bit numbers, and their samples concatenated.
struct Packed {
    changed: Vec<u8>,
    samples: Vec<u8>,
}

impl Packed {
    fn of(block: &Block) -> Result<Packed> {
        let mut samples = vec![0f32; BLOCK_SAMPLES];
        block.read(0..BLOCK_SAMPLES, &mut samples)?;
        let mut packed = Packed { changed: Vec::new(), samples: Vec::new() };
        for range in &block.changed {
            packed.changed.extend(range.start.to_le_bytes());
            packed.changed.extend(range.end.to_le_bytes());
            let values = samples.get(range.start as usize..range.end as usize).unwrap_or_default();
            values.iter().for_each(|value| packed.samples.extend(value.to_le_bytes()));
        }
        Ok(packed)
    }

    /// The seal of a block; version 1 had no layers.
    fn seal(edit: i64, layer: Option<i64>, place: [i64; 2], changed: &[u8], samples: &[u8]) -> [u8; SEAL_BYTES] {
        let mut seal = Seal::default();
        seal.number(edit);
        layer.into_iter().for_each(|layer| _ = seal.number(layer));
        seal.number(place[0]).number(place[1]).blob(changed).blob(samples);
        seal.done()
    }
}

/// Ranges and samples of a stored block; `None` if they are inconsistent, or contain invalid samples.
fn unpacked(changed: &[u8], samples: &[u8]) -> Option<(Vec<Range<u32>>, Vec<f32>)> {
    let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).ok();
    let mut ranges: Vec<Range<u32>> = Vec::new();
    if !changed.len().is_multiple_of(8) || !samples.len().is_multiple_of(4) {
        return None;
    }
    for pair in changed.chunks_exact(8) {
        let range = word(&pair[..4])?..word(&pair[4..])?;
        let after = ranges.last().map_or(0, |last| last.end);
        if range.start < after || range.end <= range.start || range.end as usize > BLOCK_SAMPLES {
            return None;
        }
        ranges.push(range);
    }
    let n_wanted: usize = ranges.iter().map(|range| range.len()).sum();
    if n_wanted * 4 != samples.len() {
        return None;
    }
    let mut values = samples.chunks_exact(4).filter_map(|bytes| bytes.try_into().map(f32::from_le_bytes).ok());
    let mut whole = vec![0f32; BLOCK_SAMPLES];
    for range in &ranges {
        for sample in &mut whole[range.start as usize..range.end as usize] {
            *sample = values.next().filter(|value| value.is_finite())?;
        }
    }
    Some((ranges, whole))
}

/// Writes a step: its edit, and the blocks and pieces it changed; replaces steps with this number or a later one.
///
/// # Errors
/// Read errors of older blocks, unchanged; otherwise SQLite's error.
pub fn write_edit(
    connection: &Connection,
    id: usize,
    edit: &Edit,
    consistency_db: Option<f64>,
    [before, after]: [&Snapshot; 2],
) -> std::result::Result<(), WriteError> {
    let id = id as i64;
    for text in
        ["DELETE FROM blocks WHERE edit >= ?", "DELETE FROM pieces WHERE edit >= ?", "DELETE FROM edits WHERE id >= ?"]
    {
        connection.prepare(text)?.execute([id])?;
    }
    let mut insert = connection
        .prepare("INSERT INTO blocks (edit, layer, channel, place, changed, samples, seal) VALUES (?,?,?,?,?,?,?)")?;
    let mut seals = Vec::new();
    for StoredBlock { layer, channel, index, block } in after.blocks_since(before) {
        let Packed { changed, samples } = Packed::of(&block)?;
        let (layer, channel, place) = (i64::from(layer), channel as i64, index as i64);
        let seal = Packed::seal(id, Some(layer), [channel, place], &changed, &samples);
        insert.execute(params![id, layer, channel, place, changed, samples, seal.to_vec()])?;
        seals.push(seal);
    }
    let mut pieces = None;
    if let Some(change) = PieceChange::between(&before.pieces(), &after.pieces()) {
        let (first, n_removed, list) = (change.first as i64, change.n_removed as i64, change.list());
        let seal = PieceChange::seal(id, first, n_removed, &list);
        connection.prepare("INSERT INTO pieces VALUES (?,?,?,?,?)")?.execute(params![
            id,
            first,
            n_removed,
            list,
            seal.to_vec()
        ])?;
        pieces = Some(seal);
    }
    let (script, n_samples) = (Script::from(vec![edit.clone()]).to_json(), after.n_samples());
    let seal = edit_seal(id, &script, consistency_db, n_samples, &seals, pieces);
    connection.prepare("INSERT INTO edits VALUES (?,?,?,?,?,?)")?.execute(params![
        id,
        script,
        consistency_db,
        signed(n_samples),
        seals.len() as i64,
        seal.to_vec()
    ])?;
    Ok(())
}

/// An error of SQLite, or of this program's own code.
pub enum WriteError {
    Database(rusqlite::Error),
    Ours(crate::base::Error),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> WriteError {
        WriteError::Database(error)
    }
}

impl From<crate::base::Error> for WriteError {
    fn from(error: crate::base::Error) -> WriteError {
        WriteError::Ours(error)
    }
}

/// Receives a block: its layer, channel and index, its samples, and the changed ranges. Returns false if the sound has
/// no such block.
pub type TakeBlock<'a> = dyn FnMut([usize; 3], Vec<f32>, Vec<Range<u32>>) -> bool + 'a;

/// Reads an edit with a script of at most `max_bytes`, and passes its blocks to `take`.
///
/// # Errors
/// If the row is damaged.
pub fn read_edit(
    connection: &Connection,
    version: u32,
    id: usize,
    max_bytes: usize,
    take: &mut TakeBlock<'_>,
) -> Result<EditRow> {
    let id = id as i64;
    let layer = if version == 1 { "0 AS layer" } else { "layer" };
    let text = format!(
        "SELECT {layer}, channel, place, changed, samples, seal FROM blocks WHERE edit = ? ORDER BY layer, channel, place"
    );
    let mut statement = connection.prepare(&text).map_err(unreadable)?;
    let mut rows = statement.query([id]).map_err(unreadable)?;
    let mut seals = Vec::new();
    while let Some(row) = rows.next().map_err(unreadable)? {
        let layer = number(row, "layer", u64::from(u32::MAX))?;
        let channel = number(row, "channel", crate::media::MAX_CHANNELS as u64)?;
        let place = number(row, "place", u64::MAX / BLOCK_SAMPLES as u64 / 2)?;
        let changed = required(blob(row, "changed", BLOCK_SAMPLES * 4)?, "changed")?;
        let samples = required(blob(row, "samples", BLOCK_SAMPLES * 4)?, "samples")?;
        let seal = seal_in(row)?;
        let sealed_layer = (version > 1).then_some(layer as i64);
        if seal != Packed::seal(id, sealed_layer, [channel as i64, place as i64], changed, samples) {
            return Err(damaged("samples are corrupted"));
        }
        let (ranges, whole) = unpacked(changed, samples).ok_or_else(|| damaged("samples are invalid"))?;
        if !take([layer as usize, channel as usize, place as usize], whole, ranges) {
            return Err(damaged("samples lie outside the sound"));
        }
        seals.push(seal);
    }
    let row = connection.query_row("SELECT * FROM edits WHERE id = ?", [id], |row| Ok(edit_columns(row, max_bytes)));
    let (script, consistency_db, n_samples, n_blocks, seal) =
        row.optional().map_err(unreadable)?.ok_or_else(|| damaged("an edit is missing"))??;
    let pieces = match version {
        1 => None,
        _ => connection
            .query_row("SELECT * FROM pieces WHERE edit = ?", [id], |row| Ok(piece_change(row, id)))
            .optional()
            .map_err(unreadable)?
            .transpose()?
            .map(|(_, seal)| seal),
    };
    if n_blocks != seals.len() as u64 || seal != edit_seal(id, &script, consistency_db, n_samples, &seals, pieces) {
        return Err(damaged("an edit is corrupted"));
    }
    let Script { labels, mut edits, anchors } = Script::parse(&script).map_err(|error| damaged(error.message()))?;
    match (edits.pop(), edits.pop()) {
        (Some(edit), None) if labels.labels.is_empty() && anchors.is_empty() => {
            Ok(EditRow { edit, consistency_db, script_bytes: script.len() })
        }
        _ => Err(damaged("an edit is invalid")),
    }
}

/// Length of the sound after an edit, before its blocks are read; [`read_edit`] checks it.
///
/// # Errors
/// If the row is damaged.
pub fn edit_length(connection: &Connection, id: usize) -> Result<u64> {
    let found = connection.query_row("SELECT n_samples FROM edits WHERE id = ?", [id as i64], |row| {
        Ok(number(row, "n_samples", i64::MAX as u64))
    });
    found.optional().map_err(unreadable)?.ok_or_else(|| damaged("an edit is missing"))?
}

type EditColumns = (String, Option<f64>, u64, u64, [u8; SEAL_BYTES]);

fn edit_columns(row: &Row<'_>, max_bytes: usize) -> Result<EditColumns> {
    let script = required(text(row, "script", MAX_TEXT_BYTES.min(max_bytes))?, "script")?.to_owned();
    let consistency_db: Option<f64> = row.get("consistency_db").map_err(unreadable)?;
    let n_samples = number(row, "n_samples", i64::MAX as u64)?;
    Ok((script, consistency_db, n_samples, number(row, "n_blocks", u64::from(u32::MAX))?, seal_in(row)?))
}
