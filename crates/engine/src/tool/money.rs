//! Words → an amount of one currency. An amount of another currency is none.

/// What may stand within a number.
fn is_figure(c: char) -> bool {
    c.is_ascii_digit() || c == '.' || c == ','
}

/// How an amount is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    /// Only beside its currency.
    Not,
    /// Also by itself, where it was asked for.
    Allowed,
}

/// The first amount of the currency in the words.
pub(super) fn amount(words: &str, currency: &[String], bare: Bare) -> Option<f64> {
    let tokens = tokens(words);
    let is_own = |token: &str| currency.iter().any(|own| own.to_lowercase() == token.to_lowercase());
    let beside =
        |at: usize| [at.checked_sub(1), at.checked_add(1)].into_iter().flatten().filter_map(|at| tokens.get(at));
    let figures = || tokens.iter().enumerate().filter_map(|(at, token)| Some((at, value(token)?)));
    let is_number = |at: usize| tokens.get(at).is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit()));
    // Neither a part of a longer number nor a negative one.
    let is_whole = |at: usize| {
        let before = at.checked_sub(1);
        let sign = before
            .and_then(|at| tokens.get(at))
            .is_some_and(|token| matches!(token.as_str(), "-" | "−" | "–" | "minus"));
        !sign && !is_number(at + 1) && !before.is_some_and(is_number)
    };
    let mut own = figures().filter(|(at, _)| beside(*at).any(|token| is_own(token)));
    if own
        .clone()
        .any(|(at, value)| !is_whole(at) || own.clone().any(|(_, other)| (other - value).abs() > f64::EPSILON))
    {
        return None;
    }
    let named = own.next();
    let is_foreign = |token: &String| is_currency(token) && !is_own(token);
    let alone = || {
        let mut own = figures().filter(|(at, _)| is_whole(*at) && !beside(*at).any(is_foreign));
        own.next().filter(|_| bare == Bare::Allowed && figures().count() == 1)
    };
    named.or_else(alone).map(|(_, value)| value).filter(|value| *value > 0.0)
}

/// Words, numbers and signs, each by itself.
fn tokens(words: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for c in words.chars() {
        let sort = if c.is_ascii_digit() || (is_figure(c) && last == Some(1)) {
            1
        } else if c.is_alphanumeric() || matches!(c, '-' | '_') {
            2
        } else if c.is_whitespace() {
            0
        } else {
            3
        };
        // Digits within a word belong to the word: INV-26101007 is no amount.
        let sort = if sort == 1 && last == Some(2) && !ends_a_currency(tokens.last()) { 2 } else { sort };
        match (tokens.last_mut(), sort) {
            (_, 0) => {}
            (Some(token), 1 | 2) if last == Some(sort) => token.push(c),
            (_, _) => tokens.push(c.to_string()),
        }
        last = Some(sort);
    }
    tokens
}

/// Whether a word could be a currency that a number follows without a space, such as in "PLN150".
fn ends_a_currency(token: Option<&String>) -> bool {
    token.is_some_and(|token| token.len() == 3 && token.chars().all(|c| c.is_ascii_uppercase()))
}

fn is_currency(token: &str) -> bool {
    let is_code = token.len() == 3 && token.chars().all(|c| c.is_ascii_uppercase());
    let is_sign = matches!(token, "€" | "$" | "£" | "¥" | "₴" | "₽");
    let name = token.to_lowercase();
    is_code
        || is_sign
        || matches!(name.as_str(), "eur" | "euro" | "euros" | "usd" | "dollar" | "dollars" | "gbp" | "pounds" | "chf")
}

/// The number of a token: whole, with thousands in groups of three, and with two digits of cents at most. Any other spelling could mean
/// two things.
fn value(token: &str) -> Option<f64> {
    let figures = token.trim_end_matches(['.', ',']);
    if figures.is_empty() || !figures.chars().all(is_figure) || figures.len() > 12 {
        return None;
    }
    let groups: Vec<&str> = figures.split(['.', ',']).collect();
    let (last, before) = groups.split_last()?;
    let is_group = |group: &&str| group.len() == 3;
    let (whole, cents): (Vec<&str>, &str) = match (before.first(), last.len()) {
        (None, _) => (vec![last], ""),
        (Some(_), 1 | 2) => (before.to_vec(), last),
        // "1.239" may be cents or thousands; "1.234.567" is thousands alone.
        (Some(_), 3) if before.len() > 1 => (groups.clone(), ""),
        (Some(_), _) => return None,
    };
    let is_grouped = whole.iter().skip(1).all(is_group);
    let begins_well = whole.first().is_some_and(|first| whole.len() == 1 || (1..=3).contains(&first.len()));
    (is_grouped && begins_well).then(|| format!("{}.{cents}0", whole.concat()).parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Bare, amount};

    fn zloty(words: &str, bare: Bare) -> Option<f64> {
        amount(words, &["PLN".to_owned(), "zł".to_owned()], bare)
    }

    #[test]
    fn amounts_are_read_in_their_currency() {
        for words in
            ["overcharged by PLN 150", "150 zł too much", "150.00 PLN", "PLN150", "by 150,00 pln.", "PLN 150, please"]
        {
            assert_eq!(zloty(words, Bare::Not), Some(150.0), "{words}");
        }
        assert_eq!(zloty("1,234.50 PLN", Bare::Not), Some(1234.5));
    }

    #[test]
    fn another_currency_and_other_numbers_are_no_amount() {
        for words in ["€150", "150 EUR", "150", "INV-26101007", "on 5 October", "$150 of it", "minus"] {
            assert_eq!(zloty(words, Bare::Not), None, "{words}");
        }
        assert_eq!(zloty("150 EUR", Bare::Allowed), None);
        assert_eq!(zloty("it was 150", Bare::Allowed), Some(150.0));
        assert_eq!(zloty("150 or 160", Bare::Allowed), None, "which of them?");
        assert_eq!(zloty("PLN 0", Bare::Not), None);
        for words in [
            "PLN 1 500,50",
            "PLN 0.001",
            "PLN 1.239",
            "PLN15.5.3",
            "minus 15 PLN",
            "PLN -15",
            "my plan is PLN 45.00 but I was overcharged by PLN 15",
        ] {
            assert_eq!(zloty(words, Bare::Not), None, "{words} means several things or none");
        }
        assert_eq!(zloty("PLN 15 of it, PLN 15 I said", Bare::Not), Some(15.0));
    }
}
