//! The words of one transform, `n_fft` and `hop`, and the making of its tables stay in the few places that own them:
//! every other file asks a `Grid`, or the engine's plans. Proven by reading every file.

use super::support::rust_tokens::tokens;
use super::support::sources::sources;

/// Words, who owns them, and where they are named as well, each with its reason. The second list may only shrink: a
/// file in it that no longer names its words fails the test too.
struct Rule {
    words: &'static [&'static str],
    owners: &'static [&'static str],
    exceptions: &'static [(&'static str, &'static str)],
}

const RULES: &[Rule] = &[
    Rule {
        words: &["n_fft", "hop"],
        owners: &[
            // Segments of features have transforms of their own.
            "cli/args/features.rs",
            "cli/analysis/features.rs",
            "dsp/mels/mel.rs",
            "dsp/mels/segment_mels.rs",
            "dsp/mels/segments.rs",
            "library/features/extract.rs",
            "library/features/options.rs",
            "library/features/files/report.rs",
            // So have measurements at labels.
            "cli/args/measure.rs",
            "cli/analysis/measure.rs",
            "document/labels/measure.rs",
            "document/labels/measured_table.rs",
            "dsp/transforms/frame_power.rs",
            // So have frames that come in pieces, and constant-Q atoms.
            "dsp/transforms/constant_q.rs",
            "dsp/transforms/frame_stream.rs",
            // The grid, and the STFT itself.
            "dsp/transforms/grid.rs",
            "dsp/transforms/stft/mod.rs",
            "dsp/transforms/stft/round_trips.rs",
            "dsp/transforms/transform.rs",
            "dsp/transforms/difference.rs",
            // Rows of a scale have a hop for each group.
            "dsp/transforms/rows/bank.rs",
            "dsp/transforms/rows/drawn.rs",
            "dsp/transforms/rows/group.rs",
            "dsp/transforms/rows/windows.rs",
            "gpu/device_fft.rs",
            "gpu/fft.rs",
            "gpu/fft_text.rs",
            "gpu/layout.rs",
            "gpu/passes/segment_mels.rs",
            "gpu/passes/sound_frames.rs",
            "gpu/warm.rs",
            "gpu/passes/stft.rs",
            // Scripts, sessions and the command line say it in these words.
            "cli/args/mod.rs",
            "cli/args/transform.rs",
            "cli/transform/arrays.rs",
            "cli/transform/choice.rs",
            "cli/transform/description.rs",
            "cli/transform/mod.rs",
            "document/scripts/script/fields.rs",
            // The controls that set it, wherever they stand.
            "*/loupe.rs",
            "studio/panels/transform.rs",
            "*/preferences/saved.rs",
        ],
        exceptions: &[(
            "dsp/warps/phase/integration/mod.rs",
            "phases from magnitudes are a formula of the STFT alone: its gamma is of one window in samples",
        )],
    },
    Rule {
        words: &["Stft::new", "FftPlanner", "RealFftPlanner", "window_samples"],
        owners: &[
            "dsp/transforms/constant_q.rs",
            "dsp/transforms/fft_plans.rs",
            "dsp/transforms/frame_power.rs",
            "dsp/transforms/frame_stream.rs",
            "dsp/transforms/real_fft/mod.rs",
            "dsp/transforms/rows/plans.rs",
            "dsp/mels/segments.rs",
            "dsp/transforms/stft/mod.rs",
            "dsp/transforms/transform.rs",
            "dsp/pitch/yin.rs",
        ],
        exceptions: &[
            ("dsp/repair/declip/prediction.rs", "clipped samples are predicted in double precision"),
            ("dsp/kernels/heal/gap.rs", "gaps are predicted over lengths that no transform has"),
            ("dsp/numeric/toeplitz.rs", "products with Toeplitz matrices are as long as the model"),
        ],
    },
];

/// The words of a rule that a text names in its code, comments and string literals aside.
fn named(rule: &Rule, text: &str) -> Vec<&'static str> {
    let tokens_of_text = tokens(text);
    let is_named = |word: &str| {
        let wanted = tokens(word);
        tokens_of_text.windows(wanted.len()).any(|window| window == wanted)
    };
    rule.words.iter().copied().filter(|word| is_named(word)).collect()
}

/// Whether an entry of a list means a file: its path, or for `*/NAME` its name in any folder.
fn is_of(entry: &str, file: &str) -> bool {
    entry == file || entry.strip_prefix('*').is_some_and(|name| file.ends_with(name))
}

/// What a file breaks, one sentence each.
fn violations(rule: &Rule, file: &str, text: &str) -> Vec<String> {
    let found = named(rule, text);
    let is_owner = rule.owners.iter().any(|owner| is_of(owner, file));
    match rule.exceptions.iter().find(|(path, _)| *path == file) {
        _ if is_owner => Vec::new(),
        Some(_) if found.is_empty() => vec![format!("{file} names none of {:?}: take it off the list", rule.words)],
        Some(_) => Vec::new(),
        None => found.first().map(|word| format!("{file} names {word}: ask its owner")).into_iter().collect(),
    }
}

#[test]
fn words_of_one_transform_are_named_by_their_owners_alone() {
    let files = sources();
    let mut found = Vec::new();
    for rule in RULES {
        found.extend(files.iter().flat_map(|(file, text)| violations(rule, file, text)));
        let listed = rule.owners.iter().chain(rule.exceptions.iter().map(|(path, _)| path));
        let gone = listed.filter(|path| files.iter().all(|(file, _)| !is_of(path, file)));
        found.extend(gone.map(|path| format!("{path} is listed and does not exist")));
        let idle = files.iter().filter(|(file, _)| rule.owners.iter().any(|owner| is_of(owner, file)));
        let idle = idle.filter(|(_, text)| named(rule, text).is_empty());
        found.extend(idle.map(|(file, _)| format!("{file} owns words that it does not name: take it off the list")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn planted_words_are_found() {
    let rule = &RULES[0];
    let planted = |file: &str, text: &str| violations(rule, file, text).len();
    assert_eq!(planted("document/edits/apply/mod.rs", "let first = frame as i64 * hop - half;"), 1);
    assert_eq!(planted("document/edits/apply/mod.rs", "let n = edit.transform.n_fft / 2;"), 1);
    assert_eq!(planted("view/levels/tiles/mod.rs", "fn f(p: StftParams) -> usize { p.hop }"), 1);
    // An exception that is no longer needed.
    assert_eq!(planted("dsp/warps/phase/integration/mod.rs", "fn f() {}"), 1);
    assert_eq!(violations(&RULES[1], "document/edits/apply/mod.rs", "let stft = Stft::new(params);").len(), 1);
    assert_eq!(
        violations(&RULES[1], "view/render/picture.rs", "let sum: f64 = p.window_samples().iter().sum();").len(),
        1
    );
    assert_eq!(violations(&RULES[1], "view/render/picture.rs", "let stft = Stft::new_later(params);").len(), 0);
    // What is allowed, or only said in a comment or a text, or another word.
    assert_eq!(planted("dsp/transforms/stft/mod.rs", "let at = frame * hop;"), 0);
    assert_eq!(planted("dsp/warps/phase/integration/mod.rs", "let at = frame * hop;"), 0);
    assert_eq!(
        planted("document/edits/apply/mod.rs", "// frame * hop\nlet says = \"hop, n_fft\"; grid.hop_secs();"),
        0
    );
}
