//! Sound files → the same cut off, changed, lengthened, under the wrong ending, empty, and no such file at all.

use super::File;
use crate::support::draw::Draw;

/// Where files are cut off, in parts of a hundred.
const CUTS: &[usize] = &[10, 35, 60, 85, 99];
/// How often a file is changed at random.
const CHANGED: u64 = 3;

/// Every way in which the sound files go wrong.
pub(super) fn files(sound: &[File]) -> Vec<File> {
    let next = sound.iter().cycle().skip(1);
    sound.iter().zip(next).flat_map(|(file, next)| of(file, next)).collect()
}

fn of(file: &File, next: &File) -> Vec<File> {
    let ending = ending(file);
    let named = |what: &str, bytes: Vec<u8>| File::new(format!("{what}.{ending}"), bytes);
    let cut = |part: usize| file.bytes.get(..file.bytes.len() * part / 100).unwrap_or_default().to_vec();
    let mut files: Vec<File> = CUTS.iter().map(|part| named(&format!("cut-{part}"), cut(*part))).collect();
    files.extend((0..CHANGED).map(|seed| named(&format!("changed-{seed}"), changed(&file.bytes, seed))));
    files.push(named("before", [vec![0xff; 700], file.bytes.clone()].concat()));
    files.push(named("after", [file.bytes.clone(), vec![0xfe; 700]].concat()));
    files.push(named("twice", [file.bytes.clone(), file.bytes.clone()].concat()));
    files.push(named("empty", Vec::new()));
    files.push(named("nothing", vec![0; 3_000]));
    files.push(named("noise", noise(3_000)));
    files.push(named(&format!("really-{}", self::ending(next)), next.bytes.clone()));
    files
}

fn ending(file: &File) -> &str {
    file.name.rsplit('.').next().unwrap_or_default()
}

/// One byte in fifty is another.
fn changed(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut draw = Draw::from(seed);
    bytes.iter().map(|byte| if draw.below(50) == 0 { byte_of(&mut draw) } else { *byte }).collect()
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut draw = Draw::from(7);
    (0..bytes).map(|_| byte_of(&mut draw)).collect()
}

fn byte_of(draw: &mut Draw) -> u8 {
    u8::try_from(draw.below(256)).unwrap_or_default()
}
