//! Commands that need the canvas: its pointer and drawings.

use super::Code::{Enter, F};
use super::Menu;
use super::Need::{Brush, Document, Polygon};
use super::table::icons;
use super::table::key::{key, plain, shift};
use super::table::row::rows;

/// A command that the canvas performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum CanvasCommand {
    ClosePolygon,
    FitRange,
    Loupe,
    LockRadius,
    Menu,
    Brushes,
}

rows! { CanvasCommand:
    POLYGON in (Menu::Select) {
        ClosePolygon => row("close_polygon", "Close polygon",
            "Selects the area inside the corners clicked with the lasso.", &[Document, Polygon])
            .keys(&[plain(Enter)]).while_drawing_polygon(),
    }
    FIT_RANGE in (Menu::View, "Colours") {
        FitRange => row("range_fit", "Fit range",
            "Fits the colour range to the visible levels once.", &[Document])
            .keys(&[shift('F')]).icon(icons::MOVE_VERTICAL),
    }
    LOUPE in (Menu::View, "Display") {
        Loupe => row("loupe", "Loupe",
            "Hold the key to see the area around the pointer at another FFT size, chosen with the wheel. Tap to keep \
             it.",
            &[Document]).keys(&[key('/')]).icon(icons::SEARCH),
    }
    AT_POINTER in (Menu::View, "At the pointer") {
        Menu => row("canvas_menu", "Canvas menu",
            "Opens at the pointer, or the canvas cursor, what can be done there; a right-click does the same.", &[Document])
            .keys(&[plain(F(10)).with_shift()]),
        Brushes => row("brush_palette", "Brushes and colours",
            "Opens all brushes and colour maps at the pointer or the canvas cursor; Shift+right-click does the same.",
            &[Document]).keys(&[plain(F(10)).with_ctrl()]).icon(icons::PAINT_BUCKET),
    }
    LOCK_RADIUS in (Menu::Edit, "Brush settings") {
        LockRadius => row("lock_radius", "Lock radius",
            "Keeps the radius in milliseconds and octaves at any zoom instead of in screen points.", &[Brush])
            .keys(&[shift('K')]).icon(icons::LOCK_OPEN),
    }
}
