//! Primal lattice attacks.
