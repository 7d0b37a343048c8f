"""A bootstrap of OpenFHE's, SlotsToCoeffs first, timed: one JSON object on standard output.

A program of its own, for the Python that OpenFHE's wheel is built for, with that package and nothing of Everlevel's.
All slots are uniform in [-1, 1]: SlotsToCoeffs first is for real values, and takes the levels that it needs itself
before the bootstrap, so that the input isn't at level 0. Precision is -log2 of the mean and of the largest error.
"""

import argparse
import json
import math
import random
import resource
import statistics
import time

import openfhe as fhe

LEVEL_BUDGET = [4, 3]
PUBLISHED_LOG_N = 16


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--levels-after", type=int, default=5)
    parser.add_argument("--insecure-log-n", type=int)
    options = parser.parse_args()

    log_n = options.insecure_log_n or PUBLISHED_LOG_N
    secret = fhe.SPARSE_ENCAPSULATED
    depth = options.levels_after + fhe.CryptoContext.GetBootstrapDepth(LEVEL_BUDGET, secret)
    parameters = fhe.CCParamsCKKSRNS()
    parameters.SetSecretKeyDist(secret)
    parameters.SetSecurityLevel(fhe.HEStd_NotSet if options.insecure_log_n else fhe.HEStd_128_classic)
    parameters.SetRingDim(1 << log_n)
    parameters.SetScalingTechnique(fhe.FLEXIBLEAUTO)
    parameters.SetScalingModSize(59)
    parameters.SetFirstModSize(60)
    parameters.SetMultiplicativeDepth(depth)
    # As few digits of the key switch as the ring's modulus has room for at this depth.
    parameters.SetNumLargeDigits(4)
    context = fhe.GenCryptoContext(parameters)
    for feature in (fhe.PKE, fhe.KEYSWITCH, fhe.LEVELEDSHE, fhe.ADVANCEDSHE, fhe.FHE):
        context.Enable(feature)
    slots = context.GetRingDimension() // 2

    start = time.perf_counter()
    context.EvalBootstrapSetup(LEVEL_BUDGET, [0, 0], slots, 0, True, True)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    context.EvalBootstrapKeyGen(keys.secretKey, slots)
    key_seconds = time.perf_counter() - start

    seconds = []
    for _ in range(options.repetitions):
        message = [random.uniform(-1, 1) for _ in range(slots)]
        plaintext = context.MakeCKKSPackedPlaintext(message, 1, depth - 1 - LEVEL_BUDGET[1])
        ciphertext = context.Encrypt(keys.publicKey, plaintext)
        start = time.perf_counter()
        refreshed = context.EvalBootstrap(ciphertext)
        seconds.append(time.perf_counter() - start)
        decrypted = context.Decrypt(refreshed, keys.secretKey)
        decrypted.SetLength(slots)
        errors = [abs(a - b) for a, b in zip(message, decrypted.GetRealPackedValue(), strict=True)]
    print(
        json.dumps(
            {
                "set": f"depth {depth}, level budget {LEVEL_BUDGET}",
                "log_n": int(math.log2(context.GetRingDimension())),
                "slots": slots,
                "bootstrap_seconds": statistics.median(seconds),
                "mean_bits": -math.log2(statistics.fmean(errors)),
                "worst_bits": -math.log2(max(errors)),
                "level_in": depth - ciphertext.GetLevel(),
                "level_out": depth - refreshed.GetLevel() - (refreshed.GetNoiseScaleDeg() - 1),
                "key_seconds": key_seconds,
                "peak_gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
            }
        )
    )


if __name__ == "__main__":
    main()
