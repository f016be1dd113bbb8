//! Tiles: sixteen rows of 64 bytes in a register, multiplied with one another in one instruction.
//!
//! The tiles' shapes are a state of the thread that the compiler knows nothing of. [`Set`] puts them up and takes them
//! down; between the two only this file's instructions read them.

use std::arch::{
    asm,
    x86_64::{__cpuid_count, _xgetbv},
};

use super::{
    LANES, Quads,
    lanes::{TileRows, TileSums},
};

/// Bytes in a row of a tile, and rows in a tile, at most.
const TILE_BYTES: usize = 64;
const TILE_ROWS: usize = 16;

/// Whether the processor has tiles and the system lets this process use them.
pub(super) fn is_granted() -> bool {
    static GRANTED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *GRANTED.get_or_init(|| has_tiles() && ask())
}

fn has_tiles() -> bool {
    if cfg!(miri) {
        return false;
    }
    const OSXSAVE: u32 = 1 << 27;
    const TILE_AND_INT8: u32 = 1 << 24 | 1 << 25;
    const STATES: u64 = 1 << 17 | 1 << 18;
    if __cpuid_count(0, 0).eax < 7 || __cpuid_count(1, 0).ecx & OSXSAVE == 0 {
        return false;
    }
    // SAFETY: the processor has just said that the system uses `xsave`.
    let states = unsafe { enabled_states() };
    let features = __cpuid_count(7, 0).edx;
    features & TILE_AND_INT8 == TILE_AND_INT8 && states & STATES == STATES
}

#[target_feature(enable = "xsave")]
fn enabled_states() -> u64 {
    // SAFETY: register 0 exists wherever the instruction does.
    unsafe { _xgetbv(0) }
}

/// Linux hands out the 8 KiB a thread that tiles take only to processes that ask.
#[cfg(target_os = "linux")]
fn ask() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const REQUEST_PERMISSION: i64 = 0x1023;
    const TILE_DATA: i64 = 18;
    let answer: i64;
    // SAFETY: this call reads nothing of ours and changes only what the process may use; the kernel keeps all registers
    // but the three named.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => answer,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer == 0
}

#[cfg(not(target_os = "linux"))]
fn ask() -> bool {
    false
}

/// Tiles that stand ready until this is dropped.
pub(super) struct Set(());

#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Set {
    /// Sums in tiles 0 to 3, rows of `depth` quads in 4 and 5, `depth` rows of a panel in 6 and 7.
    ///
    /// # Safety
    /// Tiles must have been granted.
    #[inline(always)]
    pub(super) unsafe fn up(depth: usize) -> Self {
        let quads = u8::try_from(depth.clamp(1, TILE_ROWS)).unwrap_or(1);
        let (full, whole) = (TILE_BYTES as u16, TILE_ROWS as u8);
        let (short, less) = (u16::from(quads) * 4, quads);
        let shapes = Shapes {
            palette: 1,
            start_row: 0,
            reserved: [0; 14],
            row_bytes: [full, full, full, full, short, short, full, full, 0, 0, 0, 0, 0, 0, 0, 0],
            rows: [whole, whole, whole, whole, whole, whole, less, less, 0, 0, 0, 0, 0, 0, 0, 0],
        };
        // SAFETY: reads the 64 bytes of `shapes`; the caller says that tiles are granted.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const shapes, options(nostack, readonly)) }
        Self(())
    }
}

impl Drop for Set {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: a set exists only where tiles are granted.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }
}

/// Sixteen or thirty-two rows times two panels → sums.
///
/// # Safety
/// A [`Set`] of `rows.depth` must be up.
#[inline(always)]
#[expect(clippy::panic, reason = "slices that are too short must not be walked over")]
pub(super) unsafe fn multiply(rows: TileRows, panels: [&[Quads]; 2], sums: &mut TileSums) {
    let [first, second] = panels;
    let TileRows { bytes, stride, is_pair, depth } = rows;
    let steps = first.len() / depth;
    let count = if is_pair { 2 * TILE_ROWS } else { TILE_ROWS };
    if steps == 0 || second.len() < steps * depth || bytes.len() < (count - 1) * stride + steps * depth * 4 {
        panic!("tiles beyond the ends of rows or panels");
    }
    let walk = Walk { row: bytes.as_ptr(), panels: [first.as_ptr(), second.as_ptr()], stride, depth, steps };
    // SAFETY: the walk goes over `steps · depth` quads of so many rows and of two panels, which the lengths above allow.
    unsafe { if is_pair { pair(walk, &mut sums.0) } else { single(walk, &mut sums.0) } }
}

/// Where the tiles begin and how far they go.
struct Walk {
    row: *const u8,
    panels: [*const Quads; 2],
    stride: usize,
    depth: usize,
    steps: usize,
}

type Sums = [[[[i32; LANES]; TILE_ROWS]; 2]; 2];

/// # Safety
/// Thirty-two rows and both panels must be as long as the walk.
#[inline(always)]
unsafe fn pair(walk: Walk, sums: &mut Sums) {
    let Walk { row, panels: [panel, other], stride, depth, steps } = walk;
    let [[sums00, sums01], [sums10, sums11]] = sums;
    // SAFETY: the loads stay within the walk, the stores fill four times sixteen rows of sixteen sums.
    unsafe {
        asm!(
            "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
            "2:",
            "tileloadd tmm6, [{panel} + {line}]",
            "tileloadd tmm7, [{other} + {line}]",
            "tileloadd tmm4, [{row} + {stride}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{below} + {stride}]",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {row}, {row_step}",
            "add {below}, {row_step}",
            "add {panel}, {panel_step}",
            "add {other}, {panel_step}",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{sums00} + {line}], tmm0",
            "tilestored [{sums01} + {line}], tmm1",
            "tilestored [{sums10} + {line}], tmm2",
            "tilestored [{sums11} + {line}], tmm3",
            row = inout(reg) row => _,
            below = inout(reg) row.add(TILE_ROWS * stride) => _,
            panel = inout(reg) panel => _,
            other = inout(reg) other => _,
            steps = inout(reg) steps => _,
            stride = in(reg) stride,
            line = in(reg) TILE_BYTES,
            row_step = in(reg) depth * 4,
            panel_step = in(reg) depth * TILE_BYTES,
            sums00 = in(reg) sums00.as_mut_ptr(),
            sums01 = in(reg) sums01.as_mut_ptr(),
            sums10 = in(reg) sums10.as_mut_ptr(),
            sums11 = in(reg) sums11.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// # Safety
/// Sixteen rows and both panels must be as long as the walk.
#[inline(always)]
unsafe fn single(walk: Walk, sums: &mut Sums) {
    let Walk { row, panels: [panel, other], stride, depth, steps } = walk;
    let [[sums00, sums01], _] = sums;
    // SAFETY: the loads stay within the walk, the stores fill twice sixteen rows of sixteen sums.
    unsafe {
        asm!(
            "tilezero tmm0", "tilezero tmm1",
            "2:",
            "tileloadd tmm6, [{panel} + {line}]",
            "tileloadd tmm7, [{other} + {line}]",
            "tileloadd tmm4, [{row} + {stride}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "add {row}, {row_step}",
            "add {panel}, {panel_step}",
            "add {other}, {panel_step}",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{sums00} + {line}], tmm0",
            "tilestored [{sums01} + {line}], tmm1",
            row = inout(reg) row => _,
            panel = inout(reg) panel => _,
            other = inout(reg) other => _,
            steps = inout(reg) steps => _,
            stride = in(reg) stride,
            line = in(reg) TILE_BYTES,
            row_step = in(reg) depth * 4,
            panel_step = in(reg) depth * TILE_BYTES,
            sums00 = in(reg) sums00.as_mut_ptr(),
            sums01 = in(reg) sums01.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
