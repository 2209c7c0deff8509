//! Offers a transform for bass, once per document, if the STFT does not resolve semitones in view.

use crate::dsp::Transform;
use crate::dsp::transforms::rows::RowsParams;
use crate::workbench::OpenDocument;

/// Upper frequency limit of bass.
const BASS_HZ: f64 = 400.0;
/// Width of a semitone as a fraction of its frequency.
const SEMITONE: f64 = 0.06;

/// State of the offer.
#[derive(Debug, Default)]
pub(crate) struct BassOffer {
    /// Id of the document of the current offer.
    offered: Option<u64>,
    /// Ids of the documents of earlier offers.
    past: Vec<u64>,
}

impl BassOffer {
    /// Call once a frame; returns whether to show the offer. It ends, and is not repeated for the document, once a
    /// change of the view, the selection or the transform makes it unnecessary.
    pub(crate) fn follow(&mut self, document: Option<&OpenDocument>) -> bool {
        let Some(document) = document else { return false };
        let (id, is_coarse) = (document.id(), has_coarse_bass(document));
        if self.offered == Some(id) && !is_coarse {
            self.offered = None;
            self.past.push(id);
        }
        let offers = is_coarse && !self.past.contains(&id);
        if offers {
            self.offered = Some(id);
        }
        offers
    }
}

/// Whether the visible or selected range is bass, and bins do not resolve semitones there.
fn has_coarse_bass(document: &OpenDocument) -> bool {
    let transform = &document.view().transform;
    if !matches!(transform, Transform::Stft(_)) {
        return false;
    }
    let rate_hz = document.history().original().sample_rate_hz();
    let selected_hz = document.selected_hz().map_or(f64::INFINITY, |[_, high]| high);
    let highest_hz = document.view().hz[1].min(selected_hz);
    // The resolution of a window is the reciprocal of its length.
    let coarse_below_hz = 1.0 / (SEMITONE * transform.window_secs(rate_hz));
    highest_hz < BASS_HZ.min(coarse_below_hz) && Transform::from(RowsParams::bass()).validated_at(rate_hz).is_ok()
}
