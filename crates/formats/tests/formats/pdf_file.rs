//! PDF files made by hand, command by command.

use vouch_domain::{
    Document, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::FileParser;

/// What of a file differs from test to test.
#[derive(Default)]
pub(crate) struct PdfFile {
    /// The drawing commands of each page.
    pub(crate) pages: Vec<Vec<u8>>,
    /// The entries of the Info dictionary.
    pub(crate) info: String,
    /// More entries of every stream of commands, such as its filter.
    pub(crate) stream: String,
    /// More entries of the trailer.
    pub(crate) trailer: String,
    /// What the tree of pages says it holds, where that is not what it holds.
    pub(crate) count: Option<usize>,
}

impl PdfFile {
    pub(crate) fn of(pages: &[String]) -> Self {
        Self { pages: pages.iter().map(|page| page.clone().into_bytes()).collect(), ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let kids: Vec<String> = (0..self.pages.len()).map(|at| format!("{} 0 R", 8 + at * 2)).collect();
        let count = self.count.unwrap_or(self.pages.len());
        let font = |name: &str| format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} {ENCODING} >>").into_bytes();
        let mut objects = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")).into_bytes(),
            font("Helvetica"),
            font("Helvetica-Bold"),
            font("Courier"),
            b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 \
              /Length 1 >>\nstream\n\x80\nendstream"
                .to_vec(),
            format!("<< {} >>", self.info).into_bytes(),
        ];
        for (at, page) in self.pages.iter().enumerate() {
            let resources = "<< /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> /XObject << /Im 6 0 R >> >>";
            let contents = 9 + at * 2;
            objects.push(
                format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources {resources} /Contents {contents} 0 R >>"
                )
                .into_bytes(),
            );
            let mut stream = format!("<< /Length {} {} >>\nstream\n", page.len(), self.stream).into_bytes();
            stream.extend(page);
            stream.extend(b"\nendstream");
            objects.push(stream);
        }
        self.written(&objects)
    }

    fn written(&self, objects: &[Vec<u8>]) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut places = String::new();
        for (number, object) in (1..).zip(objects) {
            places.push_str(&format!("{:010} 00000 n \n", file.len()));
            file.extend(format!("{number} 0 obj\n").into_bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let (start, size) = (file.len(), objects.len() + 1);
        let trailer = format!("<< /Size {size} /Root 1 0 R /Info 7 0 R {} >>", self.trailer);
        file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n{places}trailer\n{trailer}\n").into_bytes());
        file.extend(format!("startxref\n{start}\n%%EOF\n").into_bytes());
        file
    }
}

/// Code 1 is the ligature of f and i, code 2 a bullet.
const ENCODING: &str = "/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /bullet] >>";

/// Draws words: the font, its size, the left edge, the height, and the words.
pub(crate) fn words(font: &str, size: u32, (x, y): (u32, u32), text: &str) -> String {
    let text = text.replace('(', "\\(").replace(')', "\\)");
    format!("BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
}

/// Draws lines of ordinary text one below the other, the first at this height.
pub(crate) fn lines(top: u32, texts: &[&str]) -> String {
    (0..).zip(texts).map(|(at, text)| words("F1", 10, (72, top - at * 12), text)).collect()
}

/// Reads bytes as PDF.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Document, ParseError> {
    let raw = RawDocument {
        url: None,
        source: "/documents/paper.pdf".to_owned(),
        fallback_id: "paper.pdf".to_owned(),
        format: SourceFormat::Pdf,
        bytes,
        labels: Labels::default(),
    };
    let mut read = FileParser::default().parse(raw).into_iter();
    let (first, second) = (read.next(), read.next());
    assert!(second.is_none(), "one file is one document");
    first.unwrap_or_else(|| Err(ParseError { place: String::new(), sentence: "no answer".to_owned() }))
}

/// Reads pages of these commands.
pub(crate) fn pages(pages: &[String]) -> Result<Document, ParseError> {
    read(PdfFile::of(pages).bytes())
}
