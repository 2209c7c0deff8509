//! A choice of the graphics adapter and of the engine, for the card that offers it.

use crate::base::EngineChoice;

/// The adapters that can draw the window, and what the settings choose.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphicsChoice {
    /// Names of the adapters, each once.
    pub adapters: Vec<String>,
    /// Number or part of the name of the chosen one; `None`: the best.
    pub adapter: Option<String>,
    /// The chosen engine.
    pub engine: EngineChoice,
}

impl GraphicsChoice {
    /// Whether the settings choose the adapter of this name.
    pub fn is_chosen(&self, name: &str) -> bool {
        let wanted = self.adapter.as_ref().map(|wanted| wanted.to_lowercase());
        wanted.is_some_and(|wanted| match self.adapters.iter().find(|name| name.to_lowercase() == wanted) {
            Some(exact) => exact == name,
            None => name.to_lowercase().contains(&wanted),
        })
    }
}
