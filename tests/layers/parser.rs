//! The modules of a file: what each imports, re-exports, defines and names.

use crate::support::rust_tokens::{Token, tokens};
use std::collections::BTreeSet;

/// `use a::b as c;`, of which a group gives one for each member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The path; empty segments do not occur, and a `self` at the end of a group member is dropped.
    pub path: Vec<String>,
    /// The name that it gets here; none for a glob.
    pub name: Option<String>,
    /// Whether others may take it from here.
    pub is_re_export: bool,
}

/// In which builds an item is compiled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compiled {
    /// In every build, or where its own condition holds.
    #[default]
    Always,
    /// `#[cfg(test)]`.
    ForTests,
    /// `#[cfg(not(...))]`: it takes the place of another.
    InsteadOfAnother,
}

/// An item of a module that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// `struct`, `fn`, `const` ...
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Whether it has any form of `pub`.
    pub is_public: bool,
    /// In which builds it exists.
    pub compiled: Compiled,
}

/// A module, inline or a whole file.
#[derive(Debug, Default)]
pub struct Module {
    /// Its name where it is inline; empty for a file.
    pub name: String,
    /// In which builds it exists, where it is inline.
    pub compiled: Compiled,
    /// What it imports, those within function bodies too.
    pub imports: Vec<Import>,
    /// Its items, without modules.
    pub definitions: Vec<Definition>,
    /// The modules whose text stands in files of their own.
    pub declared: Vec<(String, Compiled)>,
    /// The modules whose text stands here.
    pub inline: Vec<Module>,
    /// Every path of two or more segments outside of imports.
    pub paths: Vec<Vec<String>>,
    /// Whether `#[path]` or `include!` takes text from a file of another name.
    pub has_text_elsewhere: bool,
    /// Every word outside of imports that may stand for an item by itself.
    pub words: BTreeSet<String>,
}

/// The module that `text`, a whole file, is.
pub fn parse(text: &str) -> Module {
    let tokens = tokens(text);
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let mut module = Module::default();
    parser.module(&mut module);
    module
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Parser<'_> {
    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is_mark(&self, mark: char) -> bool {
        self.token(0).is_some_and(|token| token.is_mark(mark))
    }

    /// The word here, of which the next token is then read.
    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.token(0) else { return None };
        let word = word.clone();
        self.at += 1;
        Some(word)
    }

    /// Items up to the end of the text, or past the brace that ends an inline module.
    fn module(&mut self, module: &mut Module) {
        let (mut is_public, mut compiled) = (false, Compiled::Always);
        while let Some(token) = self.token(0) {
            match token {
                Token::Mark('}') => {
                    self.at += 1;
                    return;
                }
                Token::Mark('#') => {
                    compiled = self.attribute(module).unwrap_or(compiled);
                    continue;
                }
                Token::Word(word) => {
                    let word = word.clone();
                    match word.as_str() {
                        "pub" => {
                            is_public = true;
                            self.at += 1;
                            self.group(module);
                            continue;
                        }
                        "async" | "unsafe" | "default" | "auto" => {
                            self.at += 1;
                            continue;
                        }
                        "const" if self.token(1).is_some_and(|next| next.is_word("fn") || next.is_word("unsafe")) => {
                            self.at += 1;
                            continue;
                        }
                        "extern" if !self.token(1).is_some_and(|next| next.is_word("crate")) => {
                            self.at += 1;
                            continue;
                        }
                        _ => self.item(&word, module, is_public, compiled),
                    }
                }
                Token::Mark('(' | '[' | '{') => self.group(module),
                Token::Mark(_) | Token::PathSeparator | Token::Literal => self.at += 1,
            }
            (is_public, compiled) = (false, Compiled::Always);
        }
    }

    /// `#[...]` or `#![...]`, and what it says of builds.
    fn attribute(&mut self, module: &mut Module) -> Option<Compiled> {
        self.at += 1;
        if self.is_mark('!') {
            self.at += 1;
        }
        let word = |ahead, word| self.token(ahead).is_some_and(|token| token.is_word(word));
        let compiled = match () {
            () if word(1, "cfg") && word(3, "test") => Some(Compiled::ForTests),
            () if word(1, "cfg") && word(3, "not") => Some(Compiled::InsteadOfAnother),
            () => None,
        };
        module.has_text_elsewhere |= word(1, "path");
        self.group(module);
        compiled
    }

    /// One item, from its keyword on.
    fn item(&mut self, keyword: &str, module: &mut Module, is_public: bool, compiled: Compiled) {
        match keyword {
            "use" => self.import(module, is_public),
            "extern" => {
                self.at += 2;
                self.import_tree(&[], module, is_public);
            }
            "mod" => {
                self.at += 1;
                let name = self.word().unwrap_or_default();
                if self.is_mark('{') {
                    self.at += 1;
                    let mut inner = Module { name, compiled, ..Module::default() };
                    self.module(&mut inner);
                    module.inline.push(inner);
                } else {
                    module.declared.push((name, compiled));
                }
            }
            "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" | "macro_rules" => {
                let is_name = |token: &Token| matches!(token, Token::Word(word) if word != "mut");
                let name = self.tokens[self.at + 1..].iter().find(|token| is_name(token));
                if let Some(Token::Word(name)) = name {
                    let (kind, name) = (keyword.to_owned(), name.clone());
                    module.definitions.push(Definition { kind, name, is_public, compiled });
                }
                self.at += 1;
                self.rest_of_item(module, matches!(keyword, "type" | "const" | "static"));
            }
            _ => self.rest_of_item(module, false),
        }
    }

    /// Up to the end of an item: a semicolon outside of every bracket or, unless only that ends it, the first group of
    /// braces.
    fn rest_of_item(&mut self, module: &mut Module, only_by_semicolon: bool) {
        while let Some(token) = self.token(0) {
            match token {
                Token::Mark(';') => {
                    self.at += 1;
                    return;
                }
                Token::Mark('{') => {
                    self.group(module);
                    if !only_by_semicolon {
                        return;
                    }
                }
                Token::Mark('}') => return,
                _ => self.code(module),
            }
        }
    }

    /// A group of brackets of any kind with all that it holds, if one begins here.
    fn group(&mut self, module: &mut Module) {
        let opens = |token: &Token| matches!(token, Token::Mark('(' | '[' | '{'));
        if !self.token(0).is_some_and(opens) {
            return;
        }
        self.at += 1;
        while let Some(token) = self.token(0) {
            if matches!(token, Token::Mark(')' | ']' | '}')) {
                self.at += 1;
                return;
            }
            self.code(module);
        }
    }

    /// A token, a path or a group of code.
    fn code(&mut self, module: &mut Module) {
        match self.token(0) {
            Some(Token::Mark('(' | '[' | '{')) => self.group(module),
            Some(Token::Word(word)) if word == "use" && !self.token(1).is_some_and(|next| next.is_mark('<')) => {
                self.import(module, false);
            }
            Some(Token::Word(_)) => self.path(module),
            _ => self.at += 1,
        }
    }

    fn path(&mut self, module: &mut Module) {
        let before = |n: usize| self.at.checked_sub(n).map(|at| &self.tokens[at]);
        let is_mark = |n, mark| before(n).is_some_and(|token| token.is_mark(mark));
        let is_start = match before(1) {
            // `::wgpu::Device`, unlike `Vec::<u8>::new` and `<A as B>::C`.
            Some(Token::PathSeparator) => !is_mark(2, '>') || is_mark(3, '-') || is_mark(3, '='),
            _ => !is_mark(1, '.'),
        };
        let mut path = Vec::new();
        while let Some(word) = self.word() {
            path.push(word);
            if self.token(0) != Some(&Token::PathSeparator) || !matches!(self.token(1), Some(Token::Word(_))) {
                break;
            }
            self.at += 1;
        }
        if is_start {
            module.has_text_elsewhere |= path == ["include"] && self.is_mark('!');
            module.words.insert(path[0].clone());
            if path.len() > 1 {
                module.paths.push(path);
            }
        }
    }

    /// `use ...;`
    fn import(&mut self, module: &mut Module, is_re_export: bool) {
        self.at += 1;
        if self.token(0) == Some(&Token::PathSeparator) {
            self.at += 1;
        }
        self.import_tree(&[], module, is_re_export);
    }

    /// What follows `prefix` in an import: a path, a glob or a group of these, to any depth.
    fn import_tree(&mut self, prefix: &[String], module: &mut Module, is_re_export: bool) {
        let mut path = prefix.to_vec();
        while let Some(token) = self.token(0) {
            match token {
                Token::Word(word) if word == "as" => {
                    self.at += 1;
                    let name = self.word();
                    module.imports.push(Import { path: without_self(path), name, is_re_export });
                    return;
                }
                Token::Word(_) => path.extend(self.word()),
                Token::PathSeparator => self.at += 1,
                Token::Mark('*') => {
                    self.at += 1;
                    module.imports.push(Import { path, name: None, is_re_export });
                    return;
                }
                Token::Mark('{') => {
                    self.at += 1;
                    while !self.is_mark('}') && self.token(0).is_some() {
                        self.import_tree(&path, module, is_re_export);
                        if self.is_mark(',') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                _ => break,
            }
        }
        if path.len() > prefix.len() {
            let path = without_self(path);
            let name = path.last().cloned();
            module.imports.push(Import { path, name, is_re_export });
        } else if !self.is_mark('}') {
            // Not Rust, or a macro's own: go on behind it.
            self.at += 1;
        }
    }
}

/// `a::{self}` is `a`.
fn without_self(mut path: Vec<String>) -> Vec<String> {
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    path
}
