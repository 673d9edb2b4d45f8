//! C's strtod, for input that ministat would read: decimal, hexadecimal, `inf`, `nan`.

/// The number a text consists of, as strtod reads it in the C locale: blanks before it allowed, nothing after it.
///
/// `None` when something is left over. An empty text is 0, as it is for C.
pub fn strtod(text: &[u8]) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    let start = text.iter().position(|byte| !is_space(*byte))?;
    let text = &text[start..];
    let (negative, digits) = match text[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let value = unsigned(digits)?;
    Some(if negative { -value } else { value })
}

/// C's isspace in the C locale.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn unsigned(text: &[u8]) -> Option<f64> {
    match text.first()? {
        b'0' if matches!(text.get(1), Some(b'x' | b'X')) => hexadecimal(&text[2..]),
        b'0'..=b'9' | b'.' => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => named(text),
    }
}

fn named(text: &[u8]) -> Option<f64> {
    if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
        return Some(f64::INFINITY);
    }
    let rest = text.get(3..).filter(|_| text[..3].eq_ignore_ascii_case(b"nan"))?;
    let payload = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bracketed = rest.len() >= 2 && rest[0] == b'(' && rest[rest.len() - 1] == b')';
    let nan = rest.is_empty() || (bracketed && rest[1..rest.len() - 1].iter().all(payload));
    nan.then_some(f64::NAN)
}

/// What follows `0x`: `1F`, `.8p3`, `1p-4`. Rounded to nearest, ties to even.
fn hexadecimal(text: &[u8]) -> Option<f64> {
    let (mut significand, mut exponent, mut sticky) = (0u64, 0i64, false);
    let (mut digits, mut point) = (0, false);
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        if *byte == b'.' && !point {
            point = true;
        } else if let Some(digit) = (*byte as char).to_digit(16) {
            digits += 1;
            if significand >> 60 == 0 {
                significand = significand << 4 | u64::from(digit);
                exponent -= if point { 4 } else { 0 };
            } else {
                sticky |= digit != 0;
                exponent += if point { 0 } else { 4 };
            }
        } else {
            break;
        }
        rest = tail;
    }
    if digits == 0 {
        return None;
    }
    if let Some((b'p' | b'P', power)) = rest.split_first() {
        exponent = exponent.saturating_add(decimal_exponent(power)?);
    } else if !rest.is_empty() {
        return None;
    }
    Some(scale(significand, exponent, sticky))
}

/// A whole decimal number with an optional sign, pulled in to where no more matters.
fn decimal_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', digits) => (true, digits),
        (b'+', digits) => (false, digits),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0i64, |size, digit| (size * 10 + i64::from(digit - b'0')).min(1 << 40));
    Some(if negative { -size } else { size })
}

/// `significand * 2^exponent`, rounded once; `sticky` says that bits below were lost.
fn scale(significand: u64, exponent: i64, sticky: bool) -> f64 {
    if significand == 0 {
        return 0.0;
    }
    let shift = significand.leading_zeros();
    let (significand, top) = (significand << shift, exponent.saturating_add(63 - i64::from(shift)));
    if top > 1023 {
        return f64::INFINITY;
    }
    // A normal number keeps 53 bits, a subnormal one fewer, down to none.
    let kept = if top >= -1022 { 53 } else { (53 - (-1022 - top)).max(-1) };
    if kept < 0 {
        return 0.0;
    }
    let dropped = 64 - kept as u32;
    let (mut bits, below) = if dropped == 64 {
        (0, u128::from(significand))
    } else {
        (significand >> dropped, u128::from(significand & ((1 << dropped) - 1)))
    };
    let half = 1u128 << (dropped - 1);
    if below > half || (below == half && (sticky || bits & 1 == 1)) {
        bits += 1;
    }
    // As the encoding of a subnormal number, or with the exponent field added; a carry moves into that field rightly.
    let field = if top >= -1022 { (top + 1022) as u64 } else { 0 };
    f64::from_bits((field << 52) + bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Forms C accepts and Rust's own parser does not, and the other way round.
    #[test]
    fn reads_what_c_reads() {
        for (text, value) in [
            ("", 0.0),
            ("1e3", 1000.0),
            ("+5", 5.0),
            (" \t7", 7.0),
            (".5", 0.5),
            ("-7.", -7.0),
            ("0x10", 16.0),
            ("0X.8p3", 4.0),
            ("0x1p-1074", 5e-324),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", 5e-324),
            ("0x1.fffffffffffff8p0", 2.0),
            ("0x1.fffffffffffff7fffffffp0", 1.9999999999999998),
            ("0x1p1024", f64::INFINITY),
            ("0x1p99999999999999999999", f64::INFINITY),
            ("-INF", f64::NEG_INFINITY),
            ("infinity", f64::INFINITY),
            ("1e999", f64::INFINITY),
        ] {
            assert_eq!(strtod(text.as_bytes()), Some(value), "{text}");
        }
        assert!(strtod(b"nan").unwrap().is_nan() && strtod(b"NaN(a_1)").unwrap().is_nan());
        for text in
            [" ", "1,000", "4#x", "1 ", "0x", "0xg", "1e", "e5", ".", "+-1", "--1", "infinit", "nan(", "1_000", "0x1p"]
        {
            assert_eq!(strtod(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        // Every number survives being written in hexadecimal, with more digits than it has, at any exponent.
        #[test]
        fn hexadecimal_is_exact(bits in 0u64..0x7ff0_0000_0000_0000) {
            let value = f64::from_bits(bits);
            let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
            let (lead, power) = if field == 0 { (0, -1022) } else { (1, field as i64 - 1023) };
            let text = format!("0x{lead}.{fraction:013x}000000p{power}");
            prop_assert_eq!(strtod(text.as_bytes()), Some(value));
        }
    }
}
