//! What a crash leaves: a report that names no sound and no home folder, five of them, private, and the next start's
//! notice.

use crate::support::studio::{Bench, Drawing};
use egui_kittest::kittest::Queryable;
use sonobrush::base::crash::{Crash, CrashContext, keep_report, report_of_note};
use sonobrush::base::version;
use sonobrush::workbench::{NoticeAct, Picked};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `date -ud @1795717163`: Thu Nov 26 18:19:23 UTC 2026.
const AT: Duration = Duration::from_secs(1_795_717_163);

fn crash<'a>(message: &'a str, backtrace: &'a dyn std::fmt::Display) -> Crash<'a> {
    Crash { thread: "main", message, place: "crates/studio/src/app.rs:12:5", backtrace }
}

fn known(sounds: &[&str], lines: &str) -> CrashContext {
    let mut known = CrashContext {
        system: "Debian GNU/Linux 12 (bookworm), linux 6.1.0, x86_64, 2 threads".into(),
        adapter: "llvmpipe, Vulkan, driver llvmpipe Mesa 22.3.6".into(),
        engine: "CPU".into(),
        home: Some(PathBuf::from("/home/ada")),
        ..CrashContext::default()
    };
    sounds.iter().for_each(|sound| known.add_sound(Path::new(sound)));
    known.add_lines(lines);
    known
}

#[test]
fn a_report_says_all_that_its_reader_needs() {
    let lines: String = (1..=150).map(|n| format!("2026-11-26T18:19:22Z  INFO sonobrush: line {n}\n")).collect();
    let text = known(&[], &lines).report(&crash("index out of bounds", &"  0: main\n"), AT);
    let reported = [
        format!("Sonobrush {} stopped unexpectedly on 2026-11-26 at 18:19:23 UTC.", version()),
        "System: Debian GNU/Linux 12 (bookworm), linux 6.1.0, x86_64, 2 threads".into(),
        "Adapter: llvmpipe, Vulkan, driver llvmpipe Mesa 22.3.6".into(),
        "Engine: CPU".into(),
        "Panic: index out of bounds".into(),
        "Place: crates/studio/src/app.rs:12:5, thread main".into(),
        "  0: main".into(),
    ];
    for line in reported {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
    }
    let (_, end) = text.split_once("Last lines of the log:\n").unwrap();
    let numbers: Vec<&str> = end.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    let last: Vec<String> = (51..=150).map(|n: u32| n.to_string()).collect();
    assert_eq!(numbers, last, "the last hundred, in their order");
}

#[test]
fn a_report_names_no_sound_and_no_home_folder() {
    let sounds = [
        "/home/ada/Clients/Acme/Board meeting.wav",
        "/mnt/takes/take.wav",
        "take two.wav",
        "/home/ada/Bob's \"best\" song",
        "/mnt/Stra\u{df}e \u{1f3b5}.FLAC",
    ];
    let lines = "WARN sonobrush: told error=Board meeting.wav: it ends doing=\"open\"\n\
        INFO sonobrush: opening /mnt/takes/take.wav\n\
        INFO sonobrush: take two.wav and take.wav, not partake.wave5\n\
        WARN sonobrush: \"/home/ada/Bob's \\\"best\\\" song\" is damaged\n\
        INFO sonobrush: file=\"/mnt/Stra\u{df}e \u{1f3b5}.FLAC\"\n\
        INFO sonobrush: exported /srv/out/Never seen before.flac\n\
        INFO sonobrush: the settings are in /home/ada/.config/sonobrush/settings.json, not /home/adam\n";
    let message = "no frame 7 in /home/ada/Clients/Acme/Board meeting.wav";
    let text = known(&sounds, lines).report(&crash(message, &"at /home/ada/src/flac.rs:7"), AT);
    for secret in ["Board", "meeting", "take", "two", "Bob", "best", "Stra", "Never", "seen", "Acme", "/home/ada/"] {
        let found: Vec<&str> = text.lines().filter(|line| line.contains(secret) && !line.contains("partake")).collect();
        assert!(found.is_empty(), "{secret} is in {found:?}");
    }
    // Numbered as they come, the same sound by the same number, and nothing else is lost.
    for line in [
        "Panic: no frame 7 in sound 1",
        "at ~/src/flac.rs:7",
        "WARN sonobrush: told error=sound 1: it ends doing=\"open\"",
        "INFO sonobrush: opening sound 2",
        "INFO sonobrush: sound 3 and sound 2, not partake.wave5",
        "WARN sonobrush: \"sound 4\" is damaged",
        "INFO sonobrush: file=\"sound 5\"",
        "INFO sonobrush: exported sound 6",
        "INFO sonobrush: the settings are in ~/.config/sonobrush/settings.json, not /home/adam",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn what_a_panic_brings_along_is_bounded() {
    let mut known = known(&[], &"a line that is longer than any should be ".repeat(1_000));
    (0..5_000).for_each(|n| known.add_sound(Path::new(&format!("/library/{n}.wav"))));
    assert!(known.sounds.len() <= 1_000 && known.sounds.back().unwrap().ends_with("4999.wav"));
    let (message, backtrace) = ("why ".repeat(1 << 20), "frame\n".repeat(1 << 20));
    let n_bytes = known.report(&crash(&message, &backtrace), AT).len();
    assert!(n_bytes < 150 << 10, "{n_bytes} bytes");
}

#[test]
fn five_reports_are_kept_for_their_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let others = ["sonobrush.log", "crash.txt", "crash-notes.txt", "crash-2026.txt.bak"];
    others.iter().for_each(|name| std::fs::write(folder.path().join(name), "kept").unwrap());
    // Two within one second, and one after the clock was set back.
    let secs = [0, 0, 60, 86_400, 90_000, 2 * 86_400, 86_000];
    let written: Vec<PathBuf> = secs
        .iter()
        .map(|secs| keep_report(folder.path(), &secs.to_string(), AT + Duration::from_secs(*secs)).unwrap())
        .collect();
    assert!(written[0].ends_with("crash-2026-11-26-181923.txt"), "{written:?}");
    let mut left: Vec<&PathBuf> = written.iter().filter(|path| path.exists()).collect();
    assert_eq!(left.len(), 5);
    assert!(left.contains(&&written[6]) && !written[0].exists() && !written[1].exists());
    left.sort();
    for path in left {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(path.file_name().unwrap().to_str().unwrap().starts_with("crash-2026-11-2"));
    }
    assert!(others.iter().all(|name| folder.path().join(name).exists()), "what is no report stays");
}

#[test]
fn a_panic_that_is_caught_or_that_a_lost_device_brings_is_no_crash() {
    let fatal = "panic in a destructor during cleanup";
    let of = |thread, message| Crash { thread, message, place: "", backtrace: &"" };
    assert!(of("main", "a defect").ends_program(false));
    assert!(!of("main", "a defect").ends_program(true), "the code around it goes on");
    assert!(!of("worker", "a defect").ends_program(false), "its work is lost, the program goes on");
    assert!(of("worker", fatal).ends_program(false) && of("main", fatal).ends_program(true));
    assert!(of("main", "Error in Surface::configure: Parent device is lost").is_loss());
    assert!(of("main", "Failed to create staging buffer for index data. Index count: 36099.").is_loss());
    assert!(!of("main", "a defect").is_loss());
}

#[test]
fn a_note_names_a_report_beside_it_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("crash.txt");
    let report = keep_report(folder.path(), "a report", AT).unwrap();
    let named = |text: &str| {
        std::fs::write(&note, text).unwrap();
        report_of_note(&note)
    };
    assert_eq!(named("crash-2026-11-26-181923.txt\n"), Some(report));
    for other in
        ["the graphics device was lost\n", "crash-2026-11-26-181924.txt\n", "../crash-1.txt\n", "", "crash.txt"]
    {
        assert_eq!(named(other), None, "{other:?}");
    }
}

#[test]
fn the_notice_of_a_crash_stays_until_it_is_closed_and_has_its_buttons() {
    let mut bench = Bench::new(Drawing::None);
    let file = bench.out("crash-2026-11-26-181923.txt");
    std::fs::write(&file, "Sonobrush stopped.\n").unwrap();
    let what = format!("Sonobrush stopped unexpectedly last time; a report is in {}.", file.display());
    bench.act(NoticeAct::Report { what: what.clone(), advice: None, file: file.clone() });
    bench.settle();
    bench.clock.advance(3_600.0);
    bench.settle();
    assert!(
        bench.notices().iter().any(|(_, reported)| *reported == what),
        "it is about a report that nobody has copied yet"
    );
    assert_eq!(
        bench.copied(|bench| bench.harness.get_by_label("Copy").click()).as_deref(),
        Some("Sonobrush stopped.\n")
    );
    bench.click("Show folder");
    assert_eq!(bench.dialogs.shown(), [file.parent().unwrap()]);
    bench.dialogs.answer(Picked::Unavailable);
    bench.click("Show folder");
    assert!(
        bench.notices().iter().any(|(_, reported)| reported.starts_with("Cannot show the folder")),
        "{:?}",
        bench.notices()
    );
    std::fs::remove_file(&file).unwrap();
    bench.click("Copy");
    assert!(
        bench.notices().iter().any(|(_, reported)| reported.starts_with("No file crash-2026-11-26-181923.txt in ")),
        "{:?}",
        bench.notices()
    );
}
