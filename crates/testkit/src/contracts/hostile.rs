//! Texts nobody should send and somebody will, each with a name to complain under.

/// Every text; none of them is a plain sentence.
pub(super) fn texts() -> Vec<(&'static str, String)> {
    let many: Vec<String> = (0..20_000).map(|n| format!("word{}", n % 300)).collect();
    let mixed = "The mast, मस्तूल, 桅杆, الصاري and 🗼 are é\u{301}\u{301} one.";
    vec![
        ("20,000 words", many.join(" ")),
        ("20,000 sentences", "The mast is tall. ".repeat(20_000)),
        ("nothing", String::new()),
        ("white space", " \n\t\r\n\u{a0}\u{2003} ".to_owned()),
        ("emoji", "🗼🌧️👩‍🔧🇳🇴".to_owned()),
        ("Chinese", "桅杆高两米。雨量计每天早上清空。".to_owned()),
        ("Arabic", "يبلغ ارتفاع الصاري مترين. يُفرَّغ مقياس المطر كل صباح.".to_owned()),
        ("Devanagari", "मस्तूल दो मीटर ऊँचा है। वर्षामापी हर सुबह खाली किया जाता है।".to_owned()),
        ("scripts mixed", mixed.to_owned()),
        ("a word of 10,000 characters", "é".repeat(10_000)),
        ("control characters", "\0\u{1}\u{7}\u{8}\u{1b}[31m\u{7f}\u{85}".to_owned()),
        ("control characters alone", "\0\u{1}\u{7}\u{8}".to_owned()),
        ("unseen characters", "\u{feff}\u{200b}\u{202e}\u{2066}".to_owned()),
        ("combining marks alone", "\u{301}\u{327}\u{301}".to_owned()),
        ("signs alone", "... ?! | --- | ``` ***".to_owned()),
        ("marks of a tokenizer", "[CLS] mast [SEP] [PAD] [MASK] [UNK] </s>".to_owned()),
    ]
}
