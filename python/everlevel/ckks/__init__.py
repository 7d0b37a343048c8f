"""CKKS: arithmetic on encrypted vectors of real or complex numbers."""
