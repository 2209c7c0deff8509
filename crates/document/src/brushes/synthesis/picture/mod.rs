//! Picture: uses the pixels of a picture as the levels of the cells under it.

mod level;
mod planned;
mod settings;

pub use settings::{PictureBrush, PictureImage, PictureMode, PicturePhase};

use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{CellBrush, MagnitudeScale, Operation, of_stft_only};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::plan::{BrushPlan, Placement};
use crate::document::noise::learn::EditSound;
use crate::document::scripts::script::samples::{bytes_from_text, text_from_bytes};
use crate::dsp::strokes::picture::{PictureArea, PictureLook, PictureTurn};
use crate::dsp::{Axis, Stroke};
use crate::media::picture::{EmbeddedPicture, PictureTaken};
use planned::PlannedPicture;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Range of target peaks, in dBFS.
const PEAK_DB: [f64; 2] = PictureBrush::PEAK_RANGE_DB;

const MODES: [(&str, PictureMode); 3] =
    [("add", PictureMode::Add), ("replace", PictureMode::Replace), ("filter", PictureMode::Filter)];

const PHASES: [(&str, PicturePhase); 4] = [
    ("random", PicturePhase::Random),
    ("rebuild", PicturePhase::Rebuild),
    ("beneath", PicturePhase::Beneath),
    ("bank", PicturePhase::Bank),
];

const COLOURS: [(&str, bool); 2] = [("none", false), ("stereo", true)];

/// Rotations in degrees, clockwise.
const TURNS: [(u64, PictureTurn); 4] =
    [(0, PictureTurn::None), (90, PictureTurn::Quarter), (180, PictureTurn::Half), (270, PictureTurn::ThreeQuarters)];

impl BrushModule for PictureBrush {
    const KIND: &'static str = "picture";
    const NAME: &'static str = "Picture";

    fn omitted() -> Option<PictureBrush> {
        None
    }

    fn read(fields: &JsonFields) -> Result<PictureBrush> {
        let area = PictureArea {
            secs: fields.required("time")?.extent()?,
            hz: fields.required("frequency")?.extent()?,
            axis: fields.or("axis", Axis::Log, |at| at.choice(&Axis::ALL.map(|axis| (axis.name(), axis))))?,
        };
        let frequency = fields.required("frequency")?;
        if area.hz[0] < 0.0 {
            return frequency.refuse("must not be negative");
        }
        if area.axis == Axis::Log && area.hz[0] <= 0.0 {
            return frequency.refuse("a log axis has no 0 Hz; use a frequency above 0");
        }
        let usual = PictureBrush::new(image(fields)?, area);
        let brush = PictureBrush {
            range_db: fields.or("range_db", usual.range_db, range_db)?,
            peak_db: fields.get("peak_db").map(|at| at.number_in(PEAK_DB[0], PEAK_DB[1])).transpose()?,
            mode: fields.or("mode", usual.mode, |at| at.choice(&MODES))?,
            phase: fields.or("phase", usual.phase, |at| at.choice(&PHASES))?,
            steps: fields.or("steps", usual.steps, steps)?,
            is_stereo: fields.or("colour", usual.is_stereo, |at| at.choice(&COLOURS))?,
            look: PictureLook {
                turn: fields.or("turn", PictureTurn::None, turn)?,
                is_flipped: fields.or("flip", false, JsonAt::flag)?,
                is_inverted: fields.or("invert", false, JsonAt::flag)?,
            },
            seed: fields.or("seed", usual.seed, JsonAt::whole)?,
            ..usual
        };
        if (brush.mode, brush.phase) == (PictureMode::Filter, PicturePhase::Bank) {
            return fields.at.refuse("a filter keeps phases and cannot be a bank; choose another phase or mode");
        }
        Ok(brush)
    }

    fn write(&self, object: &mut Map<String, Value>) {
        match &self.image {
            PictureImage::File(path) => object.insert("file".into(), json!(path.to_string_lossy())),
            PictureImage::Embedded(picture, _) => object.insert("image".into(), json!(text_from_bytes(picture.png()))),
        };
        let turn = TURNS.iter().find(|(_, turn)| *turn == self.look.turn).map_or(0, |(degrees, _)| *degrees);
        let settings = json!({
            "time": self.area.secs, "frequency": self.area.hz, "axis": self.area.axis.name(),
            "range_db": self.range_db, "mode": name_of(&MODES, self.mode), "phase": name_of(&PHASES, self.phase),
            "steps": self.steps, "colour": name_of(&COLOURS, self.is_stereo), "invert": self.look.is_inverted,
            "turn": turn, "flip": self.look.is_flipped, "seed": self.seed,
        });
        if let Value::Object(settings) = settings {
            object.extend(settings);
        }
        if let Some(peak_db) = self.peak_db {
            object.insert("peak_db".into(), json!(peak_db));
        }
    }

    fn table_cell() -> String {
        let ([dark, white], steps) = (PictureBrush::RANGE_DB, PictureBrush::STEPS);
        format!(
            "`image`, a PNG as base64, or `file`, a picture that is read when the edit is applied; `time` and `frequency`, \
             its edges; `axis` log; `range_db` [{dark}, {white}]; `peak_db` none, {} to {}; `mode` add, replace or \
             filter; `phase` random, rebuild, beneath or bank; `steps` {steps}, 0 to {}; `colour` none or stereo; `invert` false; `turn` 0, 90, 180 or \
             270; `flip` false; `seed` 0; see [pictures.md](pictures.md)",
            PEAK_DB[0],
            PEAK_DB[1],
            PictureBrush::MAX_STEPS
        )
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<PictureBrush>> {
        // Everywhere, so that it covers any selection.
        let area = PictureArea { secs: [0.0, 3600.0], hz: [1.0, 1e6], axis: Axis::Log };
        let Ok(picture) = EmbeddedPicture::from_png(TRIAL_PNG.to_vec()) else { return Vec::new() };
        let image = PictureImage::Embedded(Arc::new(picture), Vec::new());
        let brush = PictureBrush { steps: 4, ..PictureBrush::new(image, area) };
        let filter = PictureBrush { mode: PictureMode::Filter, ..brush.clone() };
        vec![BrushTrial::new(PictureBrush::KIND, brush), BrushTrial::new("picture_filter", filter)]
    }

    fn resolved(&self, _: &EditSound<'_>) -> Result<Option<PictureBrush>> {
        let PictureImage::File(path) = &self.image else { return Ok(None) };
        let PictureTaken { picture, notice } = PictureTaken::from_file(path)?;
        let image = PictureImage::Embedded(Arc::new(picture), notice.into_iter().collect());
        Ok(Some(PictureBrush { image, ..self.clone() }))
    }

    fn notices(&self) -> &[String] {
        match &self.image {
            PictureImage::File(_) => &[],
            PictureImage::Embedded(_, notices) => notices,
        }
    }

    fn place(&mut self, placing: &EditPlacing) {
        self.area.secs = self.area.secs.map(|secs| placing.secs(secs));
        self.area.hz = self.area.hz.map(|hz| placing.hz(hz));
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for PictureBrush {
    fn works_on_rows(&self) -> Result<()> {
        Err(of_stft_only(PictureBrush::KIND))
    }

    fn builds_up(&self) -> bool {
        false
    }

    fn makes_sound(&self) -> bool {
        true
    }

    fn is_seen_live(&self) -> bool {
        false
    }

    fn end_secs(&self, _: Option<&Stroke>) -> Option<f64> {
        (self.mode != PictureMode::Filter).then_some(self.area.secs[1])
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let PictureImage::Embedded(picture, _) = &self.image else {
            return Err(Error::new(ErrorKind::Internal, "read the picture before laying it out"));
        };
        let bitmap = picture
            .bitmap()
            .map_err(|error| Error::new(ErrorKind::Script, format!("brush.image: {}", error.message())))?;
        let unit = MagnitudeScale::Transform.magnitude_from_db(&place.grid, 0.0);
        let brush = PlannedPicture::new(self, bitmap, unit);
        let bounds = place.bounds.intersect(&brush.reach(&place.grid));
        brush.check(&place.grid, &bounds)?;
        Ok(Some(BrushPlan::new(brush, bounds)))
    }
}

/// A picture of 2 x 2 grey pixels.
const TRIAL_PNG: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0, 87, 221, 82,
    248, 0, 0, 0, 14, 73, 68, 65, 84, 120, 156, 99, 208, 136, 98, 232, 217, 7, 0, 4, 12, 1, 205, 6, 192, 139, 149, 0,
    0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, named)| *named == value).map_or("", |(name, _)| name)
}

fn image(fields: &JsonFields) -> Result<PictureImage> {
    match (fields.get("image"), fields.get("file")) {
        (Some(_), Some(file)) => file.refuse("give either \"image\" or \"file\", not both"),
        (Some(at), None) => {
            let Some(png) = bytes_from_text(at.text()?) else { return at.refuse("must be a PNG as base64") };
            let picture = EmbeddedPicture::from_png(png).or_else(|error| at.refuse(error.message()))?;
            Ok(PictureImage::Embedded(Arc::new(picture), Vec::new()))
        }
        (None, Some(at)) => Ok(PictureImage::File(PathBuf::from(at.text()?))),
        (None, None) => fields.at.refuse("picture needs an \"image\", a PNG as base64, or a \"file\""),
    }
}

fn range_db(at: &JsonAt) -> Result<[f64; 2]> {
    at.pair(|at| at.number_in(-200.0, 24.0))?;
    at.extent()
}

fn steps(at: &JsonAt) -> Result<u32> {
    match u32::try_from(at.whole()?) {
        Ok(steps @ 0..=PictureBrush::MAX_STEPS) => Ok(steps),
        _ => at.refuse(format!("must be 0 to {}", PictureBrush::MAX_STEPS)),
    }
}

fn turn(at: &JsonAt) -> Result<PictureTurn> {
    let degrees = at.whole()?;
    match TURNS.iter().find(|(turn, _)| *turn == degrees) {
        Some((_, turn)) => Ok(*turn),
        None => at.refuse("must be 0, 90, 180 or 270 degrees"),
    }
}
