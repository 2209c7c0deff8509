//! The pointer as a state machine over the events of a frame; no event is lost, however many arrive.
//!
//! Converts events to presses, moves, releases, wheel turns and pinches; the canvas decides their effect.

use egui::{Event, Modifiers, MouseWheelUnit, PointerButton, Pos2, TouchDeviceId, TouchId, TouchPhase, Vec2};

/// Maximum movement of a click, in points.
pub const CLICK_POINTS: f32 = 3.0;
/// Maximum interval of a double click.
const DOUBLE_CLICK_SECS: f64 = 0.35;
/// Maximum distance between the two presses of a double click, in points.
const DOUBLE_CLICK_POINTS: f32 = 6.0;
/// Points scrolled on a touchpad that count as one notch of a wheel.
const POINTS_PER_NOTCH: f32 = 50.0;

/// An action of the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// A button went down.
    Press {
        /// Position of the press.
        at: Pos2,
        /// The button.
        button: PointerButton,
        /// Modifier keys.
        modifiers: Modifiers,
        /// Whether it is the second of a double click.
        double: bool,
        /// Pressure of a pen or a finger, 0 to 1; `None` for a mouse and for devices that report none.
        force: Option<f32>,
    },
    /// The pointer moved.
    Move {
        /// Its new position.
        at: Pos2,
        /// Pressure, as for a press.
        force: Option<f32>,
    },
    /// A button went up.
    Release {
        /// Position of the release.
        at: Pos2,
        /// The button.
        button: PointerButton,
        /// Modifier keys.
        modifiers: Modifiers,
    },
    /// The wheel turned, or two fingers moved.
    Wheel {
        /// Position of the pointer.
        at: Pos2,
        /// Notches to the right and up.
        notches: Vec2,
        /// Modifier keys.
        modifiers: Modifiers,
    },
    /// Two fingers were spread or pinched.
    Pinch {
        /// Position of the pointer.
        at: Pos2,
        /// Scale factor: above 1 when spread.
        factor: f32,
    },
}

/// Whether the canvas is visible at a point, not covered by a menu, popup or notice.
pub fn is_uncovered(ui: &egui::Ui, at: Pos2) -> bool {
    ui.clip_rect().contains(at) && ui.ctx().layer_id_at(at).is_none_or(|layer| layer == ui.layer_id())
}

/// State of the pointer between events.
#[derive(Debug, Default)]
pub struct Pointer {
    at: Option<Pos2>,
    last_press: Option<(f64, Pos2)>,
    touch: Option<Touch>,
}

/// The pen or finger that the pointer follows: the first one down.
#[derive(Debug)]
struct Touch {
    id: (TouchDeviceId, TouchId),
    force: Option<f32>,
}

impl Pointer {
    /// The last position; `None` while the pointer is outside the window.
    pub fn at(&self) -> Option<Pos2> {
        self.at
    }

    /// The actions of the events in a frame, in order.
    pub fn actions(&mut self, events: &[Event], time_secs: f64) -> Vec<Action> {
        events.iter().filter_map(|event| self.action(event, time_secs)).collect()
    }

    fn action(&mut self, event: &Event, time_secs: f64) -> Option<Action> {
        match *event {
            Event::PointerMoved(at) => {
                self.at = Some(at);
                Some(Action::Move { at, force: self.force() })
            }
            Event::PointerGone => {
                self.at = None;
                self.touch = None;
                None
            }
            // Only the pressure; pointer events for the same touch follow.
            Event::Touch { device_id, id, phase, force, .. } => {
                self.follow_touch((device_id, id), phase, force);
                None
            }
            Event::PointerButton { pos: at, button, pressed: true, modifiers } => {
                self.at = Some(at);
                let double = self.last_press.is_some_and(|(then, there)| {
                    time_secs - then <= DOUBLE_CLICK_SECS && there.distance(at) <= DOUBLE_CLICK_POINTS
                });
                self.last_press = (!double).then_some((time_secs, at));
                Some(Action::Press { at, button, modifiers, double, force: self.force() })
            }
            Event::PointerButton { pos: at, button, pressed: false, modifiers } => {
                self.at = Some(at);
                Some(Action::Release { at, button, modifiers })
            }
            Event::MouseWheel { unit, delta, modifiers, .. } => {
                let notches = match unit {
                    MouseWheelUnit::Point => delta / POINTS_PER_NOTCH,
                    MouseWheelUnit::Line => delta,
                    MouseWheelUnit::Page => delta * 4.0,
                };
                self.at.map(|at| Action::Wheel { at, notches, modifiers })
            }
            Event::Zoom(factor) => self.at.map(|at| Action::Pinch { at, factor }),
            _ => None,
        }
    }

    fn force(&self) -> Option<f32> {
        self.touch.as_ref()?.force.filter(|force| force.is_finite()).map(|force| force.clamp(0.0, 1.0))
    }

    fn follow_touch(&mut self, id: (TouchDeviceId, TouchId), phase: TouchPhase, force: Option<f32>) {
        match (phase, &mut self.touch) {
            (TouchPhase::Start, touch @ None) => *touch = Some(Touch { id, force }),
            (TouchPhase::Start | TouchPhase::Move, Some(touch)) if touch.id == id => touch.force = force,
            // A lifted pen reports no pressure; the last value is kept until the pointer is gone.
            _ => {}
        }
    }
}
