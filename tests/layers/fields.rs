//! What a struct holds is changed by its methods: the structs named here have no field that others see, and no file but
//! the one that defines the workbench's or the window's struct assigns to its fields.

use crate::support::rust_tokens::{Token, tokens};
use crate::support::sources::sources;

/// Structs without a public field, `pub(super)` included.
const CLOSED: [&str; 4] = ["Documents", "Layout", "OpenDocument", "Tools"];

/// Structs whose `impl` blocks stand in several files, and the file whose code alone assigns to their fields.
const OWNED: [(&str, &str); 2] = [("Studio", "studio/app/mod.rs"), ("Workbench", "workbench/bench/workbench.rs")];

/// The fields of a struct that stands in `tokens`, each with whether it has a visibility.
fn fields(tokens: &[Token], name: &str) -> Option<Vec<(String, bool)>> {
    let at = tokens.windows(2).position(|pair| pair[0].is_word("struct") && pair[1].is_word(name))?;
    let body = &tokens[at + tokens[at..].iter().position(|token| token.is_mark('{'))?..];
    let (mut depth, mut is_public, mut found) = (0, false, Vec::new());
    for (at, token) in body.iter().enumerate() {
        match token {
            Token::Mark('{' | '(' | '[' | '<') => depth += 1,
            // `->` in the type of a function ends nothing.
            Token::Mark('>') if body[at - 1].is_mark('-') => {}
            Token::Mark('}' | ')' | ']' | '>') => depth -= 1,
            Token::Word(word) if depth == 1 && word == "pub" => is_public = true,
            Token::Word(word) if depth == 1 && body.get(at + 1).is_some_and(|next| next.is_mark(':')) => {
                found.push((word.clone(), std::mem::take(&mut is_public)));
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    Some(found)
}

/// The closed structs of a text that have a public field.
fn open_fields(file: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let all =
        CLOSED.iter().flat_map(|name| fields(&tokens, name).unwrap_or_default().into_iter().map(move |f| (name, f)));
    let open = all.filter(|(_, (_, is_public))| *is_public);
    open.map(|(name, (field, _))| format!("{file}: {name}.{field} is public")).collect()
}

/// Fields of `self` that a file of `impl` blocks of `owner` assigns to.
fn assigned(text: &str, owner: &str, owned: &[String]) -> Vec<String> {
    let tokens = tokens(text);
    let is_impl = |pair: &[Token]| (pair[0].is_word("impl") || pair[0].is_word("for")) && pair[1].is_word(owner);
    if !tokens.windows(2).any(is_impl) {
        return Vec::new();
    }
    let field_at = |at: usize| match &tokens[at..] {
        [first, dot, Token::Word(field), ..] if first.is_word("self") && dot.is_mark('.') && owned.contains(field) => {
            Some(field.clone())
        }
        _ => None,
    };
    let fields = (0..tokens.len()).filter_map(|at| Some((at, field_at(at)?)));
    fields.filter(|(at, _)| is_assigned(&tokens, *at)).map(|(_, field)| field).collect()
}

/// Whether the place that begins at `at` is assigned to, alone or as a part of a tuple.
fn is_assigned(tokens: &[Token], at: usize) -> bool {
    let (mut end, mut depth) = (at, 0);
    // `self.a.b[c].d`
    while let Some(token) = tokens.get(end) {
        match token {
            Token::Mark('[') => depth += 1,
            Token::Mark(']') if depth > 0 => depth -= 1,
            Token::Mark('.') => {}
            Token::Word(_) if depth > 0 || end == at || tokens[end - 1].is_mark('.') => {}
            _ if depth > 0 => {}
            _ => break,
        }
        end += 1;
    }
    let is_in_tuple = tokens[..at].last().is_some_and(|before| before.is_mark('(') || before.is_mark(','));
    if is_in_tuple {
        let mut open = 1;
        while let Some(token) = tokens.get(end).filter(|_| open > 0) {
            open += i32::from(token.is_mark('(')) - i32::from(token.is_mark(')'));
            end += 1;
        }
    }
    let mark = |at: usize| match tokens.get(at) {
        Some(Token::Mark(mark)) => *mark,
        _ => ' ',
    };
    match mark(end) {
        '=' => !matches!(mark(end + 1), '=' | '>'),
        '+' | '-' | '*' | '/' | '%' | '|' | '&' | '^' => !is_in_tuple && mark(end + 1) == '=',
        _ => false,
    }
}

#[test]
fn what_structs_hold_is_changed_by_their_methods() {
    let sources = sources();
    let mut found: Vec<String> = sources.iter().flat_map(|(file, text)| open_fields(file, text)).collect();
    for name in CLOSED {
        let is_there = sources.iter().any(|(_, text)| fields(&tokens(text), name).is_some_and(|all| !all.is_empty()));
        assert!(is_there, "{name} is no struct with fields");
    }
    for (owner, home) in OWNED {
        let (_, text) = sources.iter().find(|(file, _)| file == home).expect(home);
        let owned: Vec<String> =
            fields(&tokens(text), owner).expect(owner).into_iter().map(|(field, _)| field).collect();
        assert!(owned.len() > 5, "{owned:?}");
        for (file, text) in sources.iter().filter(|(file, _)| file != home) {
            let wrong = assigned(text, owner, &owned).into_iter();
            found.extend(wrong.map(|field| format!("{file}: assigns to {owner}.{field}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn planted_fields_and_assignments_are_found() {
    let open = |fields: &str| open_fields("a.rs", &format!("pub struct Tools<T> {{ {fields} }}")).len();
    assert_eq!(open("a: Vec<u8>, #[serde(skip)] b: fn(u8) -> Vec<(u8, u8)>, c: [u8; 2]"), 0);
    assert_eq!(open("a: Vec<u8>, pub b: u8"), 1);
    assert_eq!(open("/// One.\n #[serde(default)] pub(super) a: Vec<u8>, pub(in crate::b) c: (u8, u8), d: u8"), 2);
    assert_eq!(open_fields("a.rs", "pub struct Other { pub a: u8 }").len(), 0);
    let assigned = |code: &str| {
        let text = format!("impl Studio {{ fn f(&mut self) {{ {code} }} }}");
        assigned(&text, "Studio", &["card".to_owned(), "hand".to_owned()]).len()
    };
    for right in [
        "self.card.open();",
        "if self.card == self.hand {}",
        "let card = self.card;",
        "let a = Card { of: self.card };",
        "f(self.card, self.hand);",
        "(a, b) = (self.card, self.hand);",
        "match self.card { a => {} }",
        "if self.card.is_open() && self.hand.at <= 1 {}",
        "self.other = 1;",
    ] {
        assert_eq!(assigned(right), 0, "{right}");
    }
    for wrong in ["self.card = None;", "self.hand.at.x = 1;", "self.hand.all[self.n + 1] += 2;", "self.hand.n -= 1;"] {
        assert_eq!(assigned(wrong), 1, "{wrong}");
    }
    assert_eq!(assigned("(self.card, self.hand.at) = (a, b);"), 2);
    assert_eq!(assigned("(self.other, self.hand) = (a, b);"), 1);
}
