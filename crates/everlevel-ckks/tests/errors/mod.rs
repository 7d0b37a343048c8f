//! Bad input: every refusal is typed, says both values and what to do, comes before any work and leaves the arguments
//! as they were.

mod belonging;
mod bootstraps;
mod levels;
mod messages;
mod sizes;
mod world;
