//! What an S3-compatible server says in XML → the objects of a part of a listing, or the code of an error.
//!
//! Invariant: a part that does not end as it should is an error and never a short list.

use quick_xml::{
    Reader,
    escape::resolve_predefined_entity,
    events::{BytesRef, Event},
};

use super::super::kept::Validators;

/// The most objects that a server may put in one part, and the most bytes of one value.
const OBJECTS_MAX: usize = 1_000;
const VALUE_BYTES_MAX: usize = 8_192;
const CODE_CHARS_MAX: usize = 60;

/// An object as it is listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) key: String,
    pub(super) bytes: u64,
    pub(super) validators: Validators,
}

/// A part of a listing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) objects: Vec<Object>,
    /// What to ask for the next part with; none at the end.
    pub(super) next: Option<String>,
}

/// Reads a part of a listing; an error says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Part, String> {
    let (mut objects, mut object) = (Vec::new(), None::<Object>);
    let (mut next, mut is_truncated, mut is_escaped) = (None, None, false);
    let mut has_key = false;
    let is_whole = walk(text, "ListBucketResult", |step| {
        match step {
            Step::Opens(2, "Contents") => (object, has_key) = (Some(Object::default()), false),
            Step::Closes(2, "Contents") => {
                if objects.len() >= OBJECTS_MAX {
                    return Err(format!("it lists more than {OBJECTS_MAX} objects at once"));
                }
                let listed = object.take().filter(|_| has_key);
                objects.push(listed.ok_or("it lists an object without a key")?);
            }
            Step::Opens(..) | Step::Closes(..) => {}
            Step::Value(2, "IsTruncated", value) => is_truncated = Some(value.trim() == "true"),
            Step::Value(2, "NextContinuationToken", value) => next = Some(value.to_owned()),
            Step::Value(2, "EncodingType", value) => is_escaped = value.trim() == "url",
            Step::Value(3, name, value) => match (&mut object, name) {
                (Some(object), "Key") => (object.key, has_key) = (value.to_owned(), true),
                (Some(object), "Size") => {
                    object.bytes = value.trim().parse().map_err(|_| "it lists an object without a size".to_owned())?;
                }
                (Some(object), "ETag") => object.validators.etag = Some(value.trim().to_owned()),
                (Some(object), "LastModified") => object.validators.last_modified = Some(value.trim().to_owned()),
                (Some(_) | None, _) => {}
            },
            Step::Value(..) => {}
        }
        Ok(())
    })?;
    match (is_whole, is_truncated, next.as_deref().unwrap_or_default()) {
        (false, _, _) => return Err("it ends in the middle".to_owned()),
        (true, None, _) => return Err("it does not say whether it is whole".to_owned()),
        (true, Some(true), "") => return Err("it goes on and does not say where".to_owned()),
        (true, Some(true), _) => {}
        (true, Some(false), _) => next = None,
    }
    if is_escaped {
        for object in &mut objects {
            object.key = unescaped(&object.key).ok_or("it lists a key that is not text")?;
        }
    }
    Ok(Part { objects, next })
}

/// The code of an error, such as `NoSuchBucket`; none if there is none that can be told.
pub(super) fn error_code(text: &str) -> Option<String> {
    let mut code = None;
    let read = walk(text, "Error", |step| {
        if let Step::Value(2, "Code", value) = step {
            code = Some(value.trim().to_owned());
        }
        Ok(())
    });
    let is_word = |code: &String| {
        (1..=CODE_CHARS_MAX).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    read.ok().and(code).filter(is_word)
}

/// What is met in a document: how deep, the element's name, and the text of one that has closed.
enum Step<'a> {
    Opens(usize, &'a str),
    Value(usize, &'a str, &'a str),
    Closes(usize, &'a str),
}

/// Walks through a document with this root; whether it was there to its end.
fn walk(text: &str, root: &str, mut meet: impl FnMut(Step<'_>) -> Result<(), String>) -> Result<bool, String> {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut value, mut was_there): (usize, String, bool) = (0, String::new(), false);
    loop {
        match reader.read_event().map_err(|error| format!("it is not XML ({error})"))? {
            Event::Start(start) => {
                depth += 1;
                if depth == 1 && (was_there || start.local_name().as_ref() != root) {
                    return Err("it is not a list of objects".to_owned());
                }
                was_there = true;
                value.clear();
                meet(Step::Opens(depth, start.local_name().as_ref()))?;
            }
            Event::End(end) => {
                let name = end.local_name();
                meet(Step::Value(depth, name.as_ref(), &value))?;
                meet(Step::Closes(depth, name.as_ref()))?;
                value.clear();
                depth = depth.saturating_sub(1);
            }
            Event::Text(piece) => add(&mut value, &piece.xml10_content())?,
            Event::CData(piece) => add(&mut value, &piece.xml10_content())?,
            Event::GeneralRef(name) => add(&mut value, &sign(&name)?)?,
            Event::Eof => return Ok(was_there && depth == 0),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// The sign that a reference stands for: one of the five of XML, or one by its number.
fn sign(name: &BytesRef<'_>) -> Result<String, String> {
    let cannot = || "it contains a character that cannot be read".to_owned();
    match name.resolve_char_ref() {
        Ok(Some(sign)) => Ok(sign.to_string()),
        Ok(None) => resolve_predefined_entity(name).map(str::to_owned).ok_or_else(cannot),
        Err(_) => Err(cannot()),
    }
}

fn add(value: &mut String, piece: &str) -> Result<(), String> {
    value.push_str(piece);
    if value.len() > VALUE_BYTES_MAX {
        return Err(format!("it contains a value of more than {VALUE_BYTES_MAX} bytes"));
    }
    Ok(())
}

/// A key as it is, of one with `%2F` and `+` in it; none if that is no text.
fn unescaped(key: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(key.len());
    let mut rest = key.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit()? * 16 + digit()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{Object, Part, Validators, error_code, parse};

    #[test]
    fn objects_are_read_with_what_tells_whether_they_changed() {
        let text = "<?xml version='1.0'?><ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>\
                    <Name>docs</Name><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
                    <NextContinuationToken>a&amp;b</NextContinuationToken>\
                    <Contents><Key>a+b%2F%C3%BC%2B.md</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                    <ETag>&quot;e1&quot;</ETag><Size>12</Size><Owner><ID>x</ID><Key>no</Key></Owner></Contents>\
                    </ListBucketResult>";
        let validators =
            Validators { etag: Some("\"e1\"".to_owned()), last_modified: Some("2026-01-01T00:00:00.000Z".to_owned()) };
        let object = Object { key: "a b/ü+.md".to_owned(), bytes: 12, validators };
        assert_eq!(parse(text), Ok(Part { objects: vec![object], next: Some("a&b".to_owned()) }));
        let plain = text.replace("<EncodingType>url</EncodingType>", "").replace(">true<", ">false<");
        let part = parse(&plain).expect("a part");
        assert_eq!((part.next, part.objects[0].key.as_str()), (None, "a+b%2F%C3%BC%2B.md"));
    }

    #[test]
    fn whatever_else_is_there_is_a_sentence() {
        let whole =
            |inner: &str| format!("<ListBucketResult><IsTruncated>false</IsTruncated>{inner}</ListBucketResult>");
        let many = whole(&"<Contents><Key>a</Key></Contents>".repeat(1_001));
        let long = whole(&format!("<Name>{}</Name>", "x".repeat(9_000)));
        let bomb = format!("<!DOCTYPE x [<!ENTITY a 'b'>]>{}", whole("<Contents><Key>&a;</Key></Contents>"));
        let odd_key = whole("<EncodingType>url</EncodingType><Contents><Key>%FF</Key></Contents>");
        for (text, told) in [
            ("", "it ends in the middle"),
            ("<html><body>no</body></html>", "it is not a list of objects"),
            ("<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key>", "it ends in the middle"),
            ("<ListBucketResult></ListBucketResult>", "it does not say whether it is whole"),
            ("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "it goes on and does not say"),
            ("<ListBucketResult></x>", "it is not XML"),
            (&whole("<Contents><Size>1</Size></Contents>"), "it lists an object without a key"),
            (&whole("<Contents><Key>a</Key><Size>-1</Size></Contents>"), "it lists an object without a size"),
            (&odd_key, "it lists a key that is not text"),
            (&many, "it lists more than 1000 objects"),
            (&long, "it contains a value of more than"),
            (&bomb, "it contains a character that cannot be read"),
        ] {
            let fault = parse(text).err().unwrap_or_default();
            assert!(fault.starts_with(told), "{text}: {fault}");
        }
    }

    #[test]
    fn the_code_of_an_error_is_a_word() {
        let error = |code: &str| format!("<Error><Code>{code}</Code><Message>x</Message></Error>");
        assert_eq!(error_code(&error("NoSuchBucket")).as_deref(), Some("NoSuchBucket"));
        for code in ["", "a b", "x".repeat(61).as_str(), "&lt;b&gt;"] {
            assert_eq!(error_code(&error(code)), None, "{code}");
        }
        assert_eq!(error_code("no XML"), None);
    }
}
