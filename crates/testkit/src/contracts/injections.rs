//! Two hundred texts that mean something to a database, a web server, a template or a shell, and must mean nothing here.

/// What such texts are made of: each piece is tried alone and with every beginning.
const PIECES: [&str; 34] = [
    "' OR '1'='1",
    "' OR 1=1 --",
    "'; DROP TABLE invoices; --",
    "'; DELETE FROM refund_cases; --",
    "' UNION SELECT user_id, invoice_id, amount_pln FROM invoices --",
    "'; UPDATE invoices SET user_id = 'u-1001'; --",
    "'; ATTACH DATABASE 'x' AS y; --",
    "'; COMMIT; --",
    "' || (SELECT user_id FROM invoices LIMIT 1) || '",
    "\" OR \"\"=\"",
    "') OR ('1'='1",
    "%",
    "_-____",
    "*",
    "?",
    ":user_id",
    "$1",
    "@user_id",
    "{user_id}",
    "{{user_id}}",
    "${jndi:ldap://x}",
    "$(id)",
    "`id`",
    "| cat /etc/passwd",
    "../u-1002",
    "..",
    "/",
    "%2e%2e%2fu-1002",
    "?user_id=u-1002",
    "#u-1002",
    "&user_id=u-1002",
    "\\",
    "\r\nX-Key: a",
    "\0",
];

/// What they begin with: nothing, real ids, and characters that are easily overlooked.
const BEGINNINGS: [&str; 6] = ["", "u-1001", "F-1", " ", "\u{202e}", "1 "];

/// The texts, every one different, none of them an id.
pub fn injections() -> Vec<String> {
    let pairs = BEGINNINGS.iter().flat_map(|start| PIECES.iter().map(move |piece| format!("{start}{piece}")));
    let texts: Vec<String> = pairs.collect();
    assert!(texts.len() >= 200, "{}", texts.len());
    texts
}
