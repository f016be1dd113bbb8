//! What every way in needs, whatever it speaks: questions that are asked and written down, what admins keep, the figures,
//! and the shapes other programs rely on.

pub mod circumstances;
mod context;
pub mod desk;
pub mod keeper;
pub mod metrics;
pub mod question;
pub mod turns;
pub mod walks;
pub mod wire;
