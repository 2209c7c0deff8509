//! The pointer as a state machine over the events of a frame: none is lost, however many come at once.
//!
//! Knows places and buttons, and reports what they mean; what a gesture does is decided elsewhere.

use egui::{Event, Modifiers, MouseWheelUnit, PointerButton, Pos2, Vec2};

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
    },
    /// The pointer moved.
    Move {
        /// To where.
        at: Pos2,
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
                Some(Action::Move { at })
            }
            Event::PointerGone => {
                self.at = None;
                None
            }
            Event::PointerButton { pos: at, button, pressed: true, modifiers } => {
                self.at = Some(at);
                let double = self.last_press.is_some_and(|(then, there)| {
                    time_secs - then <= DOUBLE_CLICK_SECS && there.distance(at) <= DOUBLE_CLICK_POINTS
                });
                self.last_press = (!double).then_some((time_secs, at));
                Some(Action::Press { at, button, modifiers, double })
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn two_quick_clicks_are_one_double_click_and_a_third_is_not() {
        let press = |x| Event::PointerButton {
            pos: pos2(x, 5.0),
            button: PointerButton::Primary,
            pressed: true,
            modifiers: Modifiers::NONE,
        };
        let doubles = |presses: &[(f32, f64)]| -> Vec<bool> {
            let mut pointer = Pointer::default();
            let actions = presses.iter().flat_map(|&(x, secs)| pointer.actions(&[press(x)], secs)).collect::<Vec<_>>();
            actions.into_iter().map(|action| matches!(action, Action::Press { double: true, .. })).collect()
        };
        assert_eq!(doubles(&[(1.0, 0.0), (2.0, 0.2), (2.0, 0.4)]), [false, true, false]);
        assert_eq!(doubles(&[(1.0, 0.0), (2.0, 0.6)]), [false, false]);
        assert_eq!(doubles(&[(1.0, 0.0), (20.0, 0.1)]), [false, false]);
    }

    #[test]
    fn every_event_of_a_frame_is_an_action() {
        let events: Vec<Event> = (0..111).map(|x| Event::PointerMoved(pos2(x as f32, 0.0))).collect();
        assert_eq!(Pointer::default().actions(&events, 0.0).len(), 111);
    }
}
