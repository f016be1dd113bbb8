//! Which files are read, in what order, under what name, and what is said of the others.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use vouch_adapters::files::{FileError, Links, Reading, format_of, measure, read_all, signature, skipped, source_name};
use vouch_domain::{RawDocument, SourceFormat, document::Labels};

fn reading(bytes_max: u64) -> Reading {
    Reading {
        bytes_max,
        links: Links::Within,
        labels: Labels { tenant: "acme".to_owned(), ..Labels::default() },
        foreign: Vec::new(),
    }
}

/// A folder with these files in it, each holding its own name.
fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder inside");
        fs::write(&path, name).expect("a file");
    }
    folder
}

fn read(paths: &[&Path]) -> (Vec<RawDocument>, Vec<FileError>) {
    read_following(paths, Links::Within)
}

fn read_following(paths: &[&Path], links: Links) -> (Vec<RawDocument>, Vec<FileError>) {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    let reading = Reading { links, ..reading(1_000) };
    let (mut documents, mut faults) = (Vec::new(), Vec::new());
    for outcome in read_all(&paths, &reading) {
        match outcome {
            Ok(raw) => documents.push(raw),
            Err(fault) => faults.push(fault),
        }
    }
    (documents, faults)
}

/// The names read, which are the contents too.
fn names(documents: &[RawDocument]) -> Vec<String> {
    documents.iter().map(|raw| String::from_utf8(raw.bytes.clone()).expect("a name")).collect()
}

fn sentences(faults: &[FileError]) -> Vec<&str> {
    faults.iter().map(|fault| fault.sentence.as_str()).collect()
}

#[test]
fn the_ending_tells_the_form() {
    let cases = [
        ("a.md", Some(SourceFormat::Markdown)),
        ("a.MARKDOWN", Some(SourceFormat::Markdown)),
        ("a.txt", Some(SourceFormat::PlainText)),
        ("a.text", Some(SourceFormat::PlainText)),
        ("a.html", Some(SourceFormat::Html)),
        ("a.HTM", Some(SourceFormat::Html)),
        ("a.jsonl", Some(SourceFormat::JsonLines)),
        ("a.ndjson", Some(SourceFormat::JsonLines)),
        ("a.pdf", Some(SourceFormat::Pdf)),
        ("a.PPTX", Some(SourceFormat::Pptx)),
        ("a.doc", None),
        ("md", None),
        (".md", None),
        ("a.md.bak", None),
    ];
    for (name, expected) in cases {
        assert_eq!(format_of(Path::new(name)), expected, "{name}");
    }
}

#[test]
fn files_come_in_the_order_of_their_names_and_the_given_paths() {
    let folder = folder(&["b.md", "a.txt", "c/z.md", "c/a.html", "a/x.jsonl", "B.md"]);
    let (documents, faults) = read(&[folder.path()]);
    assert_eq!(names(&documents), ["B.md", "a/x.jsonl", "a.txt", "b.md", "c/a.html", "c/z.md"]);
    assert_eq!(faults, []);
    let (c, b) = (folder.path().join("c"), folder.path().join("b.md"));
    assert_eq!(names(&read(&[&c, &b]).0), ["c/a.html", "c/z.md", "b.md"]);
}

#[test]
fn hidden_files_and_folders_are_skipped_unless_named() {
    let folder = folder(&["a.md", ".b.md", ".git/c.md", "d/.e/f.md"]);
    assert_eq!(names(&read(&[folder.path()]).0), ["a.md"]);
    let (named_file, named_folder) = (folder.path().join(".b.md"), folder.path().join(".git"));
    assert_eq!(names(&read(&[&named_file, &named_folder]).0), [".b.md", ".git/c.md"]);
}

#[test]
fn unknown_endings_are_skipped_in_a_folder_and_reported_when_named() {
    let folder = folder(&["a.md", "b.doc", "c"]);
    let (documents, faults) = read(&[folder.path()]);
    assert_eq!((names(&documents), faults), (vec!["a.md".to_owned()], Vec::new()));
    let (documents, faults) = read(&[&folder.path().join("b.doc"), &folder.path().join("c")]);
    assert!(documents.is_empty());
    let [old, none] = sentences(&faults)[..] else { panic!("two faults: {faults:?}") };
    assert_eq!(old, "the old Word format cannot be read; save it as .docx");
    assert!(
        none.starts_with("its format is not supported; Vouch reads .md, .txt, .html, .jsonl, .srt, .pdf, "),
        "{none}"
    );
}

#[test]
fn what_office_keeps_beside_an_open_document_is_no_document() {
    let folder = folder(&["a.md", "~$plan.docx", "~$book.xlsx"]);
    let paths = [folder.path().to_path_buf()];
    let (documents, faults) = read(&[folder.path()]);
    assert_eq!((names(&documents), faults), (vec!["a.md".to_owned()], Vec::new()));
    let skipped = skipped(&paths, &reading(1_000));
    assert_eq!(skipped.count, 2);
    assert!(skipped.named.iter().all(|(_, why)| why.contains("while a document is open")), "{skipped:?}");
    let (_, faults) = read(&[&folder.path().join("~$plan.docx")]);
    assert!(
        sentences(&faults).iter().all(|told| told.contains("while a document is open")) && faults.len() == 1,
        "{faults:?}"
    );
}

#[test]
fn endings_with_a_converter_are_read_by_it_whatever_they_are() {
    let folder = folder(&["a.md", "scan.tiff", "b.pdf", "c.doc"]);
    let paths = [folder.path().to_path_buf()];
    let converted = Reading { foreign: vec!["tiff".to_owned(), "pdf".to_owned()], ..reading(1_000) };
    let formats: Vec<SourceFormat> = read_all(&paths, &converted).map(|one| one.expect("a file").format).collect();
    assert_eq!(formats, [SourceFormat::Markdown, SourceFormat::Foreign, SourceFormat::Foreign]);
}

#[test]
fn a_path_that_is_not_there_is_reported_and_the_others_are_read() {
    let folder = folder(&["a.md"]);
    let (documents, faults) = read(&[&folder.path().join("none.md"), folder.path()]);
    assert_eq!(names(&documents), ["a.md"]);
    let fault = faults.first().expect("a fault");
    assert!(fault.source.ends_with("none.md") && fault.sentence.starts_with("cannot be read: "), "{fault:?}");
    assert!(!fault.sentence.contains("none.md"), "the path is said once: {fault:?}");
}

#[test]
fn a_link_that_leads_back_is_reported_and_the_walk_ends() {
    let folder = folder(&["a.md", "sub/b.md"]);
    symlink(folder.path(), folder.path().join("sub/back")).expect("a link");
    symlink("self.md", folder.path().join("self.md")).expect("a link");
    let (documents, faults) = read(&[folder.path()]);
    assert_eq!(names(&documents), ["a.md", "sub/b.md"]);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults.iter().any(|fault| fault.sentence.starts_with("a link that leads back to ")), "{faults:?}");
}

const LEADS_OUT: &str = "a link that leads out of the folder given; not followed (--follow-links follows it)";

#[test]
fn a_link_out_of_the_folder_is_reported_and_followed_only_if_told() {
    let outside = folder(&["secret.md", "more/deep.md", "notes.doc"]);
    let inside = folder(&["a.md", "sub/b.md"]);
    symlink(outside.path().join("secret.md"), inside.path().join("file.md")).expect("a link");
    symlink(outside.path().join("more"), inside.path().join("sub/folder")).expect("a link");
    symlink(outside.path().join("notes.doc"), inside.path().join("notes.doc")).expect("a link");
    symlink(inside.path().join("sub/folder/deep.md"), inside.path().join("over.md")).expect("a link");
    let (documents, faults) = read(&[inside.path()]);
    assert_eq!(names(&documents), ["a.md", "sub/b.md"]);
    assert_eq!(sentences(&faults), [LEADS_OUT; 3]);
    let shown: Vec<bool> =
        faults.iter().map(|fault| fault.path.starts_with(&*inside.path().to_string_lossy())).collect();
    assert_eq!(shown, [true; 3], "a fault names the link: {faults:?}");
    assert_eq!(measure(&[inside.path().to_path_buf()], &reading(1_000)), 12, "what is not read does not count");
    let (documents, faults) = read_following(&[inside.path()], Links::Everywhere);
    assert_eq!(
        (names(&documents), faults),
        (vec!["a.md".into(), "secret.md".into(), "more/deep.md".into(), "sub/b.md".into()], vec![])
    );
}

#[test]
fn a_link_that_stays_in_the_folder_is_followed_and_one_that_is_named_too() {
    let outside = folder(&["real/z.md"]);
    let inside = folder(&["sub/b.md"]);
    symlink("sub/b.md", inside.path().join("a.md")).expect("a link");
    symlink(outside.path().join("real"), inside.path().join("link")).expect("a link");
    assert_eq!(names(&read(&[&inside.path().join("sub"), &inside.path().join("a.md")]).0), ["sub/b.md"]);
    assert_eq!(
        names(&read(&[&inside.path().join("link")]).0),
        ["real/z.md"],
        "who names a link means what it leads to"
    );
}

#[test]
fn a_dangling_link_is_reported() {
    let folder = folder(&["a.md"]);
    symlink("nowhere.md", folder.path().join("b.md")).expect("a link");
    let (documents, faults) = read(&[folder.path()]);
    assert_eq!((names(&documents), faults.len()), (vec!["a.md".to_owned()], 1));
}

#[test]
fn a_file_reached_by_two_names_is_read_once_under_its_real_one() {
    let folder = folder(&["real/z.md"]);
    let real = folder.path().join("real/z.md");
    symlink(&real, folder.path().join("a.md")).expect("a link");
    symlink(folder.path().join("real"), folder.path().join("b")).expect("a link");
    let (documents, faults) = read(&[folder.path(), &real, folder.path()]);
    assert_eq!(faults, []);
    let sources: Vec<&str> = documents.iter().map(|raw| raw.source.as_str()).collect();
    assert_eq!(sources, [source_name(&real)]);
}

#[test]
fn a_file_at_the_limit_is_read_and_one_byte_more_is_not() {
    let folder = folder(&[]);
    fs::write(folder.path().join("fits.md"), vec![b'a'; 1_000]).expect("a file");
    fs::write(folder.path().join("over.md"), vec![b'a'; 1_001]).expect("a file");
    let (documents, faults) = read(&[folder.path()]);
    assert_eq!(documents.iter().map(|raw| raw.bytes.len()).collect::<Vec<_>>(), [1_000]);
    let [fault] = faults.as_slice() else { panic!("one fault: {faults:?}") };
    let says_which_setting = fault.sentence.ends_with("(ingest.file_bytes_max)");
    assert!(fault.sentence.contains("more than the limit") && says_which_setting, "{fault:?}");
}

#[test]
fn a_pipe_is_reported_and_never_opened() {
    let folder = folder(&["a.md"]);
    let pipe = folder.path().join("pipe.md");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let (sender, receiver) = mpsc::channel();
    let root = folder.path().to_path_buf();
    // Opening a pipe nobody writes to would wait for ever, so the reading happens aside.
    thread::spawn(move || {
        let _ = measure(std::slice::from_ref(&root), &reading(1_000));
        let _ = signature(std::slice::from_ref(&root), &reading(1_000));
        sender.send(read(&[&root, &pipe]))
    });
    let (documents, faults) = receiver.recv_timeout(Duration::from_secs(20)).expect("nothing waits for the pipe");
    assert_eq!(names(&documents), ["a.md"]);
    assert_eq!(faults.first().map(|fault| fault.sentence.as_str()), Some("not a regular file"));
}

#[test]
fn a_source_has_the_same_name_by_whatever_way_it_is_reached() {
    let folder = folder(&["sub/a.md"]);
    let file = folder.path().join("sub/a.md");
    let link = folder.path().join("link");
    symlink(folder.path().join("sub"), &link).expect("a link");
    let ways = [folder.path().join("sub"), file.clone(), folder.path().join("sub/../sub/./a.md"), link];
    let expected = fs::canonicalize(&file).expect("the file is there").to_string_lossy().into_owned();
    for way in &ways {
        let (documents, _) = read(&[way]);
        let raw = documents.first().expect("the file is read");
        assert_eq!(raw.source, expected, "{}", way.display());
        // What a document is called tells nothing of where the folder that was given lies.
        let called = if way.is_file() { "a.md" } else { "sub/a.md" };
        assert_eq!(raw.fallback_id, called, "{}", way.display());
    }
}

#[test]
fn a_fault_names_its_file_as_its_document_would_be_named() {
    let folder = folder(&["sub/a.md"]);
    let file = folder.path().join("sub/a.md");
    fs::write(&file, vec![b'a'; 2_000]).expect("a file");
    let link = folder.path().join("link");
    symlink(folder.path().join("sub"), &link).expect("a link");
    let (_, faults) = read(&[&link]);
    // Ingest keeps the documents of a failed source by this name, so it has to be the stored one.
    assert_eq!(faults.first().map(|fault| fault.source.clone()), Some(source_name(&file)));
}

#[test]
fn the_labels_of_the_run_are_on_every_document() {
    let folder = folder(&["a.md", "b.txt"]);
    let (documents, _) = read(&[folder.path()]);
    assert_eq!(documents.len(), 2);
    assert!(documents.iter().all(|raw| raw.labels == reading(1).labels));
}

#[test]
fn files_are_counted_and_told_apart_without_being_read() {
    let folder = folder(&["a.md", "b.txt", "c.doc"]);
    let roots = [folder.path().to_path_buf()];
    assert_eq!(measure(&roots, &reading(1_000)), 9);
    let before = signature(&roots, &reading(1_000));
    assert_eq!(signature(&roots, &reading(1_000)), before);
    fs::write(folder.path().join("a.md"), "longer than before").expect("a file");
    assert_ne!(signature(&roots, &reading(1_000)), before);
}
