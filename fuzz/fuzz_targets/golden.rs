//! A golden set: a question for every line that says something, or the first line that is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_evals::golden;

fuzz_target!(|text: &str| {
    match golden::read(text) {
        Ok(questions) => {
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            assert_eq!(questions.len(), lines.len(), "a question for every line");
            for (question, line) in questions.iter().zip(lines) {
                assert_eq!(golden::read(line).ok().as_deref(), Some(std::slice::from_ref(question)));
                assert_eq!(question.conversation().len(), question.chat_history.len());
                assert_eq!(question.tenant.clone().unwrap_or_else(|| "default".to_owned()), question.reader().tenant);
            }
        }
        Err(wrong) => {
            let before: String = text.lines().take(wrong.line - 1).map(|line| format!("{line}\n")).collect();
            assert!(golden::read(&before).is_ok(), "line {} is not the first that is wrong", wrong.line);
        }
    }
});
