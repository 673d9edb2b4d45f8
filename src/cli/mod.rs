//! What the user types, one small file per subcommand.

pub mod ministat;
