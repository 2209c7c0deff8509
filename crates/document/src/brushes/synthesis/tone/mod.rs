//! Tone: adds a tone with harmonics along the stroke.

mod sound;

use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{AddedBrush, CellBrush, Operation, StrokeUse};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::{BrushTrial, TrialShape};
use crate::document::Signal;
use crate::document::edits::plan::{BrushPlan, EditPiece, Placement, PlannedBrush};
use crate::document::sound::added::AddedSound;
use crate::document::stroke::StrokeForm;
use crate::dsp::selections::mask;
use crate::dsp::strokes::brush::Tone;
use crate::dsp::strokes::tone::ToneLine;
use crate::dsp::strokes::tone_sound::ToneSound;
use crate::dsp::{CellRect, GridPlan, Region, RowTone, Stroke};
use sound::{AddedTone, PASS, PlannedTone, TONE_WHY};
use std::cell::OnceCell;
use std::sync::Arc;

impl BrushModule for Tone {
    const KIND: &'static str = "tone";
    const NAME: &'static str = "Tone";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Tone::KIND,
        id: "tool_tone",
        name: "Tone brush",
        what: "Draws a tone along the stroke, with optional harmonics.",
        keys: &[ToolKey::shift('T')],
        // Lucide's pencil.
        icon: '\u{e1f9}',
        group: BrushGroup::Draw,
    });
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("level_db", ParameterLimits::Within(-200.0, 24.0)).controls(&[OptionControl::number(
            "Level",
            "Level of the first partial; 0 dB is a full-scale sine.",
            "dB",
        )
        .brief()]),
        Parameter::optional("harmonics", ParameterLimits::Within(1.0, 128.0)).controls(&[OptionControl::number(
            "Partials",
            "How many, fundamental included.",
            "",
        )
        .steps(0, 0.1)
        .wide(44.0)
        .brief()]),
        Parameter::optional("spacing", ParameterLimits::Within(0.0, 16.0)).controls(&[OptionControl::number(
            "Spacing",
            "Distance between partials: 1 gives all harmonics, 2 odd ones.",
            "",
        )
        .steps(2, 0.01)
        .wide(52.0)
        .brief()]),
        Parameter::optional("inharmonicity", ParameterLimits::Within(0.0, 1.0)).controls(&[OptionControl::number(
            "Stretch",
            "Inharmonicity, as of a stiff string; 0 is harmonic.",
            "",
        )
        .steps(4, 0.0002)
        .wide(60.0)
        .brief()]),
        Parameter::optional("slope_db", ParameterLimits::Within(-96.0, 24.0)).note("per octave").controls(&[
            OptionControl::number("Slope", "Level slope of the partials above the first.", "dB/oct")
                .steps(1, 0.1)
                .wide(84.0)
                .brief(),
        ]),
        Parameter::optional("pan", ParameterLimits::Within(-1.0, 1.0))
            .note("from left to right in a stereo file")
            .controls(&[OptionControl::number("Pan", "In a stereo file: \u{2212}1 is left, 1 is right.", "")
                .steps(2, 0.005)
                .wide(52.0)
                .brief()]),
        Parameter::optional("fade", ParameterLimits::Within(0.0, Tone::MAX_FADE_SECS)).sparse().note(
            "seconds; above 0 the tone sounds from the first time of the stroke to its last, with fades of this length \
             inside, and the radius is not read",
        ),
    ];

    fn omitted() -> Option<Tone> {
        Some(Tone {
            level_db: -24.0,
            harmonics: 1,
            spacing: 1.0,
            inharmonicity: 0.0,
            slope_db: -6.0,
            pan: 0.0,
            fade_secs: 0.0,
        })
    }

    fn first() -> Option<Tone> {
        Tone::omitted().map(|tone| Tone { fade_secs: Tone::usual_fade_secs(), ..tone })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.level_db),
            ParameterValue::Whole(&mut self.harmonics),
            ParameterValue::Number(&mut self.spacing),
            ParameterValue::Number(&mut self.inharmonicity),
            ParameterValue::Number(&mut self.slope_db),
            ParameterValue::Number(&mut self.pan),
            ParameterValue::Number(&mut self.fade_secs),
        ]
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Tone>> {
        let usual = Tone::omitted().map(|tone| Tone { level_db: -20.0, harmonics: 4, ..tone });
        usual.map(|tone| BrushTrial::new(Tone::KIND, tone).drawn(TrialShape::Line)).into_iter().collect()
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Added(self)
    }
}

impl CellBrush for Tone {
    fn builds_up(&self) -> bool {
        false
    }

    fn makes_sound(&self) -> bool {
        true
    }

    fn is_pitched(&self) -> bool {
        true
    }

    /// Whether radius and hardness have an effect: a tone with its own fades uses only the points of its stroke.
    fn is_shaped(&self) -> bool {
        self.fade_secs == 0.0
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Required(Tone::KIND)
    }

    fn stroke_form(&self) -> StrokeForm {
        if self.fade_secs > 0.0 { StrokeForm::Sound } else { StrokeForm::Track }
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        if let Some(tone) = sound_of(self, place.stroke, place.grid.sample_rate_hz)? {
            let planned = PlannedTone::new(tone);
            let reach = planned.reach(place);
            return Ok(Some(BrushPlan::new(planned, reach)));
        }
        let Some(stroke) = place.stroke else {
            return Err(Error::new(ErrorKind::Script, "tone needs a stroke"));
        };
        let line = match (&place.plan, place.track()) {
            (GridPlan::Stft(stft), Some(track)) => ToneCells::Line(Box::new(ToneLine::of(track, stft, stroke, *self))),
            (GridPlan::Stft(stft), None) => ToneCells::Line(Box::new(ToneLine::new(&place.grid, stft, stroke, *self))),
            (GridPlan::Rows(rows), _) => ToneCells::Rows(Box::new(RowTone::new(rows, &place.grid, stroke, *self))),
        };
        let bounds = line.rect().intersect(&mask::bounds(&place.grid, None, place.select));
        Ok(Some(BrushPlan::new(PlannedLine { line, gains: self.gains().map(|gain| gain as f32) }, bounds)))
    }
}

impl AddedBrush for Tone {
    fn added(&self, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<Box<dyn AddedSound>>> {
        Ok(sound_of(self, stroke, rate_hz)?.map(|tone| Box::new(tone) as Box<dyn AddedSound>))
    }
}

/// The sound of a tone with its own fades; `None` for a tone without them, and for a stroke without points.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a stroke that builds up or is too long.
fn sound_of(tone: &Tone, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<AddedTone>> {
    let Some(stroke) = stroke.filter(|stroke| tone.fade_secs > 0.0 && !stroke.points.is_empty()) else {
        return Ok(None);
    };
    let refuse = |what: &str| Err(Error::new(ErrorKind::Script, what));
    if stroke.build_up {
        return refuse("tone does not build up");
    }
    match ToneSound::of(stroke, tone, rate_hz) {
        Some(sound) => Ok(Some(AddedTone { sound: Arc::new(sound), gains: tone.gains().map(|gain| gain as f32) })),
        None => refuse("a tone of this length is too long; draw several strokes"),
    }
}

/// The cells of a tone.
#[derive(Debug)]
enum ToneCells {
    Line(Box<ToneLine>),
    Rows(Box<RowTone>),
}

impl ToneCells {
    fn rect(&self) -> CellRect {
        match self {
            ToneCells::Line(line) => line.rect(),
            ToneCells::Rows(tone) => tone.rect(),
        }
    }

    fn cells(&self, rect: &CellRect) -> Region {
        match self {
            ToneCells::Line(line) => line.cells(rect),
            ToneCells::Rows(tone) => tone.cells(rect),
        }
    }
}

/// An added tone, in stereo with gains for left and right.
#[derive(Debug)]
struct PlannedLine {
    line: ToneCells,
    gains: [f32; 2],
}

impl PlannedBrush for PlannedLine {
    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        // Computed once, for all signals.
        let (cells, gains) = (OnceCell::new(), self.gains);
        Ok(EditPiece::new(self.read(place, &rect), place.selected(&rect), move |pass, piece, before| {
            let gain = match pass.signal {
                Signal::Channel(side @ 0..=1) if pass.snapshot.n_channels() == 2 => gains[side],
                _ => 1.0,
            };
            if gain == 0.0 {
                return pass.engine.crop(before, &piece.rect);
            }
            let make = || pass.engine.here(PASS, TONE_WHY, || self.line.cells(&piece.rect));
            let mut cells: Region = cells.get_or_init(make).clone();
            if gain != 1.0 {
                cells.magnitude.iter_mut().for_each(|magnitude| *magnitude *= gain);
            }
            pass.engine.combine(before, &pass.engine.upload(cells)?, &piece.mask, 1.0)
        }))
    }
}
