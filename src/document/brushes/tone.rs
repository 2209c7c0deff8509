//! Tone: a tone with harmonics along the stroke, added.

use super::module::{BrushModule, StrokeUse};
use super::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use super::trial::{BrushTrial, TrialShape};
use crate::base::{Error, ErrorKind, Result};
use crate::document::Signal;
use crate::document::plan::{BrushPlan, EditPiece, Placement, PlannedBrush};
use crate::document::stroke::StrokeForm;
use crate::dsp::brush::Tone;
use crate::dsp::tone::ToneLine;
use crate::dsp::{CellRect, GridPlan, Region, RowTone, mask};

impl BrushModule for Tone {
    const KIND: &'static str = "tone";
    const NAME: &'static str = "Tone";
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
    ];
    const BUILDS_UP: bool = false;
    const MAKES_SOUND: bool = true;
    const IS_PITCHED: bool = true;

    fn usual() -> Option<Tone> {
        Some(Tone { level_db: -24.0, harmonics: 1, spacing: 1.0, inharmonicity: 0.0, slope_db: -6.0, pan: 0.0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.level_db),
            ParameterValue::Whole(&mut self.harmonics),
            ParameterValue::Number(&mut self.spacing),
            ParameterValue::Number(&mut self.inharmonicity),
            ParameterValue::Number(&mut self.slope_db),
            ParameterValue::Number(&mut self.pan),
        ]
    }

    fn stroke_use(&self) -> StrokeUse {
        StrokeUse::Required(Tone::KIND)
    }

    fn stroke_form(&self) -> StrokeForm {
        StrokeForm::Track
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Tone>> {
        let tone = Tone { level_db: -20.0, harmonics: 4, spacing: 1.0, inharmonicity: 0.0, slope_db: -6.0, pan: 0.0 };
        vec![BrushTrial::new(Tone::KIND, tone).drawn(TrialShape::Line)]
    }

    fn works_on_rows(&self) -> Result<()> {
        Ok(())
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let Some(stroke) = place.stroke else {
            return Err(Error::new(ErrorKind::Script, "tone needs a stroke"));
        };
        let line = match (&place.plan, place.track()) {
            (GridPlan::Stft(stft), Some(track)) => ToneCells::Line(Box::new(ToneLine::of(track, stft, stroke, *self))),
            (GridPlan::Stft(stft), None) => ToneCells::Line(Box::new(ToneLine::new(&place.grid, stft, stroke, *self))),
            (GridPlan::Rows(rows), _) => ToneCells::Rows(Box::new(RowTone::new(rows, &place.grid, stroke, *self))),
        };
        let bounds = line.rect().intersect(&mask::bounds(&place.grid, None, place.select));
        Ok(Some(BrushPlan::new(PlannedTone { line, gains: self.gains().map(|gain| gain as f32) }, bounds)))
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

/// A tone, added; in stereo with a gain for each side.
#[derive(Debug)]
struct PlannedTone {
    line: ToneCells,
    gains: [f32; 2],
}

impl PlannedBrush for PlannedTone {
    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let (cells, gains) = (self.line.cells(&rect), self.gains);
        Ok(EditPiece::new(self.read(place, &rect), place.selected(&rect), move |pass, piece, before| {
            let gain = match pass.signal {
                Signal::Channel(side @ 0..=1) if pass.snapshot.n_channels() == 2 => gains[side],
                _ => 1.0,
            };
            if gain == 0.0 {
                return pass.engine.crop(before, &piece.rect);
            }
            let mut cells = cells.clone();
            if gain != 1.0 {
                cells.magnitude.iter_mut().for_each(|magnitude| *magnitude *= gain);
            }
            pass.engine.combine(before, &pass.engine.upload(cells)?, &piece.mask, 1.0)
        }))
    }
}
