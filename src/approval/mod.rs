//! A person's yes to a plan: offered plans on disk, used once, within an hour.

use std::time::Duration;

use crate::disk::{StateDir, StateError};
use crate::value::PlanId;

const FOLDER: &str = "plans";
const VERSION: u32 = 1;
/// How long an offered plan can be granted.
pub const MAX_AGE: Duration = Duration::from_hours(1);
/// Most offers that are kept.
const MAX_OFFERS: usize = 500;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Offer {
    version: u32,
    offered_at: u64,
    used_at: Option<u64>,
}

/// Why a grant does not count.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    /// No plan with this id was offered here, or it was offered too long ago.
    #[error("no plan `{0}` was offered here within the last hour")]
    Unknown(String),
    /// It was used before.
    #[error("the grant of plan `{0}` was used before; a grant counts once")]
    Used(String),
    /// The folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}

/// Notes that a plan was shown, so that it can be granted for an hour.
///
/// # Errors
/// [`StateError`].
pub fn offer(state: &StateDir, id: &PlanId, now: Duration) -> Result<(), StateError> {
    let folder = state.folder(FOLDER)?;
    prune(&folder, now)?;
    if let Some(Offer { used_at: Some(_), .. }) = read(&folder, id)?.filter(|offer| is_fresh(offer, now)) {
        // Used up: the same plan can only be asked for again when the same state has come back.
        folder.remove(&file_name(id))?;
    }
    write(&folder, id, &Offer { version: VERSION, offered_at: now.as_secs(), used_at: None })
}

/// Uses up a grant. Call it under the exclusive lock, so that one of two that come at once wins.
///
/// # Errors
/// [`GrantError`].
pub fn spend(state: &StateDir, id: &PlanId, now: Duration) -> Result<(), GrantError> {
    let folder = state.folder(FOLDER)?;
    let offer = read(&folder, id)?.filter(|offer| is_fresh(offer, now));
    let offer = offer.ok_or_else(|| GrantError::Unknown(id.as_str().to_owned()))?;
    if offer.used_at.is_some() {
        return Err(GrantError::Used(id.as_str().to_owned()));
    }
    Ok(write(&folder, id, &Offer { used_at: Some(now.as_secs()), ..offer })?)
}

fn is_fresh(offer: &Offer, now: Duration) -> bool {
    let offered = Duration::from_secs(offer.offered_at);
    offer.version == VERSION && offered <= now + Duration::from_mins(5) && now.saturating_sub(offered) < MAX_AGE
}

/// Removes what counts no more, and the oldest ones where too many count.
fn prune(folder: &StateDir, now: Duration) -> Result<(), StateError> {
    let mut kept = Vec::new();
    for name in folder.names()? {
        let offer: Option<Offer> =
            folder.read(&name).ok().flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        match offer.filter(|offer| is_fresh(offer, now)) {
            Some(offer) => kept.push((offer.offered_at, name)),
            None => folder.remove(&name)?,
        }
    }
    kept.sort_unstable();
    let surplus = kept.len().saturating_sub(MAX_OFFERS);
    kept.into_iter().take(surplus).try_for_each(|(_, name)| folder.remove(&name))
}

fn file_name(id: &PlanId) -> String {
    format!("{}.json", id.as_str())
}

fn read(folder: &StateDir, id: &PlanId) -> Result<Option<Offer>, StateError> {
    Ok(folder.read(&file_name(id))?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn write(folder: &StateDir, id: &PlanId, offer: &Offer) -> Result<(), StateError> {
    folder.write(&file_name(id), &serde_json::to_vec(offer).expect("plain data serialises"))
}

#[cfg(test)]
mod tests {
    use super::{GrantError, offer, spend};
    use crate::disk::StateDir;
    use crate::value::{Digest, PlanId};
    use std::time::Duration;

    #[test]
    fn a_grant_counts_once_and_for_an_hour() {
        let dir = tempfile::tempdir().expect("a folder");
        let state = StateDir::open_or_create(dir.path(), "state").expect("a state folder");
        let (id, at) = (PlanId::of(Digest::of(b"plan")), |secs: u64| Duration::from_secs(1_000_000 + secs));
        assert!(matches!(spend(&state, &id, at(0)), Err(GrantError::Unknown(_))));
        offer(&state, &id, at(0)).expect("offered");
        assert!(matches!(spend(&state, &id, at(3600)), Err(GrantError::Unknown(_))));
        spend(&state, &id, at(3599)).expect("within the hour");
        assert!(matches!(spend(&state, &id, at(3599)), Err(GrantError::Used(_))));
        offer(&state, &id, at(3600)).expect("offered again");
        spend(&state, &id, at(3601)).expect("the same state came back and was shown again");
    }
}
