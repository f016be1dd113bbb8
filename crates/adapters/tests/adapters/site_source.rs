//! A site as a source: a server on this machine with a sitemap, rules and pages, and what is asked of it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use vouch_adapters::sources::{SiteSettings, SiteSource};
use vouch_domain::{
    Fault, PortError,
    document::Labels,
    ports::{DocumentSource, OpenSource},
};

/// A reply: its status, its headers and its body.
type Page = (u16, Vec<(&'static str, String)>, String);

/// A server whose pages can be changed, and which notes what it is asked.
struct Site {
    address: String,
    pages: Arc<Mutex<BTreeMap<String, Page>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (pages, asked) = (Arc::<Mutex<BTreeMap<String, Page>>>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (serving, noting) = (Arc::clone(&pages), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A client that went away is no concern of the server's.
                let _ = answer(stream, &serving, &noting);
            }
        });
        Self { address, pages, asked }
    }

    fn put(&self, path: &str, page: Page) {
        self.pages.lock().expect("a lock").insert(path.to_owned(), page);
    }

    fn html(&self, path: &str, text: &str) {
        let etag = format!("\"{}\"", text.len());
        let headers = vec![("Content-Type", "text/html; charset=utf-8".to_owned()), ("ETag", etag)];
        self.put(
            path,
            (200, headers, format!("<html><title>{path}</title><body><main><p>{text}</p></main></body></html>")),
        );
    }

    fn map(&self, path: &str, pages: &[&str]) {
        let url = |page: &&str| match page.contains("://") {
            true => format!("<url><loc>{page}</loc></url>"),
            false => format!("<url><loc>http://{}{page}</loc></url>", self.address),
        };
        let text = format!("<urlset>{}</urlset>", pages.iter().map(url).collect::<String>());
        self.put(path, (200, vec![("Content-Type", "application/xml".to_owned())], text));
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("a lock"))
    }

    fn source(&self, folder: &Path) -> SiteSource {
        SiteSource::new(self.settings(folder))
    }

    fn settings(&self, folder: &Path) -> SiteSettings {
        SiteSettings {
            sitemap: format!("http://{}/sitemap.xml", self.address),
            hosts: vec!["127.0.0.1".to_owned()],
            delay: Duration::ZERO,
            timeout: Duration::from_secs(5),
            pages_max: 10,
            page_bytes_max: 10_000,
            bytes_max: 50_000,
            folder: folder.to_owned(),
            labels: Labels { tenant: "default".to_owned(), ..Labels::default() },
        }
    }
}

fn answer(stream: TcpStream, pages: &Mutex<BTreeMap<String, Page>>, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut known) = (String::new(), String::new());
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? <= 2 {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("if-none-match: ") {
            known = value.trim().to_owned();
        }
    }
    let found = pages.lock().expect("a lock").get(&path).cloned();
    let (mut status, headers, mut body) = found.unwrap_or((404, Vec::new(), String::new()));
    if !known.is_empty() && headers.iter().any(|(name, value)| *name == "ETag" && *value == known) {
        (status, body) = (304, String::new());
    }
    asked.lock().expect("a lock").push(format!("{path} {status}"));
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status} x\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

async fn open(source: &SiteSource) -> Result<OpenSource, PortError> {
    source.open(&|| true).await
}

/// What was read of each document by its name, and what was wrong with the others.
fn read(opened: OpenSource) -> BTreeMap<String, Result<String, String>> {
    let outcome = |read: Result<vouch_domain::RawDocument, vouch_domain::ports::SourceFault>| match read {
        Ok(raw) => {
            assert_eq!(raw.url.as_deref(), raw.source.strip_prefix("site:"));
            (raw.source, Ok(String::from_utf8_lossy(&raw.bytes).into_owned()))
        }
        Err(fault) => (fault.source, Err(fault.sentence)),
    };
    opened.documents.map(outcome).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_read_once_and_asked_about_after_that() {
    let (site, folder) = (Site::start(), tempfile::tempdir().expect("a folder"));
    site.put("/robots.txt", (200, Vec::new(), "User-agent: *\nDisallow: /private\n".to_owned()));
    let index = format!("<sitemapindex><sitemap><loc>http://{}/part.xml</loc></sitemap></sitemapindex>", site.address);
    site.put("/sitemap.xml", (200, Vec::new(), index));
    site.map("/part.xml", &["/a#top", "/b?x=1&amp;y=2", "/private/c", "/gone"]);
    site.html("/a", "The mill opens at seven.");
    site.html("/b?x=1&y=2", "The weir is closed.");
    site.html("/private/c", "A secret.");
    let source = site.source(folder.path());
    let opened = open(&source).await.expect("a site");
    let root = format!("site:http://{}", site.address);
    assert_eq!((opened.roots.as_slice(), opened.total), ([root.clone()].as_slice(), Some(2)));
    assert!((opened.exists)(&format!("{root}/a")) && !(opened.exists)(&format!("{root}/gone")));
    let pages = read(opened);
    let names: Vec<&str> = pages.keys().filter_map(|name| name.strip_prefix(&root)).collect();
    assert_eq!(names, ["/a", "/b?x=1&y=2"]);
    assert!(pages.values().all(Result::is_ok), "{pages:?}");
    let expected = ["/robots.txt 200", "/sitemap.xml 200", "/part.xml 200", "/a 200", "/b?x=1&y=2 200", "/gone 404"];
    assert_eq!(site.asked(), expected);
    site.html("/a", "The mill opens at eight now.");
    let pages = read(open(&source).await.expect("a site"));
    assert!(pages.get(&format!("{root}/a")).is_some_and(|page| page.as_ref().is_ok_and(|text| text.contains("eight"))));
    assert_eq!(pages.len(), 2, "what has not changed is still there: {pages:?}");
    assert_eq!(site.asked().split_off(3), ["/a 200", "/b?x=1&y=2 304", "/gone 404"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_had_now_is_a_fault_and_what_is_not_listed_any_more_is_gone() {
    let (site, folder) = (Site::start(), tempfile::tempdir().expect("a folder"));
    let paths = ["/a", "/b", "/image", "/large", "/away", "/round", "https://other.example/x"];
    site.map("/sitemap.xml", &paths);
    for path in ["/a", "/b"] {
        site.html(path, "Words.");
    }
    site.put("/image", (200, vec![("Content-Type", "image/png".to_owned())], "png".to_owned()));
    site.html("/large", &"x".repeat(20_000));
    site.put("/away", (302, vec![("Location", "http://169.254.169.254/latest".to_owned())], String::new()));
    site.put("/round", (302, vec![("Location", "/round".to_owned())], String::new()));
    let source = site.source(folder.path());
    let pages = read(open(&source).await.expect("a site"));
    let fault = |path: &str| {
        let name =
            if path.contains("://") { format!("site:{path}") } else { format!("site:http://{}{path}", site.address) };
        pages.get(&name).and_then(|page| page.clone().err()).unwrap_or_default()
    };
    for (path, told) in [
        ("/image", "its media type 'image/png'"),
        ("/large", "it has more than 10000 bytes"),
        ("/away", "it redirects to another host (169.254.169.254)"),
        ("/round", "it redirects more than 3 times"),
        ("https://other.example/x", "another host; not read"),
    ] {
        assert!(fault(path).starts_with(told), "{path}: {}", fault(path));
    }
    assert_eq!(pages.values().filter(|page| page.is_ok()).count(), 2);
    site.put("/a", (503, Vec::new(), String::new()));
    site.map("/sitemap.xml", &["/a"]);
    let opened = open(&source).await.expect("a site");
    assert!((opened.exists)(&format!("site:http://{}/a", site.address)), "it is only not to be had");
    let pages = read(opened);
    assert_eq!(pages.values().collect::<Vec<_>>(), [&Err("the server answered 503".to_owned())]);
    let copies = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(copies, 2, "the list, and the copy of /a");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_cannot_be_listed_whole_changes_nothing() {
    let (site, folder) = (Site::start(), tempfile::tempdir().expect("a folder"));
    let source = site.source(folder.path());
    let fault = async || open(&source).await.err().expect("a fault");
    assert_eq!(fault().await.fault, Fault::Unavailable, "there is no sitemap");
    site.put("/sitemap.xml", (200, Vec::new(), "<urlset><url><loc>http://".to_owned()));
    assert!(fault().await.sentence.contains("it ends in the middle"));
    let many: Vec<String> = (0..11).map(|number| format!("/{number}")).collect();
    site.map("/sitemap.xml", &many.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(fault().await.sentence.contains("more than 10"), "{}", fault().await.sentence);
    let elsewhere = "<sitemapindex><sitemap><loc>https://other.example/s.xml</loc></sitemap></sitemapindex>";
    site.put("/sitemap.xml", (200, Vec::new(), elsewhere.to_owned()));
    assert!(fault().await.sentence.contains("of another host"));
    site.map("/sitemap.xml", &["/a"]);
    site.put("/robots.txt", (500, Vec::new(), String::new()));
    assert!(fault().await.sentence.contains("robots.txt"), "rules that cannot be read forbid all");
}

#[tokio::test(flavor = "multi_thread")]
async fn this_machine_is_not_asked_unless_the_settings_name_it() {
    let (site, folder) = (Site::start(), tempfile::tempdir().expect("a folder"));
    site.map("/sitemap.xml", &[]);
    let refused = async |sitemap: String| {
        let settings = SiteSettings { hosts: Vec::new(), sitemap, ..site.settings(folder.path()) };
        open(&SiteSource::new(settings)).await.err().map(|error| (error.fault, error.sentence))
    };
    let plain = refused(format!("http://{}/sitemap.xml", site.address)).await.expect("a fault");
    assert_eq!((plain.0, plain.1.contains("does not use https")), (Fault::Invalid, true), "{}", plain.1);
    for host in ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"] {
        let (fault, sentence) = refused(format!("https://{host}/sitemap.xml")).await.expect("a fault");
        assert_eq!((fault, sentence.contains("private address")), (Fault::Invalid, true), "{host}: {sentence}");
    }
    assert_eq!(site.asked(), Vec::<String>::new());
}
