// A bootstrap of Lattigo's published set N16QP1546H192H32, timed: one JSON object on standard output.
//
// The messages are those of Everlevel's own table (`everlevel bench`): all slots uniform in the complex unit square,
// from level 0. Precision is -log2 of the mean and of the largest error. GOMAXPROCS says how many threads there are.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

const publishedLogN = 16

// must ends the program with an error of the library.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// bits returns -log2 of the mean and of the largest distance.
func bits(want, have []complex128) (mean, worst float64) {
	sum, most := 0.0, 0.0
	for i := range want {
		distance := cmplx.Abs(want[i] - have[i])
		sum += distance
		most = max(most, distance)
	}
	return -math.Log2(sum / float64(len(want))), -math.Log2(most)
}

func main() {
	repetitions := flag.Int("repetitions", 2, "bootstraps; the median time counts")
	logN := flag.Int("insecure-log-n", publishedLogN, "a ring of 2^LOG_N; below the published one it has no security")
	flag.Parse()

	set := bootstrapping.N16QP1546H192H32
	set.SchemeParams.LogN = *logN
	set.BootstrappingParams.LogN = logN
	params := must(ckks.NewParametersFromLiteral(set.SchemeParams))
	btp := must(bootstrapping.NewParametersFromLiteral(params, set.BootstrappingParams))
	// Fewer slots need a larger ratio for the same precision, as Lattigo's own example has it.
	btp.Mod1ParametersLiteral.LogMessageRatio += publishedLogN - *logN

	keygen := rlwe.NewKeyGenerator(params)
	secretKey, publicKey := keygen.GenKeyPairNew()
	start := time.Now()
	keys, _, err := btp.GenEvaluationKeys(secretKey)
	must(keys, err)
	keySeconds := time.Since(start).Seconds()
	evaluator := must(bootstrapping.NewEvaluator(btp, keys))
	encoder := ckks.NewEncoder(params)
	encryptor := rlwe.NewEncryptor(params, publicKey)
	decryptor := rlwe.NewDecryptor(params, secretKey)

	var seconds []float64
	var mean, worst float64
	level := 0
	for range *repetitions {
		want := make([]complex128, params.MaxSlots())
		for i := range want {
			want[i] = sampling.RandComplex128(-1, 1)
		}
		plaintext := ckks.NewPlaintext(params, 0)
		must(0, encoder.Encode(want, plaintext))
		ciphertext := must(encryptor.EncryptNew(plaintext))
		start := time.Now()
		refreshed := must(evaluator.Bootstrap(ciphertext))
		seconds = append(seconds, time.Since(start).Seconds())
		have := make([]complex128, params.MaxSlots())
		must(0, encoder.Decode(decryptor.DecryptNew(refreshed), have))
		mean, worst = bits(want, have)
		level = refreshed.Level()
	}
	slices.Sort(seconds)
	var usage syscall.Rusage
	must(0, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"set":               "N16QP1546H192H32",
		"log_n":             *logN,
		"log2_qp":           btp.BootstrappingParameters.LogQP(),
		"slots":             params.MaxSlots(),
		"bootstrap_seconds": seconds[len(seconds)/2],
		"least_seconds":     seconds[0],
		"mean_bits":         mean,
		"worst_bits":        worst,
		"level_out":         level,
		"key_gigabytes":     float64(keys.BinarySize()) / 1e9,
		"key_seconds":       keySeconds,
		"peak_gigabytes":    float64(usage.Maxrss) * 1024 / 1e9,
	}))
}
