//! A text → about how many tokens a model reads it as, without asking one.

/// About how many tokens a text has: a word of up to seven letters is one, longer ones and other signs are more.
#[must_use]
pub fn tokens(text: &str) -> f32 {
    text.split_whitespace()
        .map(|word| {
            let letters = word.chars().filter(|c| c.is_ascii_alphanumeric()).count();
            let signs = word.chars().count() - letters;
            #[expect(clippy::cast_precision_loss, reason = "a word has few letters")]
            let size = (letters as f32 / 7.0).ceil().max(f32::from(u8::from(letters > 0))) + signs as f32;
            size
        })
        .sum()
}
