//! Answers with their signs → weights of a logistic curve of which none is negative, and how far chances are off.

use vouch_engine::decide::WEIGHED;

const STEPS: usize = 4_000;
const STEP: f64 = 0.1;
/// Draws weights that little speaks for towards none.
const SHRINKAGE: f64 = 0.01;
const BINS: usize = 10;

/// An answer to fit on.
pub(super) struct Row {
    pub(super) signs: [f32; WEIGHED],
    pub(super) is_right: bool,
    pub(super) weight: f64,
}

/// A fitted curve.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    pub(super) weights: [f64; WEIGHED],
    pub(super) bias: f64,
}

/// The curve that fits best, found by descending on signs of one scale.
pub(super) fn fit(rows: &[Row]) -> Fitted {
    let (centre, spread) = scale(rows);
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let scaled = |row: &Row| -> [f64; WEIGHED] {
        let mut signs = row.signs.map(f64::from);
        let scales = centre.iter().zip(&spread);
        signs.iter_mut().zip(scales).for_each(|(sign, (centre, spread))| *sign = (*sign - centre) / spread);
        signs
    };
    let points: Vec<([f64; WEIGHED], f64, f64)> =
        rows.iter().map(|row| (scaled(row), f64::from(u8::from(row.is_right)), row.weight / total)).collect();
    let (mut weights, mut bias) = ([0.0; WEIGHED], 0.0);
    for _ in 0..STEPS {
        let mut slope: [f64; WEIGHED] = weights.map(|weight| weight * SHRINKAGE);
        let mut bias_slope = 0.0;
        for (signs, right, weight) in &points {
            let sum: f64 = signs.iter().zip(weights).map(|(sign, weight)| sign * weight).sum();
            let miss = weight * (1.0 / (1.0 + (-(sum + bias)).exp()) - right);
            slope.iter_mut().zip(signs).for_each(|(slope, sign)| *slope += miss * sign);
            bias_slope += miss;
        }
        weights.iter_mut().zip(slope).for_each(|(weight, slope)| *weight = (*weight - STEP * slope).max(0.0));
        bias -= STEP * bias_slope;
    }
    weights.iter_mut().zip(&spread).for_each(|(weight, spread)| *weight /= spread);
    let shift: f64 = weights.iter().zip(centre).map(|(weight, centre)| weight * centre).sum();
    Fitted { weights, bias: bias - shift }
}

/// Mean and spread of every sign.
fn scale(rows: &[Row]) -> ([f64; WEIGHED], [f64; WEIGHED]) {
    let count = rows.len().max(1) as f64;
    let (mut centre, mut spread) = ([0.0; WEIGHED], [0.0; WEIGHED]);
    for row in rows {
        centre.iter_mut().zip(row.signs).for_each(|(centre, sign)| *centre += f64::from(sign) / count);
    }
    for row in rows {
        let apart = row.signs.iter().zip(centre).map(|(sign, centre)| (f64::from(*sign) - centre).powi(2) / count);
        spread.iter_mut().zip(apart).for_each(|(spread, apart)| *spread += apart);
    }
    (centre, spread.map(|spread: f64| spread.sqrt().max(1e-6)))
}

/// How far the mean chance is off the share that is right, over ten bins of equal width, each by its count.
pub(super) fn calibration_error(pairs: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0); BINS];
    for (chance, is_right) in pairs {
        let at = ((chance * BINS as f64) as usize).min(BINS - 1);
        if let Some((chances, rights)) = bins.get_mut(at) {
            *chances += chance;
            *rights += f64::from(u8::from(*is_right));
        }
    }
    bins.iter().map(|(chances, rights)| f64::abs(chances - rights)).sum::<f64>() / pairs.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{Row, calibration_error, fit};

    #[test]
    fn a_sign_that_tells_gets_weight_and_one_that_misleads_gets_none() {
        let row = |told: f32, is_right| Row { signs: [told, 1.0 - told, 0.5], is_right, weight: 1.0 };
        let rows: Vec<Row> = (0..40u8).map(|n| row(f32::from(n % 10) / 10.0, n % 10 > 4 || n == 3)).collect();
        let fitted = fit(&rows);
        assert!(fitted.weights[0] > 1.0 && fitted.weights[1] == 0.0, "{fitted:?}");
    }

    #[test]
    fn chances_that_hold_are_not_off() {
        let held: Vec<(f64, bool)> = (0..10).map(|n| (0.75, n % 4 != 0)).chain([(0.75, true), (0.75, true)]).collect();
        assert!(calibration_error(&held) < 1e-9, "{}", calibration_error(&held));
        assert!((calibration_error(&[(0.9, false), (0.1, true)]) - 0.9).abs() < 1e-9);
    }
}
