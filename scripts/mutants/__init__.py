"""Faults that are planted in what tests decrypt, to see which tests would notice them.

- `faults` has the faults, as functions of decrypted values and of what their ciphertext claims.
- `plugin` is a plugin of pytest, which plants one of them, and writes which tests met it and which failed.
- `__main__` runs the tests with each fault, and lists the files whose tests all pass: `make test-mutants`.

The library knows nothing of it.
"""
