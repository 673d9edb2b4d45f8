//! C's `%g`.

use std::fmt;

/// A number as C prints it with `%.{1}g`: so many significant digits, no superfluous zeros, an exponent of at least two
/// digits where one is needed. What is no number prints as `-nan`, as x86's arithmetic makes it.
pub(crate) struct General(pub f64, pub usize);

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let General(value, digits) = *self;
        if value.is_nan() {
            return f.pad("-nan");
        }
        if value.is_infinite() {
            return f.pad(if value > 0.0 { "inf" } else { "-inf" });
        }
        let scientific = format!("{value:.*e}", digits - 1);
        let (mantissa, exponent) = scientific.split_once('e').expect("the exponent of {:e}");
        let exponent: i32 = exponent.parse().expect("the exponent is a number");
        if exponent < -4 || exponent >= digits as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            return f.pad(&format!("{}e{sign}{:02}", trim(mantissa), exponent.abs()));
        }
        let decimals = (digits as i32 - 1 - exponent) as usize;
        f.pad(trim(&format!("{value:.decimals$}")))
    }
}

fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Each line was printed by printf(1) of coreutils with the same number and format.
    #[test]
    fn prints_as_printf_does() {
        for (value, digits, text) in [
            (0.0, 8, "0"),
            (-0.0, 8, "-0"),
            (100000000.0, 8, "1e+08"),
            (99999999.5, 8, "1e+08"),
            (99999999.4, 8, "99999999"),
            (495186.5, 8, "495186.5"),
            (0.0001, 6, "0.0001"),
            (0.00001, 6, "1e-05"),
            (-15007499.5, 6, "-1.50075e+07"),
            (2162.0746, 6, "2162.07"),
            (1.0e300, 6, "1e+300"),
            (0.5, 1, "0.5"),
            (1.23456785e-9, 8, "1.2345678e-09"),
            (5e-324, 8, "4.9406565e-324"),
            (f64::INFINITY, 6, "inf"),
            (f64::NEG_INFINITY, 6, "-inf"),
            (f64::NAN, 6, "-nan"),
        ] {
            assert_eq!(General(value, digits).to_string(), text, "{value:?}");
        }
        assert_eq!(format!("{:>13}", General(17.5, 8)), "         17.5");
    }
}
