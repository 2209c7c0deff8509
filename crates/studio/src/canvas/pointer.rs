//! The pointer as a state machine over the events of a frame: none is lost, however many come at once.
//!
//! Knows places and buttons, and reports what they mean; what a gesture does is decided elsewhere.

use egui::{Event, Modifiers, MouseWheelUnit, PointerButton, Pos2, TouchDeviceId, TouchId, TouchPhase, Vec2};

/// A press that moves less than this is a click.
pub const CLICK_POINTS: f32 = 3.0;
/// Two clicks within this time are one double click.
const DOUBLE_CLICK_SECS: f64 = 0.35;
/// Two clicks this close are one double click.
const DOUBLE_CLICK_POINTS: f32 = 6.0;
/// Points of a touchpad that count as one notch of a wheel.
const POINTS_PER_NOTCH: f32 = 50.0;

/// One thing that the pointer did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// A button went down.
    Press {
        /// Where.
        at: Pos2,
        /// Which.
        button: PointerButton,
        /// With which keys.
        modifiers: Modifiers,
        /// The second of two clicks.
        double: bool,
        /// Pressure of a pen or a finger, 0 to 1; `None` for a mouse and for devices that report none.
        force: Option<f32>,
    },
    /// The pointer moved.
    Move {
        /// To where.
        at: Pos2,
        /// As when it was pressed.
        force: Option<f32>,
    },
    /// A button went up.
    Release {
        /// Where.
        at: Pos2,
        /// Which.
        button: PointerButton,
        /// With which keys.
        modifiers: Modifiers,
    },
    /// The wheel turned, or two fingers moved: notches to the right and upwards.
    Wheel {
        /// Where.
        at: Pos2,
        /// Notches.
        notches: Vec2,
        /// With which keys.
        modifiers: Modifiers,
    },
    /// Two fingers were spread (above 1) or pinched.
    Pinch {
        /// Where.
        at: Pos2,
        /// How much larger things become.
        factor: f32,
    },
}

/// Whether nothing lies over the canvas at a point: no menu, popup or notice.
pub fn is_uncovered(ui: &egui::Ui, at: Pos2) -> bool {
    ui.clip_rect().contains(at) && ui.ctx().layer_id_at(at).is_none_or(|layer| layer == ui.layer_id())
}

/// What is remembered from event to event.
#[derive(Debug, Default)]
pub struct Pointer {
    at: Option<Pos2>,
    last_press: Option<(f64, Pos2)>,
    touch: Option<Touch>,
}

/// The pen or the finger that the pointer follows: the first that touches.
#[derive(Debug)]
struct Touch {
    id: (TouchDeviceId, TouchId),
    force: Option<f32>,
}

impl Pointer {
    /// The last place; none while the pointer is outside the window.
    pub fn at(&self) -> Option<Pos2> {
        self.at
    }

    /// What the events of a frame mean, in their order.
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
            // The pointer's own events follow it.
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
            // A pen that is lifted presses no more; how it was pressed last counts until the pointer is gone.
            _ => {}
        }
    }
}
