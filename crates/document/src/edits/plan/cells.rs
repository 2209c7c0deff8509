//! Brushes defined by a kernel on single cells or their neighbourhoods: applied once, or once per dab.

use super::dab_work::{DabWork, DabWorks};
use super::placement::{Dabs, Placement};
use super::planned::{Cuts, EditPiece, PlannedBrush, Scope};
use crate::base::Result;
use crate::document::Signal;
use crate::dsp::{CellRect, Kernel};
use std::borrow::Cow;

/// A kernel applied once.
#[derive(Debug)]
pub struct PlannedKernel(pub Kernel);

impl PlannedBrush for PlannedKernel {
    fn halo(&self) -> [usize; 2] {
        self.0.halo()
    }

    fn scope(&self) -> Scope {
        Scope::Local
    }

    fn reads_cells_only(&self) -> bool {
        true
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        Ok(EditPiece::of_kernel(self.read(place, &rect), place.mask(&rect), Cow::Borrowed(&self.0)))
    }
}

/// A kernel applied once per dab.
#[derive(Debug)]
pub struct PlannedDabs<'a> {
    /// The dabs.
    pub dabs: Dabs<'a>,
    /// The kernel for each dab.
    pub kernel: Kernel,
}

impl PlannedBrush for PlannedDabs<'_> {
    fn halo(&self) -> [usize; 2] {
        self.kernel.halo()
    }

    fn cuts(&self) -> Cuts {
        if self.halo() == [0, 0] { Cuts::Anywhere } else { Cuts::NowhereByDabs }
    }

    fn scope(&self) -> Scope {
        Scope::Dabs
    }

    fn reads_cells_only(&self) -> bool {
        true
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        Ok(EditPiece::of_dabs(self.read(place, &rect), place.mask(&rect), self))
    }

    fn dabs_from<'b>(&'b self, place: &'b Placement<'_>, first: usize, rect: &'b CellRect, _: Signal) -> DabWorks<'b> {
        let masks = self.dabs.iter().skip(first).filter_map(move |dab| place.dab_mask(dab, rect));
        Box::new(masks.map(|mask| Ok(DabWork::new(self.kernel.clone(), mask))))
    }
}
