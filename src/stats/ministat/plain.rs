//! Plain decimal numbers, fast: what nearly every line of a million holds.

/// Digits that surely fit into 64 bits.
const MOST_DIGITS: usize = 19;

const POWERS_OF_TEN: [u64; MOST_DIGITS + 1] = {
    let mut powers = [1; MOST_DIGITS + 1];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Where the first newline is, eight bytes at a time.
///
/// The next line's place depends on nothing but this: the processor parses several lines at once.
pub(super) fn newline(text: &[u8]) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let (chunks, rest) = text.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        // A byte that was a newline is zero now; taking one from it borrows into its top bit.
        let zeroed = u64::from_le_bytes(*chunk) ^ (LOW * u64::from(b'\n'));
        let found = zeroed.wrapping_sub(LOW) & !zeroed & (LOW << 7);
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    rest.iter().position(|byte| *byte == b'\n').map(|at| chunks.len() * 8 + at)
}

/// The number that `text[..end]` is when it is nothing but `[-]digits[.digits]`, 19 digits at most, and eight bytes more
/// follow in `text`.
pub(super) fn plain_number(text: &[u8], end: usize) -> Option<f64> {
    let negative = text[0] == b'-';
    let start = usize::from(negative);
    let (mut digits, mut at) = run_of_digits(text, start, 0)?;
    let mut count = at - start;
    let mut decimals = 0;
    if *text.get(at)? == b'.' {
        let (all, end) = run_of_digits(text, at + 1, digits)?;
        decimals = end - at - 1;
        (digits, at) = (all, end);
        count += decimals;
    }
    if at != end || count == 0 || count > MOST_DIGITS {
        return None;
    }
    let value = quotient(digits, decimals);
    Some(if negative { -value } else { value })
}

/// `digits / 10^decimals`, rounded once and to even, as strtod rounds; `decimals` is at most [`MOST_DIGITS`].
fn quotient(digits: u64, decimals: usize) -> f64 {
    let power = POWERS_OF_TEN[decimals];
    if digits <= 1 << 53 {
        // Both are exact as they stand, and so one division rounds once (Clinger, PLDI 1990).
        return digits as f64 / power as f64;
    }
    // With both moved to the top of 64 bits the quotient has at least 63; what is left of the division only matters for
    // a tie, which one more bit breaks.
    let (up, down) = (digits.leading_zeros(), power.leading_zeros());
    let (dividend, divisor) = (u128::from(digits << up) << 63, u128::from(power << down));
    let whole = dividend / divisor;
    let rest = dividend - whole * divisor;
    let scale = 1023 + down as u64 - 63 - up as u64;
    (whole as u64 | u64::from(rest != 0)) as f64 * f64::from_bits(scale << 52)
}

/// Appends the digits at `at` to `digits`; with the place after the last of them. Eight bytes at a time; wrong beyond
/// 19 digits, `None` near the end of the text.
fn run_of_digits(text: &[u8], mut at: usize, mut digits: u64) -> Option<(u64, usize)> {
    loop {
        let chunk = u64::from_le_bytes(text.get(at..at + 8)?.try_into().expect("eight bytes"));
        // A byte is a digit when, without the bits of '0', it is at most 9: adding 0x76 then leaves the top bit clear.
        let bare = chunk ^ 0x3030_3030_3030_3030;
        let others = (((bare & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | bare) & 0x8080_8080_8080_8080;
        let count = others.trailing_zeros() / 8;
        // Zeros move in front; then neighbours combine to pairs, quadruples, eight digits.
        let padded = bare.checked_shl(64 - 8 * count).unwrap_or(0);
        let pairs = padded.wrapping_mul(10).wrapping_add(padded >> 8) & 0x00ff_00ff_00ff_00ff;
        let quads = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
        let eight = quads.wrapping_mul(10_000).wrapping_add(quads >> 32) & 0xffff_ffff;
        digits = digits.wrapping_mul(POWERS_OF_TEN[count as usize]).wrapping_add(eight);
        if count < 8 {
            return Some((digits, at + count as usize));
        }
        at += 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(line: &str) -> Option<f64> {
        plain_number(format!("{line}\npadding").as_bytes(), line.len())
    }

    // What is left to the slow path: signs, exponents, blanks, too many digits, the end of the text.
    #[test]
    fn takes_only_plain_lines() {
        for line in ["+1", "1e3", " 1", "1 ", ".", "", "-", "1.2.3", "12345678901234567890", "1\r", "1\n2"] {
            assert_eq!(number(line), None, "{line}");
        }
        assert_eq!(plain_number(b"12\n", 2), None);
        assert_eq!(number("-.5"), Some(-0.5));
        assert_eq!(number("0000000012."), Some(12.0));
    }

    proptest! {
        // The newline is where a search byte by byte finds it.
        #[test]
        fn finds_the_newline(text in "[a\n\u{b}\t\u{1}]{0,40}") {
            prop_assert_eq!(newline(text.as_bytes()), text.find('\n'));
        }

        // Every number of up to 19 digits comes out as the standard library's exact parser has it.
        #[test]
        fn is_exact(number in "-?[0-9]{1,19}", point in 0usize..20) {
            let digits = number.trim_start_matches('-').len();
            let mut text = number.clone();
            text.insert(number.len() - point.min(digits), '.');
            prop_assert_eq!(self::number(&text).map(f64::to_bits), Some(text.parse::<f64>().unwrap().to_bits()));
        }

        // Ties and their neighbours: a 53-bit number and half a unit, as far as 19 digits reach.
        #[test]
        fn ties_go_to_even(half in 1u64 << 53..1 << 54, decimals in 0usize..3) {
            let odd = half | 1;
            for digits in [odd - 1, odd, odd + 1] {
                let expected: f64 = format!("{}e-{decimals}", digits * 10u64.pow(decimals as u32)).parse().unwrap();
                prop_assert_eq!(quotient(digits * 10u64.pow(decimals as u32), decimals), expected);
            }
        }
    }
}
