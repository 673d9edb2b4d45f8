//! Options in the manner of getopt(3), as glibc does it: they may stand behind operands.

use std::collections::VecDeque;

/// One thing the command line says.
#[derive(Debug, PartialEq)]
pub(super) enum Argument {
    Flag(u8),
    Option(u8, Vec<u8>),
    Operand(Vec<u8>),
    /// An option that does not exist or lacks its argument, in getopt's words without the program's name.
    Wrong(Vec<u8>),
}

pub(super) struct Getopt {
    letters: &'static [u8],
    /// Stop at the first operand, as POSIX wants it.
    strict: bool,
    rest: VecDeque<Vec<u8>>,
    /// Letters left of a cluster such as `-sn`.
    cluster: VecDeque<u8>,
    only_operands: bool,
}

impl Getopt {
    /// `letters` as for getopt(3): a colon behind those that take an argument.
    pub(super) fn new(args: Vec<Vec<u8>>, letters: &'static str, strict: bool) -> Getopt {
        let (rest, cluster) = (args.into(), VecDeque::new());
        Getopt { letters: letters.as_bytes(), strict, rest, cluster, only_operands: false }
    }

    fn option(&mut self, letter: u8) -> Argument {
        let known = self.letters.iter().position(|known| *known == letter && letter != b':');
        let Some(place) = known else {
            return Argument::Wrong([b"invalid option -- '", &[letter][..], b"'"].concat());
        };
        if self.letters.get(place + 1) != Some(&b':') {
            return Argument::Flag(letter);
        }
        let attached: Vec<u8> = self.cluster.drain(..).collect();
        let value = if attached.is_empty() { self.rest.pop_front() } else { Some(attached) };
        match value {
            Some(value) => Argument::Option(letter, value),
            None => Argument::Wrong([b"option requires an argument -- '", &[letter][..], b"'"].concat()),
        }
    }
}

impl Iterator for Getopt {
    type Item = Argument;

    fn next(&mut self) -> Option<Argument> {
        if let Some(letter) = self.cluster.pop_front() {
            return Some(self.option(letter));
        }
        let argument = self.rest.pop_front()?;
        if self.only_operands || argument.first() != Some(&b'-') || argument.len() == 1 {
            self.only_operands |= self.strict;
            return Some(Argument::Operand(argument));
        }
        if argument == b"--" {
            self.only_operands = true;
            return self.next();
        }
        self.cluster = argument.into();
        self.cluster.pop_front();
        self.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &str, strict: bool) -> Vec<Argument> {
        let args = args.split(' ').map(|arg| arg.as_bytes().to_vec()).collect();
        Getopt::new(args, "nsw:", strict).collect()
    }

    fn operand(name: &str) -> Argument {
        Argument::Operand(name.into())
    }

    // Clusters, attached and separate arguments, a lone dash, options behind operands unless POSIX forbids.
    #[test]
    fn reads_as_getopt_does() {
        let wide = || Argument::Option(b'w', b"40".to_vec());
        assert_eq!(parsed("-snw40 a", false), [Argument::Flag(b's'), Argument::Flag(b'n'), wide(), operand("a")]);
        assert_eq!(parsed("a -w 40 -", false), [operand("a"), wide(), operand("-")]);
        assert_eq!(parsed("a -s", true), [operand("a"), operand("-s")]);
        assert_eq!(parsed("-- -s", false), [operand("-s")]);
        assert_eq!(parsed("-w -s", false), [Argument::Option(b'w', b"-s".to_vec())]);
        assert_eq!(parsed("-w", false), [Argument::Wrong(b"option requires an argument -- 'w'".to_vec())]);
        assert_eq!(parsed("-:", false), [Argument::Wrong(b"invalid option -- ':'".to_vec())]);
        assert_eq!(parsed("--s", false)[0], Argument::Wrong(b"invalid option -- '-'".to_vec()));
    }
}
