//! Whether two words may be one in two spellings: by sound, as transliterations are, or by a slip of the hand.

/// How near another spelling is; less is nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// They sound alike, whatever marks or letters write it.
    SameSound,
    /// So many letters differ.
    Slips(usize),
}

/// A word shorter than this is read as it stands.
const LETTERS_MIN: usize = 4;
/// From these lengths on one slip, and two, are forgiven.
const ONE_SLIP: usize = 6;
const TWO_SLIPS: usize = 9;

/// Reads a folded word as another spelling of a known one; none where they are two words. A word with a digit is only
/// itself.
#[must_use]
pub fn other_spelling(asked: &str, known: &str) -> Option<Nearness> {
    let is_word = |word: &str| word.chars().count() >= LETTERS_MIN && word.chars().all(char::is_alphabetic);
    if asked == known || !is_word(asked) || !is_word(known) {
        return None;
    }
    if sound(asked) == sound(known) {
        return Some(Nearness::SameSound);
    }
    let shorter = asked.chars().count().min(known.chars().count());
    let allowed = if shorter >= TWO_SLIPS { 2 } else { usize::from(shorter >= ONE_SLIP) };
    let slips = distance(asked, known, allowed)?;
    Some(Nearness::Slips(slips))
}

/// What is left of a folded word when the ways of writing one sound are made one: `sh` and `s`, `ee` and `i`, `w` and `v`,
/// `ri` and a vocal `r`, doubled letters.
#[must_use]
pub fn sound(word: &str) -> String {
    let mut sound = word.replace('x', "ks").replace("ph", "f").replace("ngk", "nk");
    for (written, heard) in [
        ("sh", "s"),
        ("ch", "c"),
        ("kh", "k"),
        ("gh", "g"),
        ("th", "t"),
        ("dh", "d"),
        ("bh", "b"),
        ("jh", "j"),
        ("lh", "l"),
    ] {
        sound = sound.replace(written, heard);
    }
    let letters = sound.chars().map(|c| match c {
        'w' => 'v',
        'e' | 'y' => 'i',
        'o' => 'u',
        other => other,
    });
    let mut heard = String::with_capacity(sound.len());
    for letter in letters {
        let is_doubled = heard.ends_with(letter);
        let is_vocal = letter == 'i' && heard.ends_with('r');
        if !is_doubled && !is_vocal {
            heard.push(letter);
        }
    }
    heard
}

/// Letters put in, left out, exchanged or swapped with a neighbour; none where they are more than allowed.
fn distance(left: &str, right: &str, allowed: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > allowed {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let at = |line: &[usize], place: usize| line.get(place).copied().unwrap_or(usize::MAX - 1);
            let exchanged = at(&last, column) + usize::from(a != b);
            let mut best = exchanged.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let swapped =
                row > 0 && column > 0 && left.get(row - 1) == Some(b) && right.get(column - 1) == Some(a) && a != b;
            if swapped {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().filter(|slips| *slips <= allowed)
}

#[cfg(test)]
mod tests {
    use super::{Nearness, other_spelling};

    #[test]
    fn transliterations_sound_alike() {
        let pairs = [
            ("varnashrama", "varnasrama"),
            ("kshelma", "kselma"),
            ("rimeta", "rmeta"),
            ("oordhani", "urdhani"),
            ("krishna", "krsna"),
            ("wanira", "vanira"),
            ("bhagavat", "bagavat"),
            ("angkeri", "ankeri"),
        ];
        for (asked, known) in pairs {
            assert_eq!(other_spelling(asked, known), Some(Nearness::SameSound), "{asked} {known}");
        }
    }

    #[test]
    fn a_slip_is_forgiven_in_a_long_word_alone() {
        assert_eq!(other_spelling("chanel", "channel"), Some(Nearness::SameSound));
        assert_eq!(other_spelling("retension", "retention"), Some(Nearness::Slips(1)));
        assert_eq!(other_spelling("transofrmer", "transformer"), Some(Nearness::Slips(1)));
        for (asked, known) in
            [("mast", "mask"), ("price", "prince"), ("pump", "lump"), ("adr12", "adr13"), ("mast", "mast")]
        {
            assert_eq!(other_spelling(asked, known), None, "{asked} {known}");
        }
    }
}
