//! Points → plots as SVG.

use std::fmt::Write;

use crate::metrics::{Bin, RiskPoint};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 320.0;
/// Where the axes cross, from the left and from below.
const LEFT: f64 = 52.0;
const BELOW: f64 = 44.0;
const MARGIN: f64 = 24.0;

/// The share that is wrong over the share that is answered.
pub(super) fn risk_coverage(points: &[RiskPoint]) -> String {
    let highest = points.iter().map(|point| point.risk).fold(0.1_f64, f64::max);
    let top = (highest * 20.0).ceil() / 20.0;
    let mut svg = frame(("share of questions answered", "share of answers that is wrong"), (1.0, top));
    let place = |point: &RiskPoint| format!("{:.1},{:.1}", x(point.coverage, 1.0), y(point.risk, top));
    let line: Vec<String> = points.iter().map(place).collect();
    let _ = write!(
        svg,
        "<polyline fill=\"none\" stroke=\"#2457a6\" stroke-width=\"2\" points=\"{}\"/></svg>",
        line.join(" ")
    );
    svg
}

/// How often answers are right over how sure they are.
pub(super) fn calibration(bins: &[Bin]) -> String {
    let mut svg = frame(("confidence", "share that is right"), (1.0, 1.0));
    let _ = write!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#9aa5b1\" stroke-dasharray=\"4 4\"/>",
        x(0.0, 1.0),
        y(0.0, 1.0),
        x(1.0, 1.0),
        y(1.0, 1.0)
    );
    for bin in bins {
        let (at, low, high) = (x(bin.confidence, 1.0), y(bin.right.low, 1.0), y(bin.right.high, 1.0));
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{low:.1}\" x2=\"{at:.1}\" y2=\"{high:.1}\" stroke=\"#2457a6\"/>\
             <circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#2457a6\"><title>{} of {}</title></circle>",
            y(bin.right.share, 1.0),
            bin.right.part,
            bin.right.of
        );
    }
    svg.push_str("</svg>");
    svg
}

fn x(value: f64, most: f64) -> f64 {
    LEFT + (WIDTH - LEFT - MARGIN) * value / most
}

fn y(value: f64, most: f64) -> f64 {
    HEIGHT - BELOW - (HEIGHT - BELOW - MARGIN) * value / most
}

/// The axes with their marks and names.
fn frame((across, up): (&str, &str), (most_across, most_up): (f64, f64)) -> String {
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" font-family=\"system-ui,sans-serif\" \
         font-size=\"11\" fill=\"#5a6675\">"
    );
    for step in 0..=5_u8 {
        let share = f64::from(step) / 5.0;
        let (at, up_at) = (x(share, 1.0), y(share, 1.0));
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{up_at:.1}\" x2=\"{:.1}\" y2=\"{up_at:.1}\" stroke=\"#e6eaee\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0} %</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>",
            WIDTH - MARGIN,
            HEIGHT - BELOW + 15.0,
            share * most_across * 100.0,
            LEFT - 6.0,
            up_at + 4.0,
            share * most_up * 100.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{across}</text>\
         <text transform=\"translate(12 {:.1}) rotate(-90)\" text-anchor=\"middle\">{up}</text>",
        f64::midpoint(LEFT, WIDTH),
        HEIGHT - 8.0,
        f64::midpoint(MARGIN, HEIGHT - BELOW)
    );
    svg
}
