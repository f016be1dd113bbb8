//! Sources of documents: each has a name of its own, is one thing, and says nothing that does not fit that.

use std::collections::BTreeSet;

use vouch_adapters::sources::{bucket_fault, git_fault, site_root};

use super::{
    super::{Settings, SourceKind, SourceSettings},
    range::{SettingError, check_range},
};

const KEY: &str = "sources";
const SOURCES_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 64;
/// What the list of a bucket's copies has room for.
const OBJECTS_MAX: usize = 200_000;
/// How often a source may be looked at, in seconds.
const EVERY_S: (u64, u64) = (1, 366 * 86_400);

pub(super) fn bounds(settings: &Settings) -> Result<(), SettingError> {
    check_range("jobs.attempts_max", settings.jobs.attempts_max, 1, 100)?;
    check_range("jobs.retry_first_s", settings.jobs.retry_first_s, 1, 86_400)?;
    check_range("jobs.retry_longest_s", settings.jobs.retry_longest_s, 1, 30 * 86_400)?;
    check_range("jobs.kept_max", settings.jobs.kept_max, 1, 100_000)?;
    if settings.sources.len() > SOURCES_MAX {
        return Err(SettingError::new(KEY, &format!("has more than {SOURCES_MAX} sources")));
    }
    let (mut names, mut sites) = (BTreeSet::new(), BTreeSet::new());
    for source in &settings.sources {
        let wrong = |sentence: &str| SettingError { key: KEY, sentence: format!("{}: {sentence}", source.name) };
        if !is_name(&source.name) {
            let sentence = format!(
                "has a source named '{}'; a name has 1 to {NAME_CHARS_MAX} letters, digits, '-' and '_', and begins with a \
                 letter or a digit",
                source.name
            );
            return Err(SettingError { key: KEY, sentence });
        }
        if !names.insert(source.name.to_ascii_lowercase()) {
            return Err(wrong("two sources have this name"));
        }
        check(source).map_err(|sentence| wrong(&sentence))?;
        // Each would take the pages of the other for removed.
        let root = source.site.as_deref().and_then(|site| site_root(site).ok());
        if root.is_some_and(|root| !sites.insert((source.tenant.clone(), root))) {
            return Err(wrong("two sources have this site; put their sitemaps into one"));
        }
    }
    Ok(())
}

/// A name is a folder's, too.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=NAME_CHARS_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}

fn check(source: &SourceSettings) -> Result<(), String> {
    let Some(kind) = source.source_kind() else {
        return Err("it must have exactly one of folder, git, site and bucket".to_owned());
    };
    if source.tenant.trim().is_empty() {
        return Err("its tenant is empty".to_owned());
    }
    match source.interval() {
        Some(Err(text)) => return Err(format!("every is '{text}', it must be a time such as 90s, 15m, 6h or 1d")),
        Some(Ok(every)) if !(EVERY_S.0..=EVERY_S.1).contains(&every.as_secs()) => {
            return Err("every must be between 1s and 366d".to_owned());
        }
        Some(Ok(_)) | None => {}
    }
    let fits = |key: &str, is_set: bool, kinds: &[SourceKind]| match is_set && !kinds.contains(&kind) {
        true => Err(format!("{key} does not apply to a {}", kind.as_str())),
        false => Ok(()),
    };
    fits("watch", source.watch, &[SourceKind::Folder])?;
    fits("branch", source.branch.is_some(), &[SourceKind::Git])?;
    fits("path", source.path.is_some(), &[SourceKind::Git])?;
    fits("url", source.url.is_some(), &[SourceKind::Git])?;
    let elsewhere = [SourceKind::Git, SourceKind::Site, SourceKind::Bucket];
    fits("bytes_max", source.bytes_max.is_some(), &elsewhere)?;
    fits("timeout_s", source.timeout_s.is_some(), &elsewhere)?;
    fits("hosts", !source.hosts.is_empty(), &[SourceKind::Site, SourceKind::Bucket])?;
    for (key, is_set) in [
        ("endpoint", source.endpoint.is_some()),
        ("prefix", source.prefix.is_some()),
        ("region", source.region.is_some()),
        ("addressing", source.addressing.is_some()),
        ("key_variable", source.key_variable.is_some()),
        ("secret_variable", source.secret_variable.is_some()),
        ("objects_max", source.objects_max.is_some()),
    ] {
        fits(key, is_set, &[SourceKind::Bucket])?;
    }
    fits("delay_ms", source.delay_ms.is_some(), &[SourceKind::Site])?;
    fits("pages_max", source.pages_max.is_some(), &[SourceKind::Site])?;
    if source.delay_ms.is_some_and(|delay_ms| delay_ms > 60_000) {
        return Err("delay_ms must be between 0 and 60000".to_owned());
    }
    if source.pages_max.is_some_and(|pages| !(1..=1_000_000).contains(&pages)) {
        return Err("pages_max must be between 1 and 1000000".to_owned());
    }
    if source.timeout_s.is_some_and(|seconds| !(1..=86_400).contains(&seconds)) {
        return Err("timeout_s must be between 1 and 86400".to_owned());
    }
    match kind {
        SourceKind::Folder => Ok(()),
        SourceKind::Git => check_git(source),
        SourceKind::Site => match source.site.as_deref().map(site_root) {
            Some(Err(fault)) => Err(format!("site {fault}")),
            Some(Ok(_)) | None => Ok(()),
        },
        SourceKind::Bucket => check_bucket(source),
    }
}

fn check_bucket(source: &SourceSettings) -> Result<(), String> {
    let Some(endpoint) = &source.endpoint else {
        return Err("a bucket needs its endpoint, such as https://s3.eu-west-1.amazonaws.com".to_owned());
    };
    let bucket = source.bucket.as_deref().unwrap_or_default();
    if let Some(fault) = bucket_fault(endpoint, bucket, source.addressing()) {
        return Err(fault.to_owned());
    }
    let is_word =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if source.region.as_deref().is_some_and(|region| !is_word(region)) {
        return Err("region must be the name of a region, such as eu-west-1".to_owned());
    }
    if source.objects_max.is_some_and(|objects| !(1..=OBJECTS_MAX).contains(&objects)) {
        return Err(format!("objects_max must be between 1 and {OBJECTS_MAX}"));
    }
    let is_name = |variable: &String| !variable.is_empty() && !variable.contains(['=', '\0']);
    match (&source.key_variable, &source.secret_variable) {
        (None, None) => Ok(()),
        (Some(key), Some(secret)) if is_name(key) && is_name(secret) => Ok(()),
        (Some(_), Some(_)) => Err("key_variable and secret_variable must be names of environment variables".to_owned()),
        (Some(_), None) | (None, Some(_)) => {
            Err("key_variable and secret_variable belong together; a public bucket needs neither".to_owned())
        }
    }
}

fn check_git(source: &SourceSettings) -> Result<(), String> {
    if let Some(fault) = source.git.as_deref().and_then(git_fault) {
        return Err(format!("git {fault}"));
    }
    let is_word = |text: &str| !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_control);
    if source.branch.as_deref().is_some_and(|branch| !is_word(branch)) {
        return Err("branch is not the name of a branch or tag".to_owned());
    }
    let leads_out = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
    if source.path.as_deref().is_some_and(|path| !is_word(path) || leads_out(path)) {
        return Err("path must be a path within the repository".to_owned());
    }
    let is_web = |url: &str| vouch_domain::web_url(&url.replace("{commit}", "c").replace("{path}", "p")).is_some();
    if source.url.as_deref().is_some_and(|url| !url.contains("{path}") || !is_web(url)) {
        return Err(
            "url must be a web address with {path} in it, such as https://git.example/docs/blob/{commit}/{path}"
                .to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::{Settings, parse_text};
    use super::bounds;

    fn fault(source: &str) -> Option<String> {
        let settings: Settings = serde_saphyr::from_str(&format!("sources: [{source}]")).expect("settings");
        bounds(&settings).err().map(|wrong| wrong.sentence)
    }

    #[test]
    fn sources_that_make_sense_are_taken() {
        for source in [
            "{name: handbook, folder: docs, watch: true, every: 1h, tags: [staff]}",
            "{name: wiki, git: 'https://git.example/wiki.git', branch: main, path: docs, url: 'https://git.example/{commit}/{path}'}",
            "{name: wiki, git: 'git@git.example:team/wiki.git', prune: false}",
            "{name: local, git: ../wiki}",
            "{name: docs, site: 'https://docs.example/sitemap.xml', every: 1d, delay_ms: 0, pages_max: 50}",
            "{name: b, bucket: docs, endpoint: 'https://s3.eu-west-1.amazonaws.com', region: eu-west-1, addressing: host, \
             prefix: team/, key_variable: KEY, secret_variable: SECRET, objects_max: 5, every: 1h}",
            "{name: b, bucket: docs, endpoint: 'http://minio:9000', hosts: [minio]}",
            "{name: a, site: 'https://a.example/sitemap.xml'}, {name: b, site: 'https://b.example/sitemap.xml'}",
        ] {
            assert_eq!(fault(source), None, "{source}");
        }
    }

    #[test]
    fn each_mistake_names_its_source() {
        for (source, told) in [
            ("{name: a}", "a: it must have exactly one of"),
            ("{name: a, folder: x, git: y}", "a: it must have exactly one of"),
            ("{name: '../a', folder: x}", "has a source named '../a'"),
            ("{name: a, folder: x}, {name: A, folder: y}", "A: two sources have this name"),
            ("{name: a, folder: x, every: often}", "a: every is 'often'"),
            ("{name: a, folder: x, every: 0s}", "a: every must be between"),
            ("{name: a, folder: x, branch: main}", "a: branch does not apply to a folder"),
            ("{name: a, git: x, watch: true}", "a: watch does not apply to a git"),
            ("{name: a, git: 'ext::sh -c id'}", "a: git must be a path or an address"),
            ("{name: a, git: 'http://git.example/x'}", "a: git must be a path or an address"),
            ("{name: a, git: '--upload-pack=id'}", "a: git must be an address or a path"),
            ("{name: a, git: x, branch: '--bare'}", "a: branch is not the name"),
            ("{name: a, git: x, path: '../x'}", "a: path must be a path within"),
            ("{name: a, git: x, url: 'javascript:{path}'}", "a: url must be a web address"),
            ("{name: a, site: 'docs.example/sitemap.xml'}", "a: site must be the address of a sitemap"),
            ("{name: a, site: 'file:///etc/passwd'}", "a: site must be an address with https"),
            ("{name: a, site: 'https://me:secret@docs.example/x'}", "a: site must not have a password"),
            (
                "{name: a, site: 'https://d.example/1'}, {name: b, site: 'https://d.example/2'}",
                "b: two sources have this site",
            ),
            ("{name: a, bucket: docs}", "a: a bucket needs its endpoint"),
            ("{name: a, bucket: x/y, endpoint: 'https://s.example'}", "a: bucket must be the name"),
            ("{name: a, bucket: docs, endpoint: 'https://k:s@s.example'}", "a: endpoint must not have a password"),
            ("{name: a, bucket: docs, endpoint: 'http://[::1]:9000', addressing: host}", "a: addressing must be path"),
            ("{name: a, bucket: docs, endpoint: 'https://s.example', region: 'a b'}", "a: region must be"),
            ("{name: a, bucket: docs, endpoint: 'https://s.example', key_variable: K}", "a: key_variable and"),
            (
                "{name: a, bucket: docs, endpoint: 'https://s.example', key_variable: K, secret_variable: 'a=b'}",
                "a: key_variable and secret_variable must be names",
            ),
            (
                "{name: a, bucket: docs, endpoint: 'https://s.example', objects_max: 0}",
                "a: objects_max must be between",
            ),
            ("{name: a, folder: x, prefix: y}", "a: prefix does not apply to a folder"),
            ("{name: a, folder: x, hosts: [y]}", "a: hosts does not apply to a folder"),
            ("{name: a, folder: x, tenant: ' '}", "a: its tenant is empty"),
        ] {
            let sentence = fault(source).unwrap_or_default();
            assert!(sentence.starts_with(told), "{source}: {sentence}");
        }
        assert!(parse_text("test", "sources: [{name: a, folder: x, foler: y}]").is_err(), "unknown keys are errors");
    }
}
