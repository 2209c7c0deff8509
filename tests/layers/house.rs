//! All modules of the workspace, and the resolution of paths written in them.

use super::parser::{Compiled, Definition, Import, Module, parse};
use super::rows::is_row;
use std::collections::{BTreeMap, BTreeSet};

/// A module's place below the crate's root: `["dsp", "mask"]`; the root is empty. `main.rs` counts as `["main"]`.
pub type Place = Vec<String>;

/// Re-exports, aliases and globs followed before a path counts as one that goes round.
const MAX_STEPS: usize = 32;

/// A path with `self`, `super` and the names of imports spelled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelled {
    /// From the crate's root on.
    Own(Vec<String>),
    /// From another crate's name on.
    Foreign(Vec<String>),
}

/// The target of a path.
enum Target {
    /// A module of the crate.
    Module(Place),
    /// An item, by the module that defines it.
    Item(Place, String),
    /// Something of another crate, or a name that nothing here defines, as a generic parameter.
    Elsewhere,
}

/// A module with where its text stands.
pub struct Room {
    /// Its name in [`sources`](crate::support::sources::sources).
    pub file: String,
    /// In which builds it exists: what it says itself, or a module around it.
    pub compiled: Compiled,
    /// What it holds.
    pub module: Module,
}

/// Every module, by place.
pub struct House {
    /// The rooms.
    pub rooms: BTreeMap<Place, Room>,
}

impl House {
    /// The modules of files given by name and text.
    pub fn of(files: impl IntoIterator<Item = (String, String)>) -> House {
        let mut house = House { rooms: BTreeMap::new() };
        for (file, text) in files {
            let place = place_of(&file);
            house.add(place, &file, Compiled::Always, parse(&text));
        }
        house.inherit_builds();
        house
    }

    fn add(&mut self, place: Place, file: &str, compiled: Compiled, mut module: Module) {
        for inner in std::mem::take(&mut module.inline) {
            let mut inner_place = place.clone();
            inner_place.push(inner.name.clone());
            self.add(inner_place, file, inner.compiled, inner);
        }
        self.rooms.insert(place, Room { file: file.to_owned(), compiled, module });
    }

    /// Passes the build conditions of each module's declaration, and those of its parents, on to the module. Parents
    /// come first.
    fn inherit_builds(&mut self) {
        let places: Vec<Place> = self.rooms.keys().cloned().collect();
        for place in places {
            let Some((name, parent)) = place.split_last() else { continue };
            let Some(parent) = self.rooms.get(parent) else { continue };
            let declared = parent.module.declared.iter().find(|(declared, _)| declared == name);
            let inherited = [parent.compiled, declared.map_or(Compiled::Always, |(_, compiled)| *compiled)];
            let inherited = inherited.into_iter().find(|compiled| *compiled != Compiled::Always);
            if let (Some(inherited), Some(room)) = (inherited, self.rooms.get_mut(&place)) {
                room.compiled = inherited;
            }
        }
    }

    /// The path as written in `from`; re-exports along the way are not followed. None where its first name is neither a
    /// module, an item nor an import here.
    pub fn spelled_out(&self, from: &Place, path: &[String]) -> Option<Spelled> {
        self.spell(from, path, 0)
    }

    fn spell(&self, from: &Place, path: &[String], step: usize) -> Option<Spelled> {
        let (first, rest) = path.split_first()?;
        let join = |place: &[String], rest: &[String]| [place, rest].concat();
        match first.as_str() {
            // The binary sees the library by the crate's name, and has no modules of its own.
            "crate" | "sonobrush" => return self.without_root(&below_root(from, rest), step),
            "self" => return self.without_ups(from, rest, step),
            "super" => return self.without_ups(from, path, step),
            _ if step > MAX_STEPS => return None,
            _ => {}
        }
        let module = &self.rooms.get(from)?.module;
        let is_module =
            module.declared.iter().any(|(name, _)| name == first) || self.rooms.contains_key(&join(from, &path[..1]));
        // A function may be named as its module is: a name alone is then the function.
        let is_import = rest.is_empty() && names_of(module).contains(first.as_str());
        if is_module && !is_import || defines(module, first) {
            return Some(Spelled::Own(join(from, path)));
        }
        if let Some(import) = module.imports.iter().find(|import| import.name.as_ref() == Some(first)) {
            let whole = join(&import.path, rest);
            // `use apply::apply;` goes into the module and `use wgpu;` to the crate, neither to itself.
            if import.path[0] == *first {
                let of_crate = || self::of_crate(&whole).map_or_else(|| Spelled::Foreign(whole.clone()), Spelled::Own);
                return Some(if is_module { Spelled::Own(join(from, &whole)) } else { of_crate() });
            }
            return self.spell(from, &whole, step + 1).or(Some(Spelled::Foreign(whole)));
        }
        if let Some(path) = of_crate(path) {
            return Some(Spelled::Own(path));
        }
        for glob in module.imports.iter().filter(|import| import.name.is_none()) {
            let Some(Spelled::Own(place)) = self.spell(from, &glob.path, step + 1) else { continue };
            if place != *from
                && let Some(found) = self.spell_in(&place, path, step + 1)
            {
                return Some(found);
            }
        }
        None
    }

    /// `path` in the module at `place`, which may itself be a re-export.
    fn spell_in(&self, place: &Place, path: &[String], step: usize) -> Option<Spelled> {
        match self.target_of(place, step) {
            Target::Module(place) => self.spell(&place, path, step),
            _ => None,
        }
    }

    /// A path behind `crate::`. What the root imports under a name of its own is spelled out, so that no row hides
    /// there.
    fn without_root(&self, path: &[String], step: usize) -> Option<Spelled> {
        let is_module = path.first().is_none_or(|first| self.rooms.contains_key(std::slice::from_ref(first)));
        if is_module || step > MAX_STEPS {
            return Some(Spelled::Own(path.to_vec()));
        }
        self.spell(&Place::new(), path, step + 1).or_else(|| Some(Spelled::Own(path.to_vec())))
    }

    /// A path behind `self::`, or with `super` in front.
    fn without_ups(&self, from: &Place, path: &[String], step: usize) -> Option<Spelled> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let place = &from[..from.len().saturating_sub(ups)];
        let whole = [place, &path[ups..]].concat();
        if place.is_empty() { self.without_root(&whole, step) } else { Some(Spelled::Own(whole)) }
    }

    /// What the path stands for, as written in `from`: re-exports are followed to where the item is defined.
    fn target(&self, from: &Place, path: &[String]) -> Target {
        match self.spelled_out(from, path) {
            Some(Spelled::Own(path)) => self.target_of(&path, 0),
            Some(Spelled::Foreign(_)) | None => Target::Elsewhere,
        }
    }

    /// The target of a path from the root.
    fn target_of(&self, path: &[String], step: usize) -> Target {
        let mut place = Place::new();
        for (at, part) in path.iter().enumerate() {
            let below = [place.as_slice(), std::slice::from_ref(part)].concat();
            let room = self.rooms.get(&place);
            let is_item =
                at + 1 == path.len() && room.is_some_and(|room| names_of(&room.module).contains(part.as_str()));
            if self.rooms.contains_key(&below) && !is_item {
                place = below;
                continue;
            }
            let Some(room) = room else { return Target::Elsewhere };
            let is_taken_from_elsewhere = !defines(&room.module, part) && step < MAX_STEPS;
            if is_taken_from_elsewhere {
                match self.spell(&place, &path[at..], step + 1) {
                    Some(Spelled::Own(path)) => return self.target_of(&path, step + 1),
                    Some(Spelled::Foreign(_)) => return Target::Elsewhere,
                    None => {}
                }
            }
            return Target::Item(place, part.clone());
        }
        Target::Module(place)
    }

    /// The files that define what the module at `from` takes from elsewhere, each with the item's name. A name that is
    /// re-exported and not used in the module itself is not taken by it; nor is a module that is named alone.
    pub fn taken(&self, from: &Place) -> BTreeSet<(&str, String)> {
        let Some(Room { module, .. }) = self.rooms.get(from) else { return BTreeSet::new() };
        let is_used = |import: &&Import| {
            !import.is_re_export || import.name.as_ref().is_some_and(|name| module.words.contains(name))
        };
        let (globs, named): (Vec<_>, Vec<_>) = module.imports.iter().partition(|import| import.name.is_none());
        let named = named.into_iter().filter(is_used).map(|import| self.target(from, &import.path));
        let in_code = module.paths.iter().map(|path| self.target(from, path));
        let by_globs = globs.into_iter().flat_map(|glob| self.taken_by_glob(from, glob));
        let items = named.chain(in_code).chain(by_globs).filter_map(|target| match target {
            Target::Item(place, name) => self.rooms.get(&place).map(|room| (room.file.as_str(), name)),
            _ => None,
        });
        items.collect()
    }

    /// What a glob import brings that the module's text names.
    fn taken_by_glob(&self, from: &Place, glob: &Import) -> Vec<Target> {
        let Some(room) = self.rooms.get(from) else { return Vec::new() };
        let Target::Module(place) = self.target(from, &glob.path) else { return Vec::new() };
        let Some(source) = self.rooms.get(&place) else { return Vec::new() };
        let brought = names_of(&source.module);
        let words = room.module.words.iter().filter(|word| brought.contains(word.as_str()));
        words.map(|word| self.target_of(&[place.as_slice(), std::slice::from_ref(word)].concat(), 0)).collect()
    }
}

/// A path behind `crate::` from the top on: a row as it is, for every crate names those that it uses at its root, and
/// anything else below the crate's own root.
fn below_root(from: &Place, path: &[String]) -> Vec<String> {
    match (from.first(), path.first()) {
        (Some(row), Some(first)) if is_row(row) && !is_row(first) => [std::slice::from_ref(row), path].concat(),
        _ => path.to_vec(),
    }
}

/// A path that begins with the name of a crate of the workspace, from the top on. Two crates have rows within.
fn of_crate(path: &[String]) -> Option<Vec<String>> {
    let [first, second] = [0, 1].map(|at| path.get(at).map_or("", String::as_str));
    let is_within = matches!(first, "audio" | "engine") && is_row(second);
    (is_within || is_row(first)).then(|| path[usize::from(is_within)..].to_vec())
}

/// Names that a module's items and imports give.
fn names_of(module: &Module) -> BTreeSet<&str> {
    let defined = module.definitions.iter().map(|definition| definition.name.as_str());
    defined.chain(module.imports.iter().filter_map(|import| import.name.as_deref())).collect()
}

fn defines(module: &Module, name: &str) -> bool {
    module.definitions.iter().any(|Definition { name: own, .. }| own == name)
}

/// The row of a file or place: the first part of its path.
pub fn row_of(file: &str) -> &str {
    file.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

/// `dsp/mask/shapes.rs` and `dsp/mask/shapes/mod.rs` are `["dsp", "mask", "shapes"]`; `lib.rs` is the root.
fn place_of(file: &str) -> Place {
    let mut parts: Place = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}
