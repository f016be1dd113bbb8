//! The contract of `Clock`.

use vouch_domain::ports::Clock;

/// Time never goes back.
pub fn check(clock: &dyn Clock) {
    let (wall, steady) = (clock.now_ms(), clock.since_start());
    assert!(clock.since_start() >= steady);
    assert!(clock.now_ms() >= wall);
}
