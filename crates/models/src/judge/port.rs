//! The judge as its failures name it.

pub(super) const PORT: &str = "judge";
