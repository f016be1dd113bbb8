//! Pieces of arithmetic → the same arithmetic on the widest vectors this processor has. All `unsafe` of the crate is here.
//!
//! What makes it sound:
//! - A [`Path`] other than the portable one comes only from [`Path::available`], which asks the processor; the token a
//!   path hands to a [`Task`] (`Avx512`, `Avx2`, …) cannot be made outside its file. Whoever holds a token may therefore
//!   use the instructions it stands for.
//! - Memory is touched only through references to arrays as long as the access. The tiles of `amx` are the one
//!   exception: they walk over slices whose lengths are checked against the walk before it begins.
//! - Every path gives the same bits: sums are taken in one order, products are fused on all paths, integer products
//!   cannot overflow (see [`Lanes::dot`]). The portable path, which has no `unsafe`, is the reference.
#![expect(unsafe_code, reason = "vector instructions are called here and nowhere else")]

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

pub use lanes::Line;
pub(crate) use lanes::{LANES, Lanes, Quads, TileRows, TileSums};

/// Arithmetic that can be done on any path. Whatever `on` calls must be `inline(always)`, or it is compiled without the
/// path's instructions.
pub(crate) trait Task {
    /// Does it.
    fn on<L: Lanes>(self, lanes: L);
}

/// The instructions to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Amx,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Path {
    /// Plain Rust, as compiled for any processor of this architecture: what all others are compared with.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// Every path this processor can take, the fastest first; the portable one is always last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            found.extend((avx512::is_here() && amx::is_granted()).then_some(Self(Kind::Amx)));
            found.extend(avx512::is_here().then_some(Self(Kind::Avx512Vnni)));
            found.extend(avx2::has_vnni().then_some(Self(Kind::AvxVnni)));
            found.extend(avx2::is_here().then_some(Self(Kind::Avx2)));
        }
        #[cfg(target_arch = "aarch64")]
        found.extend(neon::is_here().then_some(Self(Kind::Neon)));
        found.push(Self::PORTABLE);
        found
    }

    /// The fastest one.
    #[must_use]
    pub fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self::PORTABLE)
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni => "avx-vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => "avx512-vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Amx => "amx",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
        }
    }

    /// Does a task with this path's instructions.
    pub(crate) fn run(self, task: impl Task) {
        match self.0 {
            Kind::Portable => task.on(portable::Portable),
            // SAFETY: a path of these kinds was made by `available`, which found their instructions.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run(task) },
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni => unsafe { avx2::run_vnni(task) },
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => unsafe { avx512::run(task) },
            #[cfg(target_arch = "x86_64")]
            Kind::Amx => unsafe { avx512::run_amx(task) },
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::run(task) },
        }
    }
}
