//! Names of sound devices in lists.

use audio::playback::distinct_names;

#[test]
fn devices_that_share_a_name_are_told_apart() {
    let devices = [("Speakers", "pci.0"), ("USB Audio", "usb.a"), ("USB Audio", "usb.b"), ("HDMI", "pci.3")];
    let devices = devices.map(|(name, id)| (name.to_owned(), id.to_owned()));
    assert_eq!(distinct_names(&devices), ["Speakers", "USB Audio [usb.a]", "USB Audio [usb.b]", "HDMI"]);
}
