//! `demo`: a story on a throw-away repository, played through the real binary and the real `gt`.

mod paper;
mod scene;
mod story;

use crate::failure::{Failure, Result};

/// Plays the story; fails at the first step that ends otherwise than it should.
///
/// `PI_GRAPHITE_BIN` names a binary to use instead of building one.
pub(crate) fn run() -> Result {
    let mut scene = scene::Scene::open()?;
    match story::play(&mut scene) {
        Ok(()) => scene.close(),
        Err(failure) => Err(Failure::new(format!(
            "the demo stopped: {failure}\nits repository is kept in {}",
            scene.repository().display()
        ))),
    }
}
