//! Draws the changed parts of panes. So that a pane is never empty, it has four layers, from top to bottom: the wanted
//! look, the previous look, the pyramid, and a coarse picture of the whole sound.

use super::Scene;
use super::lane::{DrawnPane, DrawnTile, N_LAYERS, PaneKey, TOP_LAYER};
use super::look::{LaneId, SceneLayout};
use crate::gpu::{Pane, TileDraw};
use crate::view::{Plane, TileKey};
use crate::workbench::View;
use std::ops::Range;

impl Scene {
    /// Draws the changed parts of a lane's pane for a plane, and returns the pane for painting it in the window. `None`
    /// if the lane has not been laid out, or the pane could not be created.
    pub fn draw(
        &mut self,
        lane: LaneId,
        view: &View,
        plane: Plane,
        size: [u32; 2],
        silence: [f64; 3],
    ) -> Option<&mut Pane> {
        let index = self.lanes.iter().position(|known| known.id == lane)?;
        let lane = &self.lanes[index];
        let wanted = lane.look.as_ref()?;
        let is_whole = self.is_whole(wanted);
        let no_under = [const { None }; TOP_LAYER];
        let under = if is_whole { &no_under } else { &lane.under };
        let layers: Vec<(usize, &SceneLayout)> = under
            .iter()
            .map(Option::as_ref)
            .chain([Some(wanted)])
            .enumerate()
            .filter_map(|(i, look)| Some((i, look?)))
            .collect();
        let drawn = self.drawn_of(&layers);
        let key = PaneKey::new(view, plane, wanted.cells, layers.iter().map(|(_, look)| look.set.clone()).collect());
        // Removed from the map, so that tiles of `self` can be borrowed meanwhile.
        let known = self.lanes[index].panes.remove(&plane).filter(|drawn| drawn.pane.size() == size);
        let mut entry = match known.map_or_else(|| self.display.pane(size, N_LAYERS).map(DrawnPane::new), Ok) {
            Ok(entry) => entry,
            Err(error) => {
                self.notify(error);
                return None;
            }
        };
        let lane = &self.lanes[index];
        let wanted = lane.look.as_ref()?;
        let is_dirty = |drawn: &DrawnTile| self.changed.iter().any(|(key, _)| *key == drawn.key);
        let whole = entry.key.as_ref() != Some(&key)
            || drawn.iter().any(|new| new.layer != TOP_LAYER && (is_dirty(new) || !entry.drawn.contains(new)));
        if whole {
            entry.pane.set_colours(&key.colours);
            for (layer, look) in
                lane.under.iter().filter(|_| !is_whole).map(Option::as_ref).chain([Some(wanted)]).enumerate()
            {
                let layer = if is_whole { TOP_LAYER } else { layer };
                let Some(look) = look else { continue };
                let rows = look.level.rows(view.hz, view.axis, size[1] as usize, key.cells);
                if key.cells == look.cells {
                    entry.pane.set_tables(layer, &look.columns, &rows);
                } else {
                    let columns = look.level.columns(view.secs, size[0] as usize, key.cells);
                    entry.pane.set_tables(layer, &columns, &rows);
                }
            }
            let draws: Vec<_> = drawn.iter().filter_map(|drawn| self.tile_draw(drawn, drawn.pixels.clone())).collect();
            entry.pane.draw(&draws, Some(silence));
        } else {
            let draws = self.changed_draws(&drawn, &entry.drawn, wanted);
            if !draws.is_empty() {
                entry.pane.draw(&draws, None);
            }
        }
        entry.key = Some(key);
        entry.drawn = drawn;
        let lane = &mut self.lanes[index];
        if is_whole {
            lane.before = lane.look.as_ref().map(|look| look.set.clone());
        }
        Some(&mut lane.panes.entry(plane).insert_entry(entry).into_mut().pane)
    }

    /// The runs of pixel columns that can be drawn from the available tiles of these layers.
    fn drawn_of(&self, layers: &[(usize, &SceneLayout)]) -> Vec<DrawnTile> {
        let mut drawn = Vec::new();
        for &(layer, look) in layers {
            for (key, pixels) in &look.tiles {
                let preview = self.previews.contains_key(key);
                let runs = self.runs(look, key, pixels).into_iter();
                drawn.extend(runs.map(|pixels| DrawnTile { layer, key: key.clone(), preview, pixels }));
            }
        }
        drawn
    }

    fn tile_draw(&self, drawn: &DrawnTile, columns: Range<u32>) -> Option<TileDraw<'_>> {
        let tile = if drawn.preview { self.previews.get(&drawn.key) } else { self.cache.get(&drawn.key) };
        tile.map(|tile| TileDraw { layer: drawn.layer, tile, columns })
    }

    /// Tiles that are new or changed since the pane was drawn, limited to the affected pixel columns.
    fn changed_draws(&self, drawn: &[DrawnTile], before: &[DrawnTile], wanted: &SceneLayout) -> Vec<TileDraw<'_>> {
        let mut draws = Vec::new();
        for new in drawn {
            if !before.contains(new) {
                draws.extend(self.tile_draw(new, new.pixels.clone()));
                continue;
            }
            for (_, entries) in self.changed.iter().filter(|(key, _)| *key == new.key) {
                draws.extend(self.tile_draw(new, wanted.touched(&new.pixels, entries)));
            }
        }
        draws
    }

    fn is_whole(&self, look: &SceneLayout) -> bool {
        look.tiles.iter().all(|(key, pixels)| matches!(self.runs(look, key, pixels).as_slice(), [run] if run == pixels))
    }

    /// The columns of pixels that can be drawn from a tile.
    fn runs(&self, look: &SceneLayout, key: &TileKey, pixels: &Range<u32>) -> Vec<Range<u32>> {
        if self.previews.contains_key(key) {
            return vec![pixels.clone()];
        }
        if self.cache.get(key).is_none() {
            return Vec::new();
        }
        if key.set.level < crate::view::finest(&look.level.grid) {
            return vec![pixels.clone()];
        }
        let mut runs: Vec<Range<u32>> = Vec::new();
        for x in pixels.clone() {
            let column = look.columns[x as usize];
            if self.cache.has_entries(key, column.first as usize..column.end as usize) {
                match runs.last_mut() {
                    Some(run) if run.end == x => run.end = x + 1,
                    _ => runs.push(x..x + 1),
                }
            }
        }
        runs
    }
}
