//! Calls and names that belong in a few files only, since elsewhere each would be a second copy.

use crate::support::rust_tokens::{Token, tokens};
use crate::support::sources::sources;

/// Something that has a home.
struct Rule {
    what: &'static str,
    /// Beginnings of the names of the files that the rule is about; empty: of all.
    files: &'static [&'static str],
    /// The files that may, each with its reason.
    homes: &'static [(&'static str, &'static str)],
    /// Whether it stands where the tokens begin.
    begins: fn(&[Token]) -> bool,
}

const RULES: &[Rule] = &[
    Rule {
        what: "locks a mutex: call base::lock",
        files: &[],
        homes: &[("base/process/locks.rs", "it counts how long a thread waits")],
        begins: |tokens| match tokens {
            [dot, lock, open, close, then, Token::Word(method), ..] => {
                let is_call = dot.is_mark('.') && lock.is_word("lock") && open.is_mark('(') && close.is_mark(')');
                is_call && then.is_mark('.') && ["expect", "ok", "unwrap", "unwrap_or_else"].contains(&method.as_str())
            }
            _ => false,
        },
    },
    Rule {
        what: "makes GPU memory: call gpu::memory",
        files: &[],
        homes: &[
            ("gpu/buffers/memory.rs", "it counts allocations, and turns those that fail into errors"),
            ("gpu/timing.rs", "instruments of measurement are not counted as memory for work"),
        ],
        begins: |tokens| {
            let calls = ["create_buffer", "create_buffer_init", "create_texture", "create_texture_with_data"];
            tokens.first().is_some_and(|token| calls.iter().any(|call| token.is_word(call)))
        },
    },
    Rule {
        what: "names a brush: ask the traits of brushes/operation.rs",
        files: &["document/edits/plan", "document/edits/apply", "document/stroke", "document/edits/warm"],
        homes: &[],
        begins: |tokens| match tokens {
            [brush, Token::PathSeparator, Token::Word(name), ..] => {
                brush.is_word("Brush") && name.starts_with(char::is_uppercase)
            }
            _ => false,
        },
    },
];

/// What a file breaks, one sentence each.
fn violations(file: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let is_about = |rule: &&Rule| rule.files.is_empty() || rule.files.iter().any(|start| file.starts_with(start));
    let is_there = |rule: &Rule| (0..tokens.len()).any(|at| (rule.begins)(&tokens[at..]));
    let rules = RULES.iter().filter(is_about);
    let found = rules.filter_map(|rule| match (is_there(rule), rule.homes.iter().any(|(home, _)| *home == file)) {
        (true, false) => Some(format!("{file} {}", rule.what)),
        (false, true) => Some(format!("{file} is a home of what it lacks ({}): strike it", rule.what)),
        _ => None,
    });
    found.collect()
}

#[test]
fn what_has_a_home_stands_nowhere_else() {
    let files = sources();
    let found: Vec<String> = files.iter().flat_map(|(file, text)| violations(file, text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    for rule in RULES {
        let exists = |name: &&str| files.iter().any(|(file, _)| file.starts_with(name));
        assert!(rule.homes.iter().map(|(home, _)| home).chain(rule.files).all(exists), "{}", rule.what);
    }
}

#[test]
fn planted_strays_are_found() {
    let n = |file: &str, text: &str| violations(file, text).len();
    assert_eq!(n("document/sound/store.rs", "let a = self.a.lock().unwrap_or_else(PoisonError::into_inner);"), 1);
    assert_eq!(n("gpu/buffers/pool.rs", "let a = device.create_buffer(&descriptor);"), 1);
    assert_eq!(n("document/edits/plan/cells.rs", "if let Brush::Gain(gain) = brush {}"), 1);
    assert_eq!(n("gpu/buffers/memory.rs", "fn f() {}"), 1);
    // Not a mutex, a wrapper, a comment, an associated function, and a file that the rule is not about.
    let allowed = "writeln!(stdout().lock(), \"a\"); self.lock().open; lock(&self.a); // a.lock().unwrap()";
    assert_eq!(n("document/sound/store.rs", allowed), 0);
    assert_eq!(n("document/edits/plan/cells.rs", "Brush::trials(reach); PlannedBrush::Gain"), 0);
    assert_eq!(n("document/scripts/scripted.rs", "Brush::Labels(brush) => brush"), 0);
}
