//! Tools of a profile over each kind of source: the contract, what is refused when they are built, hostile and endless work.

mod http;
mod office;
#[cfg(unix)]
mod postgres;
mod sqlite;
