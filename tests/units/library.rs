//! The library: paths as JSON holds them.

use sonobrush::base::{path_bytes, path_from_bytes};
use sonobrush::library::features::StoredPath;

#[test]
fn paths_survive_json() {
    for bytes in [&b"a/b.wav"[..], "\u{f6}\n.wav".as_bytes(), b"\xff\x00.wav", b""] {
        let path = StoredPath(path_from_bytes(bytes));
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<StoredPath>(&text).unwrap(), path, "{text}");
        assert_eq!(text.starts_with('"'), std::str::from_utf8(&path_bytes(&path.0)).is_ok());
    }
    for text in ["{\"bytes\": \"6\"}", "{\"bytes\": \"zz\"}", "{\"bytes\": \"\u{e9}\"}", "7"] {
        assert!(serde_json::from_str::<StoredPath>(text).is_err(), "{text}");
    }
}
