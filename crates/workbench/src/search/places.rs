//! The places of a search result, which are selected together, and steps through them.

use crate::base::{clock_from_secs, number};
use crate::bench::context::Context;
use crate::documents::{OpenDocument, move_key_cursor, show_secs};
use crate::dsp::{Combine, Selection, Shape, ShapeExtent};

/// The places of a selection made by a search, each with its range of seconds and of hertz, in ascending order. Empty
/// for selections drawn by hand.
pub fn places(selection: &Selection) -> Vec<ShapeExtent> {
    let found: Vec<ShapeExtent> = match selection.shapes.last() {
        // If the search result was subtracted from the selection, none of its places is selected.
        Some((Combine::Subtract, _)) => Vec::new(),
        Some((_, Shape::Moments(moments))) => moments.runs.iter().map(|run| [Some(*run), None]).collect(),
        Some((_, Shape::Group(group))) if is_one_mask(group) => Vec::new(),
        Some((_, Shape::Group(group))) => group.shapes.iter().map(|(_, shape)| shape.extent()).collect(),
        _ => Vec::new(),
    };
    // Keeps places that overlap the range that was searched.
    let all = selection.extent();
    let is_within = |place: &ShapeExtent| {
        let touches = |(own, all): (&Option<[f64; 2]>, &Option<[f64; 2]>)| match (own, all) {
            (Some(own), Some(all)) => own[0] <= all[1] && own[1] >= all[0],
            _ => true,
        };
        place.iter().zip(&all).all(touches)
    };
    let is_something = |place: &ShapeExtent| place[0].is_none_or(|[_, end]| end > 0.0);
    let mut found: Vec<ShapeExtent> = found.into_iter().filter(is_something).filter(is_within).collect();
    found.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    found
}

/// Whether the shapes of a group are bands of one mask, all over the same time, rather than separate places.
fn is_one_mask(group: &Selection) -> bool {
    let secs =
        group.shapes.iter().map(|(_, shape)| if let Shape::Cells(cells) = shape { Some(cells.secs) } else { None });
    let secs: Option<Vec<[f64; 2]>> = secs.collect();
    secs.is_some_and(|secs| secs.len() > 1 && secs.windows(2).all(|pair| pair[0] == pair[1]))
}

/// Noun for results of the search for similar sounds, which include the selected example.
pub const SIMILAR: &str = "similar sound";

/// Text for a number of places: `15 clicks`; for 16 similar places `15 similar sounds and yours`.
pub fn places_found(n: usize, pattern: &str) -> String {
    let (n, more) = if pattern == SIMILAR { (n.saturating_sub(1), " and yours") } else { (n, "") };
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {pattern}{plural}{more}", number(n as f64, 0))
}

/// The places of a search result that are selected in a document.
pub fn found_places(document: &OpenDocument) -> Vec<ShapeExtent> {
    document.selection().map(places).unwrap_or_default()
}

/// Position of a place: its start in seconds, or the middle of its band in hertz if it is not limited in time.
fn middle(place: &ShapeExtent) -> f64 {
    match place {
        [Some([start, _]), _] => start.max(0.0),
        [None, Some([low, high])] => (low + high) / 2.0,
        [None, None] => 0.0,
    }
}

/// Moves the cursor to the next or previous place, and scrolls there; wraps around.
pub fn step_to_place(is_forward: bool, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let places = document.selection().map(places).unwrap_or_default();
    if places.is_empty() {
        return;
    }
    let is_in_time = places.iter().all(|place| place[0].is_some());
    let from = if is_in_time { document.cursor_secs() } else { document.cursor_hz() };
    let min = 1e-9 * from.abs().max(1.0);
    let next = match is_forward {
        true => places.iter().position(|place| middle(place) > from + min).unwrap_or(0),
        false => places.iter().rposition(|place| middle(place) < from - min).unwrap_or(places.len() - 1),
    };
    step_to(next, &places, context);
}

/// Moves the cursor to the place with this index, from 0, and scrolls there; does nothing if there is no such place.
pub fn step_to_places(next: usize, context: &mut Context) {
    let places = context.documents.active().map(found_places).unwrap_or_default();
    step_to(next, &places, context);
}

/// Moves the cursor to a place by index, scrolls there and shows its number.
fn step_to(next: usize, places: &[ShapeExtent], context: &mut Context) {
    let (Some(document), Some(place)) = (context.documents.active_mut(), places.get(next)) else { return };
    let to = middle(place);
    let at = if places.iter().all(|place| place[0].is_some()) {
        document.set_cursor(to);
        show_secs(document, Some([to; 2]));
        clock_from_secs(to)
    } else {
        let cursor_secs = document.cursor_secs();
        move_key_cursor([cursor_secs, to], document);
        format!("{} Hz", number(to, 1))
    };
    let what = format!("Place {} of {} at {at}.", next + 1, places.len());
    context.notices.replace_notice(context.now_secs(), what);
}
