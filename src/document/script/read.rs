//! From JSON to edits, with the place of whatever is wrong.

mod clips;
mod denoise;
mod heal;
mod shapes;

use super::{Script, VERSION};
use crate::base::{Error, ErrorKind, Result};
use crate::document::{Channels, Edit};
use crate::dsp::brush::{Along, Butterworth, HarmonicPercussive, Pass, Tone, WarpMode};
use crate::dsp::{Axis, Brush, Point, StftParams, Stroke, Transform, Window, phase};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A name of a megabyte in a hostile script must not become an error of a megabyte.
const MAX_REASON_BYTES: usize = 200;

/// A value and where it stands.
#[derive(Clone)]
struct At<'a> {
    value: &'a Value,
    place: String,
}

/// An object whose fields are taken one by one; those that nobody took are unknown.
struct Fields<'a> {
    at: At<'a>,
    taken: RefCell<BTreeSet<&'static str>>,
}

impl<'a> At<'a> {
    fn refuse<T>(&self, why: impl std::fmt::Display) -> Result<T> {
        let place = if self.place.is_empty() { "script" } else { &self.place };
        let why: String = why.to_string();
        let why = if why.len() > MAX_REASON_BYTES {
            format!("{}…", why.chars().take(MAX_REASON_BYTES).collect::<String>())
        } else {
            why
        };
        Err(Error::new(ErrorKind::Script, format!("{place}: {why}")))
    }

    fn fields(&self) -> Result<Fields<'a>> {
        match self.value {
            Value::Object(_) => Ok(Fields { at: self.clone(), taken: RefCell::default() }),
            _ => self.refuse("must be an object"),
        }
    }

    fn items(&self) -> Result<Vec<At<'a>>> {
        match self.value {
            Value::Array(items) => {
                let item = |(i, value)| At { value, place: format!("{}[{i}]", self.place) };
                Ok(items.iter().enumerate().map(item).collect())
            }
            _ => self.refuse("must be a list"),
        }
    }

    fn number(&self) -> Result<f64> {
        match self.value.as_f64() {
            Some(number) if number.is_finite() => Ok(number),
            _ => self.refuse("must be a number"),
        }
    }

    fn number_in(&self, low: f64, high: f64) -> Result<f64> {
        let number = self.number()?;
        if (low..=high).contains(&number) {
            Ok(number)
        } else {
            self.refuse(format!("{number} is outside {low} to {high}"))
        }
    }

    fn positive(&self) -> Result<f64> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { self.refuse("must be above 0") }
    }

    fn not_negative(&self) -> Result<f64> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { self.refuse("must not be negative") }
    }

    fn whole(&self) -> Result<usize> {
        match self.value.as_u64().and_then(|number| usize::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => self.refuse("must be a whole number, 0 or more"),
        }
    }

    fn flag(&self) -> Result<bool> {
        self.value.as_bool().map_or_else(|| self.refuse("must be true or false"), Ok)
    }

    fn text(&self) -> Result<&'a str> {
        self.value.as_str().map_or_else(|| self.refuse("must be a string"), Ok)
    }

    /// One of the named choices.
    fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text()?;
        match choices.iter().find(|(name, _)| *name == text) {
            Some((_, choice)) => Ok(*choice),
            None => {
                let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                self.refuse(format!("{text:?} is unknown; use {}", names.join(", ")))
            }
        }
    }

    fn pair(&self, read: impl Fn(&At<'a>) -> Result<f64>) -> Result<[f64; 2]> {
        match self.items()?.as_slice() {
            [first, second] => Ok([read(first)?, read(second)?]),
            _ => self.refuse("must be a list of two numbers"),
        }
    }
}

impl<'a> Fields<'a> {
    fn get(&self, name: &'static str) -> Option<At<'a>> {
        self.taken.borrow_mut().insert(name);
        let value = self.at.value.get(name)?;
        let place = if self.at.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at.place) };
        Some(At { value, place })
    }

    fn required(&self, name: &'static str) -> Result<At<'a>> {
        self.get(name).map_or_else(|| self.at.refuse(format!("{name} is missing")), Ok)
    }

    fn or<T>(&self, name: &'static str, default: T, read: impl FnOnce(&At<'a>) -> Result<T>) -> Result<T> {
        self.get(name).map_or(Ok(default), |at| read(&at))
    }

    fn optional<T>(&self, name: &'static str, read: impl FnOnce(&At<'a>) -> Result<T>) -> Result<Option<T>> {
        self.get(name).map(|at| read(&at)).transpose()
    }

    /// Refuses fields that were never asked for.
    fn done(self) -> Result<()> {
        let taken = self.taken.into_inner();
        let unknown =
            self.at.value.as_object().and_then(|object| object.keys().find(|key| !taken.contains(key.as_str())));
        unknown.map_or(Ok(()), |key| self.at.refuse(format!("the field {key:?} is unknown")))
    }
}

pub(super) fn script(value: &Value) -> Result<Script> {
    let fields = At { value, place: String::new() }.fields()?;
    let version = fields.required("version")?;
    match version.whole()? as u64 {
        VERSION => {}
        newer if newer > VERSION => {
            return version
                .refuse(format!("{newer} is newer than this program supports ({VERSION}); update Sonobrush"));
        }
        other => return version.refuse(format!("{other} is not a version")),
    }
    let transform = fields.or("transform", Transform::default(), transform)?;
    let edits = fields.required("edits")?.items()?.iter().map(|at| edit(at, &transform)).collect::<Result<_>>()?;
    fields.done()?;
    Ok(Script { edits })
}

/// A selection by itself.
pub(super) fn selection(value: &Value) -> Result<crate::dsp::Selection> {
    shapes::selection(&At { value, place: String::new() })
}

/// A transform by itself.
pub(super) fn transform_alone(value: &Value) -> Result<Transform> {
    transform(&At { value, place: String::new() })
}

fn transform(at: &At) -> Result<Transform> {
    let fields = at.fields()?;
    fields.or("kind", (), |at| at.choice(&[("stft", ())]))?;
    let stft = transform_fields(&fields)?;
    fields.done()?;
    Ok(stft.into())
}

/// Size, hop and window.
fn transform_fields(fields: &Fields) -> Result<StftParams> {
    let default = StftParams::default();
    let n_fft = fields.or("n_fft", default.n_fft, At::whole)?;
    let hop = fields.or("hop", n_fft / 4, At::whole)?;
    let window =
        fields.or("window", default.window, |at| at.choice(&Window::ALL.map(|window| (window.name(), window))))?;
    StftParams { n_fft, hop, window }.validated().or_else(|error| fields.at.refuse(error.message()))
}

fn edit(at: &At, script_transform: &Transform) -> Result<Edit> {
    let fields = at.fields()?;
    let stroke_at = fields.get("stroke");
    let edit = Edit {
        brush: brush(&fields.required("brush")?)?,
        stroke: stroke_at.as_ref().map(stroke).transpose()?,
        select: fields.optional("select", shapes::selection)?,
        channels: fields.or("channels", Channels::All, channels)?,
        transform: fields.or("transform", script_transform.clone(), transform)?,
        strength: fields.or("strength", 1.0, |at| at.number_in(0.0, 1.0))?,
        consistency_steps: fields.optional("consistency_steps", consistency_steps)?,
    };
    if let (Some(strength), true) = (fields.get("strength"), edit.stroke.is_some()) {
        return strength.refuse("an edit with a stroke takes its strength from the stroke");
    }
    match (&edit.brush, &edit.stroke) {
        (Brush::Warp { mode: WarpMode::Push, .. }, None) => return at.refuse("warp with mode push needs a stroke"),
        (brush, Some(_)) if brush.is_without_stroke() => {
            return at.refuse(format!("{} takes no stroke", brush.kind()));
        }
        (Brush::Tone(_) | Brush::Smudge, None) => {
            return at.refuse(format!("{} needs a stroke", edit.brush.kind()));
        }
        (brush, Some(stroke)) if stroke.build_up && !brush.builds_up() => {
            return at.refuse(format!("{} does not build up; leave build_up out", brush.kind()));
        }
        _ => {}
    }
    fields.done()?;
    Ok(edit)
}

fn consistency_steps(at: &At) -> Result<u32> {
    match u32::try_from(at.whole()?) {
        Ok(steps @ 0..=Edit::MOST_STEPS) => Ok(steps),
        _ => at.refuse(format!("must be 0 to {}", Edit::MOST_STEPS)),
    }
}

fn brush(at: &At) -> Result<Brush> {
    let fields = at.fields()?;
    let kind = fields.required("kind")?;
    let brush = match kind.text()? {
        "gain" => Brush::Gain { gain_db: fields.required("gain_db")?.number_in(-120.0, 24.0)? },
        "erase" => Brush::Erase,
        "blur" => Brush::Blur {
            sigma: fields.required("sigma")?.pair(At::not_negative)?,
            rebuild_phase: fields.or("rebuild_phase", false, At::flag)?,
        },
        "band_filter" => {
            let pass = pass(&fields)?;
            let order = order(&fields)?;
            Brush::BandFilter(filter(pass, order, &fields.required("cutoff")?)?)
        }
        "modulation_filter" => {
            let pass = pass(&fields)?;
            let order = order(&fields)?;
            let along = fields.required("along")?;
            let along =
                along.choice(&[("time", Along::Time), ("frequency", Along::Frequency), ("both", Along::Both)])?;
            let cutoff = fields.required("cutoff")?;
            let filters = match along {
                Along::Time | Along::Frequency => vec![filter(pass, order, &cutoff)?],
                Along::Both => match cutoff.items()?.as_slice() {
                    [time, frequency] => vec![filter(pass, order, time)?, filter(pass, order, frequency)?],
                    _ => {
                        return cutoff
                            .refuse("along both axes it must be a list of two lists: time cutoffs, frequency cutoffs");
                    }
                },
            };
            let rebuild_phase = fields.or("rebuild_phase", false, At::flag)?;
            Brush::ModulationFilter { along, filters, rebuild_phase }
        }
        "warp" => {
            let is_push = fields.or("mode", false, |at| at.choice(&[("grab", false), ("push", true)]))?;
            let shift = fields.get("shift");
            let mode = match (is_push, shift) {
                (false, Some(shift)) => WarpMode::Grab { shift: shift.pair(At::number)? },
                (false, None) => return at.refuse("shift is missing"),
                (true, None) => WarpMode::Push,
                (true, Some(shift)) => return shift.refuse("a push follows its stroke and takes no shift"),
            };
            Brush::Warp { mode, peak_locking: fields.or("peak_locking", true, At::flag)? }
        }
        "sharpen" => Brush::Sharpen {
            sigma: fields.required("sigma")?.pair(At::not_negative)?,
            amount: fields.or("amount", 1.0, |at| at.number_in(0.0, 16.0))?,
        },
        "noise" => Brush::Noise {
            level_db: fields.required("level_db")?.number_in(-200.0, 24.0)?,
            seed: fields.or("seed", 0, |at| at.whole().map(|seed| seed as u64))?,
        },
        "clone" => Brush::Clone { offset: fields.required("offset")?.pair(At::number)? },
        "tone" => Brush::Tone(tone(&fields)?),
        "smudge" => Brush::Smudge,
        "paste" => Brush::Paste(clips::paste(&fields)?),
        "lengthen" => Brush::Lengthen { secs: fields.required("secs")?.positive()? },
        "heal" => Brush::Heal(heal::heal(&fields)?),
        "denoise" => Brush::Denoise(denoise::denoise(&fields)?),
        "harmonic_percussive" => Brush::HarmonicPercussive(HarmonicPercussive {
            harmonic_db: fields.or("harmonic_db", 0.0, |at| at.number_in(-120.0, 24.0))?,
            percussive_db: fields.or("percussive_db", 0.0, |at| at.number_in(-120.0, 24.0))?,
            reach: fields.or("reach", HarmonicPercussive::REACH, |at| at.pair(At::positive))?,
        }),
        "rebuild_phase" => Brush::RebuildPhase {
            steps: fields.or("steps", phase::DEFAULT_STEPS, |at| match u32::try_from(at.whole()?) {
                Ok(steps @ 0..=phase::MOST_STEPS) => Ok(steps),
                _ => at.refuse(format!("must be 0 to {}", phase::MOST_STEPS)),
            })?,
        },
        other => {
            return kind.refuse(format!(
                "{other:?} is unknown; use gain, erase, blur, sharpen, band_filter, modulation_filter, warp, smudge, \
                 clone, noise, tone, heal, denoise, harmonic_percussive, rebuild_phase, paste, lengthen"
            ));
        }
    };
    fields.done()?;
    Ok(brush)
}

fn tone(fields: &Fields) -> Result<Tone> {
    let harmonics = fields.or("harmonics", 1, |at| match at.whole()? {
        harmonics @ 1..=128 => Ok(harmonics as u32),
        harmonics => at.refuse(format!("{harmonics} is outside 1 to 128")),
    })?;
    Ok(Tone {
        level_db: fields.required("level_db")?.number_in(-200.0, 24.0)?,
        harmonics,
        spacing: fields.or("spacing", 1.0, |at| at.number_in(0.0, 16.0))?,
        inharmonicity: fields.or("inharmonicity", 0.0, |at| at.number_in(0.0, 1.0))?,
        slope_db: fields.or("slope_db", -6.0, |at| at.number_in(-96.0, 24.0))?,
        pan: fields.or("pan", 0.0, |at| at.number_in(-1.0, 1.0))?,
    })
}

fn pass(fields: &Fields) -> Result<Pass> {
    let passes = [("low", Pass::Low), ("high", Pass::High), ("band", Pass::Band), ("notch", Pass::Notch)];
    fields.required("pass")?.choice(&passes)
}

fn order(fields: &Fields) -> Result<u32> {
    fields.or("order", 4, |at| match at.whole()? {
        order @ 1..=8 => Ok(order as u32),
        order => at.refuse(format!("{order} is outside 1 to 8")),
    })
}

fn filter(pass: Pass, order: u32, at: &At) -> Result<Butterworth> {
    let items = at.items()?;
    let n_wanted = if matches!(pass, Pass::Low | Pass::High) { 1 } else { 2 };
    if items.len() != n_wanted {
        let wanted = if n_wanted == 1 { "one number for low and high" } else { "two numbers for band and notch" };
        return at.refuse(format!("must be a list of {wanted}"));
    }
    let cutoff = items.iter().map(At::positive).collect::<Result<Vec<f64>>>()?;
    if cutoff.windows(2).any(|pair| pair[0] >= pair[1]) {
        return at.refuse("the cutoffs must be in ascending order");
    }
    Ok(Butterworth { pass, cutoff, order })
}

fn channels(at: &At) -> Result<Channels> {
    if at.value.is_string() {
        let named = [("all", 0), ("mid", 1), ("side", 2)];
        return Ok([Channels::All, Channels::Mid, Channels::Side][at.choice(&named)?].clone());
    }
    let items = at.items()?;
    let list = items.iter().map(At::whole).collect::<Result<Vec<usize>>>()?;
    if list.is_empty() {
        return at.refuse("must name at least one channel");
    }
    match (1..list.len()).find(|&i| list[..i].contains(&list[i])) {
        Some(i) => items[i].refuse(format!("channel {} is listed twice", list[i])),
        None => Ok(Channels::List(list)),
    }
}

fn axis(fields: &Fields) -> Result<Axis> {
    fields.or("axis", Axis::Linear, |at| at.choice(&Axis::ALL.map(|axis| (axis.name(), axis))))
}

fn stroke(at: &At) -> Result<Stroke> {
    let fields = at.fields()?;
    let stroke = stroke_of(&fields)?;
    fields.done()?;
    Ok(stroke)
}

/// The fields of a stroke, of an edit or as a shape.
fn stroke_of(fields: &Fields) -> Result<Stroke> {
    let axis = axis(fields)?;
    let points_at = fields.required("points")?;
    let points = points_at.items()?.iter().map(|at| point(at, axis)).collect::<Result<Vec<_>>>()?;
    if points.is_empty() {
        return points_at.refuse("a stroke needs at least one point");
    }
    let unit = |at: &At| at.number_in(0.0, 1.0);
    let stroke = Stroke {
        points,
        axis,
        radius: fields.required("radius")?.pair(At::positive)?,
        hardness: fields.or("hardness", 0.5, unit)?,
        strength: fields.or("strength", 1.0, unit)?,
        build_up: fields.or("build_up", false, At::flag)?,
    };
    Ok(stroke)
}

fn point(at: &At, axis: Axis) -> Result<Point> {
    match at.items()?.as_slice() {
        [secs, hz, pressure] => {
            let point = Point { secs: secs.number()?, hz: hz.number()?, pressure: pressure.number_in(0.0, 1.0)? };
            if axis == Axis::Log && point.hz <= 0.0 {
                hz.refuse("a log axis has no 0 Hz or below; use a frequency above 0")
            } else {
                Ok(point)
            }
        }
        _ => at.refuse("a point must be a list of seconds, hertz and pressure"),
    }
}
