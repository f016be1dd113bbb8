//! Floats of 32 bits → floats of 16, as the extension stores them.

/// The nearest float of 16 bits, ties to even. What is too large becomes infinite, which no component of a unit vector is.
pub(super) fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let exponent = (bits >> 23) & 0xff;
    let mantissa = bits & 0x007f_ffff;
    let rounded = match exponent {
        // Below half of the smallest there is.
        0..=101 => 0,
        // Subnormal: the implicit one is shifted in.
        102..=112 => round(mantissa | 0x0080_0000, 126 - exponent),
        113..=142 => round(((exponent - 112) << 23) | mantissa, 13),
        143..=254 => 0x7c00,
        _ => 0x7c00 | u32::from(mantissa != 0) << 9,
    };
    u16::try_from(sign | rounded).unwrap_or(0x7e00)
}

fn round(value: u32, shift: u32) -> u32 {
    let (kept, rest, tie) = (value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1));
    kept + u32::from(rest > tie || (rest == tie && kept & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn known_values_are_rounded_as_ieee_says() {
        for (value, bits) in [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (0.1, 0x2e66),
            (65_504.0, 0x7bff),
            (65_520.0, 0x7c00),
            (6.103_515_6e-5, 0x0400),
            (6.097_555e-5, 0x03ff),
            (5.960_464_5e-8, 0x0001),
            (2.980_232_2e-8, 0x0000),
            (2.980_232_6e-8, 0x0001),
            (1.0 + 1.0 / 2_048.0, 0x3c00),
            (1.0 + 3.0 / 2_048.0, 0x3c02),
            (f32::INFINITY, 0x7c00),
            (f32::NAN, 0x7e00),
        ] {
            assert_eq!(half(value), bits, "{value}");
        }
    }
}
