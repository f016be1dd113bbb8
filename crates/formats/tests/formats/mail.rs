//! Mails: who wrote what to whom, without earlier mails and signatures.

use vouch_domain::SourceFormat::Mail;

use crate::outcome::{document, fault, paths};

const HEAD: &str = "From: Ada Rope <ada@x.example>\r\nTo: Bo <bo@x.example>, crew@x.example\r\n\
    Subject: =?UTF-8?Q?Mast_f=C3=BCr_morgen?=\r\nDate: Sat, 31 Jan 2026 10:05:00 +0100\r\nMIME-Version: 1.0\r\n";
const SHOWN: &str = "From: Ada Rope <ada@x.example>; To: Bo <bo@x.example>, crew@x.example; Date: 2026-01-31 10:05";

fn check(rest: &str, expected: &str) {
    let mail = document(Mail, format!("{HEAD}{rest}").as_bytes());
    assert_eq!((mail.card.title.as_str(), mail.card.date.as_deref()), ("Mast für morgen", Some("2026-01-31")));
    let body = mail.text.strip_prefix(SHOWN).unwrap_or("another head");
    assert_eq!(body.trim(), expected, "{rest}");
}

#[test]
fn plain_text_is_read_in_its_encoding() {
    check(
        "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSch=F6n,\r\nso=\r\n lang.\r\n\r\nBis bald.\r\n",
        "Schön,\nso lang.\n\nBis bald.",
    );
    check("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nU2Now7Zu\r\n", "Schön");
}

#[test]
fn plain_text_goes_before_html_and_html_is_read_where_there_is_no_other() {
    check(
        "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nPlain.\r\n--b\r\n\
           Content-Type: text/html\r\n\r\n<p>Page.</p>\r\n--b--\r\n",
        "Plain.",
    );
    check(
        "Content-Type: text/html; charset=utf-8\r\n\r\n<style>a{}</style><h2>Hello</h2><ul><li>one<li>two</ul>\r\n",
        "## Hello\n\n- one\n- two",
    );
}

#[test]
fn earlier_mails_and_signatures_are_left_out() {
    let own =
        "The mast will stand tomorrow before the tide comes in, so bring all the ropes and a lamp and be there at six.";
    let quoted = "On Fri, 30 Jan 2026 at 09:00, Bo <bo@x.example> wrote:\n> When does it\n> stand?\n";
    check(&format!("\r\n{own}\n\n{quoted}\n-- \nAda\nHarbour\n"), own);
    check(&format!("\r\n{own}\n\nSent from my boat\n\n-----Original Message-----\nFrom: Bo\n\nWhen?\n"), own);
    check(
        &format!("\r\nYes.\n\n{quoted}"),
        "Yes.\n\n> On Fri, 30 Jan 2026 at 09:00, Bo <bo@x.example> wrote:\n\n> When does it\n> stand?",
    );
    check(
        &format!("\r\n{own}\n\n---------- Forwarded message ---------\nFrom: Bo\n\n> Kept.\n"),
        &format!("{own}\n\n---------- Forwarded message ---------\nFrom: Bo\n\nKept."),
    );
}

#[test]
fn attached_mails_are_sections_and_other_attachments_are_named() {
    let rest = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n--b\r\n\
        Content-Type: message/rfc822\r\n\r\nFrom: z@x.example\r\nSubject: Earlier\r\n\r\nInner words.\r\n--b\r\n\
        Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"plan.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n";
    let mail = document(Mail, format!("{HEAD}{rest}").as_bytes());
    assert_eq!(paths(&mail), ["", "Earlier"]);
    assert!(mail.text.ends_with("## Earlier\n\nFrom: z@x.example\n\nInner words.\n"), "{}", mail.text);
    assert_eq!(mail.warnings, ["attachment: plan.pdf cannot be read"]);
}

#[test]
fn what_is_no_mail_or_encrypted_is_said() {
    assert_eq!(fault(Mail, b""), "it contains no text");
    assert_eq!(fault(Mail, b"just words\n\nand more\n"), "it is not a mail: it has no sender, no subject and no date");
    let rest = "Content-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\nContent-Type: application/octet-stream\r\n\r\nAAAA\r\n--b--\r\n";
    assert_eq!(fault(Mail, format!("{HEAD}{rest}").as_bytes()), "it is encrypted; save it decrypted");
    let nested: String = (0..200).map(|at| format!("Content-Type: message/rfc822\r\n\r\nSubject: s{at}\r\n")).collect();
    assert!(document(Mail, format!("{HEAD}{nested}\r\nDeep.\r\n").as_bytes()).text.starts_with(SHOWN));
}
