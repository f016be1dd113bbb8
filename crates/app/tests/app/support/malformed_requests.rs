//! Requests that are wrong in every way we could think of, from a seed: the same seed gives the same bytes.
#![expect(clippy::indexing_slicing, reason = "places come from the length of what they are in")]

/// A small generator of numbers (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// Bytes to send, and whether nothing more comes after them.
pub struct Malformed {
    pub what: &'static str,
    pub bytes: Vec<u8>,
    pub is_cut: bool,
}

const POSTS: &[(&str, &str)] = &[
    (
        "/v1/ask",
        r#"{"query":"How many days of leave?","chat_history":[{"role":"user","content":"Hello"}],"explain":true}"#,
    ),
    ("/v1/ask", r#"{"query":"What is the code word of the other tenant?","tags":["secret"],"max_context_chunks":3}"#),
    ("/v1/ask/stream", r#"{"query":"What is the code word?","explain":false}"#),
    ("/v1/search", r#"{"query":"the code word of the other tenant","k":10,"lane":"all"}"#),
    ("/v1/check", r#"{"id":1,"claim":"Staff have 26 days.","evidence":["Staff have 26 days of leave."]}"#),
    ("/v1/documents", r#"{"id":"fuzz/a","title":"A","text":"Words of a document.","tags":["x"]}"#),
    ("/v1/documents", r#"[{"id":"fuzz/b","text":"More words."},{"id":"b-secret","text":"Mine now.","tags":[]}]"#),
    ("/v1/memory", r#"{"id":"fuzz","phrases":["code word"],"note":"A note.","references":["b-secret"],"tags":[]}"#),
    (
        "/v1/chat/completions",
        r#"{"model":"vouch","messages":[{"role":"user","content":"The code word?"}],"stream":true}"#,
    ),
    (
        "/v1/sign-in",
        r#"{"code":"a","code_verifier":"0123456789012345678901234567890123456789012","redirect_uri":"http://a/"}"#,
    ),
    ("/v1/feedback", r#"{"request_id":"req-1","helpful":true,"comment":"Words."}"#),
];
const PATHS: &[&str] = &[
    "/v1/documents",
    "/v1/documents/b-secret",
    "/v1/documents/fuzz/none",
    "/v1/memory",
    "/v1/memory/none",
    "/v1/terms",
    "/v1/audit/req-1",
    "/v1/sign-in",
    "/v1/models",
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/metrics",
    "/",
    "/v1/ask",
    "/v1/nothing",
];
const METHODS: &[&str] = &[
    "PUT", "PATCH", "TRACE", "OPTIONS", "CONNECT", "HEAD", "DELETE", "GET", "POST", "FOO", "get", "PROPFIND", "PRI",
    "G\u{e9}T", "",
];
const VALUES: &[&str] = &[
    "null",
    "true",
    "-1",
    "0",
    "1e999",
    "-1e999",
    "18446744073709551616",
    "9007199254740993",
    "1.5",
    "\"\"",
    "\" \"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "[]",
    "{}",
    "[[]]",
    "{\"a\":{}}",
    "[null]",
    "[1,2]",
    "\"\\",
    "\"\u{202e}\"",
    "NaN",
    "Infinity",
    "0x10",
    "01",
    "+1",
    "'a'",
    "{\"tenant\":\"b\"}",
    "[\"b\"]",
    "\"b\"",
    "\"../../etc/passwd\"",
    "\"%00\"",
];
const ODD: &[&[u8]] = &[
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\x00",
    b"\x1b[2J",
    b"\xe2\x28\xa1",
    b"\xef\xbf\xbe",
    b"\xfe\xff",
];

/// The next request. `key` is a header that opens one tenant; some requests carry it, some a wrong one, some none.
pub fn next(dice: &mut Dice, key: &str) -> Malformed {
    let key = match dice.below(10) {
        0 => "",
        1 => "Authorization: Bearer vk_wrong\r\n",
        _ => key,
    };
    let whole = |what, bytes| Malformed { what, bytes, is_cut: false };
    match dice.below(12) {
        0 => whole("mutated JSON", mutated(dice, key)),
        1 => whole("wrong types", wrong_types(dice, key)),
        2 => whole("deep nesting", nested(dice, key)),
        3 => whole("broken UTF-8", broken_text(dice, key)),
        4 => Malformed { what: "wrong length", bytes: wrong_length(dice, key), is_cut: true },
        5 => Malformed { what: "chunked garbage", bytes: chunked(dice, key), is_cut: true },
        6 => whole("headers", headers(dice, key)),
        7 => whole("paths", path(dice, key)),
        8 => Malformed { what: "methods", bytes: method(dice, key), is_cut: true },
        9 => Malformed { what: "cut off", bytes: cut(dice, key), is_cut: true },
        10 => Malformed { what: "pipelined", bytes: pipelined(dice, key), is_cut: true },
        _ => Malformed { what: "no HTTP", bytes: garbage(dice), is_cut: true },
    }
}

fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn mutated(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let mut body = body.as_bytes().to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(body.len());
        match dice.below(4) {
            0 => body[at] ^= 1 << dice.below(8),
            1 => drop(body.remove(at)),
            2 => body.insert(at, *dice.one(b"{}[]\",:\\0aZ\x00\x7f\n")),
            _ => {
                let end = (at + 1 + dice.below(20)).min(body.len());
                let copied = body[at..end].to_vec();
                body.splice(at..at, copied);
            }
        }
        if body.is_empty() {
            break;
        }
    }
    post(path, key, &body)
}

fn wrong_types(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let value = *dice.one(VALUES);
    let names: Vec<&str> = body.split('"').skip(1).step_by(2).collect();
    let name = *dice.one(&names);
    let body = match dice.below(4) {
        0 => value.to_owned(),
        1 => body.replacen(&format!("\"{name}\":"), &format!("\"{name}\":{value},\"{name}\":"), 1),
        2 => body.replacen(&format!("\"{name}\""), value, 1),
        _ => format!("{{\"{name}\":{value},\"tenant\":\"b\"}}"),
    };
    post(path, key, body.as_bytes())
}

fn nested(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let depth = 1 << (5 + dice.below(13));
    let (open, close) = *dice.one(&[("[", "]"), ("{\"a\":", "}"), ("{\"query\":", "}"), ("[{\"id\":", "}]")]);
    let deep =
        format!("{}1{}", open.repeat(depth), if dice.below(2) == 0 { close.repeat(depth) } else { String::new() });
    let body = if dice.below(2) == 0 { deep } else { body.replacen(':', &format!(":{deep},\"z\":"), 1) };
    post(path, key, body.as_bytes())
}

fn broken_text(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let mut body = body.as_bytes().to_vec();
    for _ in 0..=dice.below(5) {
        let at = dice.below(body.len());
        let odd = dice.one(ODD).to_vec();
        body.splice(at..at, odd);
    }
    post(path, key, &body)
}

fn wrong_length(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let length = match dice.below(8) {
        0 => format!("Content-Length: {}\r\n", body.len() + 1 + dice.below(1_000)),
        1 => format!("Content-Length: {}\r\n", dice.below(body.len())),
        2 => "Content-Length: -1\r\n".to_owned(),
        3 => "Content-Length: 99999999999999999999\r\n".to_owned(),
        4 => "Content-Length: 18446744073709551615\r\n".to_owned(),
        5 => format!("Content-Length: {}\r\nContent-Length: {}\r\n", body.len(), body.len() + 1),
        6 => "Content-Length: twelve\r\n".to_owned(),
        _ => String::new(),
    };
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{key}{length}\r\n{body}").into_bytes()
}

fn chunked(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let coding = *dice.one(&["chunked", "Chunked", "chunked, chunked", "gzip, chunked", "identity", "\x0bchunked"]);
    let size = match dice.below(7) {
        0 => "ffffffffffffffff".to_owned(),
        1 => "zz".to_owned(),
        2 => "-5".to_owned(),
        3 => format!("{:x};{}", body.len(), "e".repeat(dice.below(20_000))),
        4 => format!("{:x}", body.len() + dice.below(50)),
        5 => format!("0{:x}", body.len()),
        _ => format!("{:x}", body.len()),
    };
    let both = if dice.below(3) == 0 { "Content-Length: 5\r\n" } else { "" };
    let end = *dice.one(&["0\r\n\r\n", "0\r\nx: y\r\n\r\n", "", "0", "0\r\n\n", "\r\n\r\n"]);
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{key}{both}Transfer-Encoding: {coding}\r\n\r\n{size}\r\n{body}\r\n{end}"
    )
    .into_bytes()
}

fn headers(dice: &mut Dice, key: &str) -> Vec<u8> {
    let odd = dice.one(ODD).to_vec();
    let extra: Vec<u8> = match dice.below(10) {
        0 => (0..dice.below(500)).flat_map(|n| format!("x-{n}: {n}\r\n").into_bytes()).collect(),
        1 => format!("x-long: {}\r\n", "y".repeat(dice.below(100_000))).into_bytes(),
        2 => [b"x-odd: ".as_slice(), &odd, b"\r\n"].concat(),
        3 => [&odd, b": value\r\n".as_slice()].concat(),
        4 => [b"x-request-id: ".as_slice(), &odd, b"\r\nx-request-id: <script>\r\n"].concat(),
        5 => format!("Authorization: Bearer {}\r\n", "k".repeat(dice.below(20_000))).into_bytes(),
        6 => b"Authorization: Bearer \r\nAuthorization: Basic YTpi\r\n".to_vec(),
        7 => b"Expect: 100-continue\r\nUpgrade: websocket\r\nConnection: upgrade\r\n".to_vec(),
        8 => b"Content-Type: text/\x80\r\nAccept: \r\nOrigin: http://evil.example\r\n".to_vec(),
        _ => b" folded\r\n\tmore\r\nno colon here\r\n".to_vec(),
    };
    let path = dice.one(PATHS);
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{key}");
    [head.as_bytes(), &extra, b"\r\n"].concat()
}

fn path(dice: &mut Dice, key: &str) -> Vec<u8> {
    let base = *dice.one(PATHS);
    let mut tail: Vec<u8> = Vec::new();
    for _ in 0..=dice.below(6) {
        let odd = dice.one(ODD).to_vec();
        let random = format!("%{:02x}", dice.below(256)).into_bytes();
        let long = "a/".repeat(dice.below(3) * dice.below(40_000) / 2).into_bytes();
        let pieces: [&[u8]; 14] = [
            b"/",
            b"//",
            b"/../",
            b"%2e%2e%2f",
            b"%00",
            b"%ff%fe",
            b"%zz",
            b"%",
            b"%25%32%66",
            &random,
            &odd,
            &long,
            b"?limit=-1&limit=2&after=%80",
            b"?term=%F0%28%8C%28&kind[]=a&=&&",
        ];
        let piece: &&[u8] = dice.one(&pieces);
        tail.extend_from_slice(piece);
    }
    let method = *dice.one(&["GET", "DELETE", "HEAD"]);
    let head = format!("{method} {base}");
    let rest = format!(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{key}\r\n");
    [head.as_bytes(), &tail, rest.as_bytes()].concat()
}

fn method(dice: &mut Dice, key: &str) -> Vec<u8> {
    let method = *dice.one(METHODS);
    let long = "M".repeat(dice.below(2) * dice.below(3_000));
    let known = *dice.one(PATHS);
    let path = *dice.one(&[known, "*", "http://other.example/v1/documents", "here:443", "?"]);
    let version = *dice.one(&["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9.9", "http/1.1", ""]);
    format!("{method}{long} {path} {version}\r\nHost: localhost\r\nConnection: close\r\n{key}Content-Length: 0\r\n\r\n")
        .into_bytes()
}

fn cut(dice: &mut Dice, key: &str) -> Vec<u8> {
    let (path, body) = *dice.one(POSTS);
    let mut bytes = post(path, key, body.as_bytes());
    bytes.truncate(dice.below(bytes.len()));
    bytes
}

fn pipelined(dice: &mut Dice, key: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=dice.below(5) {
        let path = dice.one(PATHS);
        bytes.extend(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{key}\r\n").into_bytes());
        if dice.below(3) == 0 {
            let count = dice.below(60);
            bytes.extend(dice.bytes(count));
        }
    }
    bytes
}

fn garbage(dice: &mut Dice) -> Vec<u8> {
    match dice.below(5) {
        0 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00".to_vec(),
        1 => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        2 => b"GET /\r\n\r\n".to_vec(),
        3 => Vec::new(),
        _ => {
            let count = dice.below(4_000);
            dice.bytes(count)
        }
    }
}
