//! Which display the window opens on, and the scale that it states, before winit reads it.

#![cfg(target_os = "linux")]

use sonobrush::base::DisplayChoice;
use sonobrush::studio::desktop::display::{WindowSystem, dpi_of_settings, scale_to_set, to_try};
use std::ffi::OsString;

/// X settings, as the XSETTINGS specification lays them out: in each setting type, name, serial and value.
fn settings(is_big: bool, dpi: i32) -> Vec<u8> {
    let word = |value: u32| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let half = |value: u16| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let name = |bytes: &mut Vec<u8>, kind: u8, name: &str| {
        bytes.extend([kind, 0]);
        bytes.extend(half(name.len() as u16));
        bytes.extend(name.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(word(7));
    };
    let mut bytes = vec![if is_big { b'B' } else { b'l' }, 0, 0, 0];
    bytes.extend(word(1));
    bytes.extend(word(3));
    name(&mut bytes, 1, "Net/ThemeName");
    bytes.extend(word(7));
    bytes.extend(b"Adwaita\0");
    name(&mut bytes, 2, "Some/Colour");
    bytes.extend([0; 8]);
    name(&mut bytes, 0, "Xft/DPI");
    bytes.extend(word(dpi.cast_unsigned()));
    bytes
}

#[test]
fn wayland_goes_before_x11_unless_one_is_wished() {
    use WindowSystem::{Wayland, X11};
    // A desktop on Wayland names both, the second being Xwayland.
    assert_eq!(to_try(DisplayChoice::Auto, true, true), [Wayland, X11]);
    assert_eq!(to_try(DisplayChoice::Wayland, true, true), [Wayland]);
    assert_eq!(to_try(DisplayChoice::X11, true, true), [X11]);
    assert_eq!(to_try(DisplayChoice::Auto, true, false), [Wayland]);
    assert_eq!(to_try(DisplayChoice::Auto, false, true), [X11]);
    assert_eq!(to_try(DisplayChoice::X11, true, false), []);
    assert_eq!(to_try(DisplayChoice::Wayland, false, true), []);
}

#[test]
fn the_resolution_is_found_among_x_settings() {
    for is_big in [false, true] {
        assert_eq!(dpi_of_settings(&settings(is_big, 120 * 1024)), Some(120.0));
        // As desktops write that they have no wish.
        assert_eq!(dpi_of_settings(&settings(is_big, -1)), Some(-1.0 / 1024.0));
    }
    // Cut anywhere, and with lengths that reach beyond the end.
    let whole = settings(false, 96 * 1024);
    (0..whole.len()).for_each(|length| assert_eq!(dpi_of_settings(&whole[..length]), None, "{length}"));
    for at in 12..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] = 0xff;
        dpi_of_settings(&damaged);
    }
}

#[test]
fn a_scale_is_set_where_that_of_the_display_is_none() {
    let set = |variable: Option<&str>, dpi: Option<f64>| scale_to_set(variable.map(OsString::from).as_ref(), dpi);
    // What users have stays as it is.
    for dpi in [None, Some(48.0), Some(96.0), Some(144.0), Some(768.0)] {
        assert_eq!(set(None, dpi), None, "{dpi:?}");
        assert_eq!(set(Some(""), dpi), None, "{dpi:?}");
    }
    for scale in ["0.5", "1", "1.25", "8", "randr", "RandR"] {
        assert_eq!(set(Some(scale), Some(0.0)), None, "{scale}");
    }
    for (dpi, scale) in [(0.0, "1"), (-96.0, "1"), (f64::NAN, "1"), (1e9, "8"), (f64::INFINITY, "8"), (10.0, "0.5")] {
        assert_eq!(set(None, Some(dpi)).as_deref(), Some(scale), "{dpi}");
    }
    for (variable, scale) in [("0", "1"), ("-2", "1"), ("nan", "1"), ("inf", "8"), ("1e9", "8"), ("0.01", "0.5")] {
        assert_eq!(set(Some(variable), Some(96.0)).as_deref(), Some(scale), "{variable}");
    }
    // Words are no scale: the display's own counts then.
    assert_eq!(set(Some("large"), None).as_deref(), Some("randr"));
    assert_eq!(set(Some("large"), Some(192.0)).as_deref(), Some("2"));
    assert_eq!(set(Some("1,5"), Some(0.0)).as_deref(), Some("1"));
}
