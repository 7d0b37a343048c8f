//! Frozen outputs. The values come from an independent Python program (plain ChaCha20, 80-digit decimals for the
//! Gaussian tables): if one of these tests fails, seeded keys no longer expand to the bits that they were written with.

use everlevel_rand::{Cipher, Domain, Error, Seed, Stream, sampler};

fn seed() -> Seed {
    Seed::from_bytes(std::array::from_fn(|i| i as u8))
}

fn stream() -> Stream {
    seed().stream(Domain::Test, 0)
}

/// A linear congruential hash of all values, in order.
fn checksum<T: Copy + TryInto<i128>>(values: &[T]) -> u64 {
    values.iter().fold(0u64, |hash, &x| {
        let x: i128 = x.try_into().unwrap_or_default();
        hash.wrapping_mul(6364136223846793005).wrapping_add(x as u64).wrapping_add(1442695040888963407)
    })
}

#[test]
fn first_word_of_every_domain_and_index() {
    let frozen: [(Domain, [u64; 3]); 10] = [
        (Domain::SecretKey, [0x3a2e6e5309fb38d8, 0xb9475b716b106afe, 0x02241fb29bbf7b87]),
        (Domain::Mask, [0x0847f33220191028, 0x425e9dd234a56b6b, 0x5407fdbbe5b3c2ed]),
        (Domain::KeyNoise, [0xfe3bc2cd44d85fe3, 0x55011673546a6b96, 0x47a614ab571ca165]),
        (Domain::EncryptionMask, [0x1ae3466b92f2f876, 0xb1129300c4b591f0, 0x5b3d4b41800ae100]),
        (Domain::EncryptionNoise, [0x94b54be3ac3f4ef8, 0xa3fdd9bda52f1840, 0x00b7c1f4eb9216ec]),
        (Domain::Ephemeral, [0x3daafb235219a8ab, 0xed6593605425080a, 0xdc39ac0ea0bb28a7]),
        (Domain::Derive, [0x2a8642855d7c1216, 0x873d1f2c5022e24e, 0x74032344722cd09e]),
        (Domain::Flooding, [0xcbed8f1906a93c52, 0x24a5804654c2b4ae, 0x1baa46ec1d505219]),
        (Domain::RandomValues, [0xe890f1ebec8b17cd, 0x0578c4df12565591, 0x929cf5f46ebc7c68]),
        (Domain::Test, [0x2a1c11ef410f05ec, 0xf20ff705b67f4d3d, 0x0e9c530831ee3f82]),
    ];
    for (domain, words) in frozen {
        for (index, word) in [0, 1, u64::MAX].into_iter().zip(words) {
            assert_eq!(seed().stream(domain, index).next_u64(), word, "{domain:?}, {index}");
        }
    }
}

#[test]
fn child_seed() {
    let child = seed().derive(Domain::Mask, 5);
    let hex: String = child.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(hex, "c32648129d8901bf884331897396efa4acf7b059fdb907c7d58b1aac418ba74a");
}

/// Every sampler: first eight of 1500 outputs, checksum of all, and the word that comes after them.
#[test]
fn uniform_mod() {
    for (q, first, hash, next) in [
        (
            0xffff_fffa_0001,
            [
                19719286359532,
                24966378914628,
                7308973031027,
                152467653727740,
                116278110440542,
                244964689065166,
                277064874232808,
                194847461580094,
            ],
            0xcaccfa2633e73fe4,
            0x27c0bfff073d79a6,
        ),
        (
            (1 << 47) + 5,
            [
                19719286359532,
                24966378914628,
                7308973031027,
                116278110440542,
                36469045589697,
                51743726340405,
                6075214840873,
                95883974877692,
            ],
            0xf125688d40d03ae4,
            0xda7579159bf6dc37,
        ),
        (97, [68, 94, 78, 62, 19, 65, 80, 53], 0xcb42a38cc50500f2, 0x037faa19cddcc3df),
        (1, [0; 8], 0x402944916a1c94ec, 0x27c0bfff073d79a6u64),
    ] {
        let mut stream = stream();
        let mut out = [0u64; 1500];
        sampler::uniform_mod(&mut stream, &mut out, q);
        assert_eq!((&out[..8], checksum(&out), stream.next_u64()), (&first[..], hash, next), "q = {q}");
    }
}

#[test]
fn uniform_mod_is_the_documented_loop() {
    for q in [2, 3, (1 << 47) - 1, 1 << 47, (1 << 48) - 59, 1 << 63, u64::MAX] {
        for len in [0, 1, 7, 8, 511, 512, 513, 2000] {
            let (mut fast, mut slow) = (stream(), stream());
            let mut out = vec![0; len];
            sampler::uniform_mod(&mut fast, &mut out, q);
            let mask = u64::MAX >> (q - 1).leading_zeros();
            let accepted = std::iter::repeat_with(|| slow.next_u64() & mask).filter(|&w| w < q);
            assert_eq!(out, accepted.take(len).collect::<Vec<_>>(), "q = {q}, {len} residues");
            assert_eq!(fast.next_u64(), slow.next_u64(), "q = {q}, {len} residues: the word after");
        }
    }
}

#[test]
fn ternary_binary_fixed_weight_one_hot() {
    type Sampler = fn(&mut Stream, &mut [i8]);
    let samplers: [(Sampler, [i8; 8], u64, u64); 4] = [
        (sampler::ternary, [-1, -1, 0, 1, 1, 0, 0, -1], 0x820211bd4422f860, 0x27c0bfff073d79a6),
        (sampler::binary, [0, 0, 1, 1, 0, 1, 1, 1], 0xa2e808626a1d6391, 0xeafad0ee9fa722cd),
        (
            |stream, out| sampler::fixed_weight(stream, out, 192).expect("192 of 1500"),
            [0, -1, 0, 0, 0, 0, 0, -1],
            0x59d2b9f95735cdd4,
            0xa8fe4730440c2f74,
        ),
        (
            |stream, out| sampler::one_hot(stream, out, 4),
            [1, 0, 0, 0, 1, 0, 0, 0],
            0xa087ecabcd6cab57,
            0x427125b3fd967bd0,
        ),
    ];
    for (sample, first, hash, next) in samplers {
        let mut stream = stream();
        let mut out = [0i8; 1500];
        sample(&mut stream, &mut out);
        assert_eq!((&out[..8], checksum(&out), stream.next_u64()), (&first[..], hash, next));
    }
}

#[test]
fn gaussian() {
    for (sigma, first, hash, next) in [
        (0.5, [1, 1, 0, 0, 0, 0, 0, 1], 0xab86d6615ca539d5, 0x27c0bfff073d79a6),
        (3.2, [4, 5, -2, 0, 1, 3, 1, 8], 0x555315b3a7db353a, 0x27c0bfff073d79a6),
        (16.0, [22, 27, -11, 2, 5, 15, 7, 38], 0x4ccbcb4517821a32, 0x27c0bfff073d79a6),
        (40.0, [77, -2, 39, 96, -42, -1, 20, 3], 0x6f91f6a3f026adad, 0x0cc0e9f3d457b5b5),
        (
            1_048_576.0,
            [2581596, 75280, 53036, -214891, -652392, 707295, -917241, -461473],
            0x289909ce9431d0f0,
            0x552b6604a5c559c3u64,
        ),
    ] {
        let mut stream = stream();
        let mut out = [0i64; 1500];
        sampler::gaussian(&mut stream, &mut out, sigma).expect("supported");
        assert_eq!((&out[..8], checksum(&out), stream.next_u64()), (&first[..], hash, next), "σ = {sigma}");
    }
}

#[test]
fn words_come_in_order_whatever_takes_them() {
    let mut whole = vec![0; 5000];
    stream().fill_u64(&mut whole);
    let mut pieces = Vec::new();
    let mut stream = stream();
    for len in (0..).map(|i| i * i * 7 % 700) {
        pieces.push(stream.next_u64());
        let mut piece = vec![0; len];
        stream.fill_u64(&mut piece);
        pieces.extend(piece);
        if pieces.len() >= whole.len() {
            break;
        }
    }
    assert_eq!(pieces[..whole.len()], whole);
}

#[test]
fn errors_carry_their_values_and_change_nothing() {
    let mut stream = stream();
    let mut out = [7i8; 4];
    let error = sampler::fixed_weight(&mut stream, &mut out, 5).expect_err("5 > 4");
    assert_eq!(error, Error::WeightExceedsLength { weight: 5, len: 4 });
    assert_eq!(error.to_string(), "fixed_weight: weight 5 exceeds the 4 entries; choose a weight of at most 4");
    assert_eq!(out, [7; 4]);
    assert_eq!(stream.next_u64(), self::stream().next_u64());
    for sigma in [f64::NAN, 0.0, -3.2, 0.4999, 1e17, f64::INFINITY] {
        let error = sampler::Gaussian::new(sigma).expect_err("unsupported");
        assert_eq!(
            error.to_string(),
            format!("gaussian: standard deviation {sigma} is outside 0.5..=72057594037927940")
        );
    }
}

#[test]
#[should_panic(expected = "the modulus is zero")]
fn modulus_zero_is_refused() {
    sampler::uniform_mod(&mut stream(), &mut [0], 0);
}

/// Output of OpenSSL: `enc -chacha20` for the key, and `enc -aes-128-ecb` of the numbers 0 and 1.
#[test]
fn streams_of_aes_are_encrypted_numbers() {
    let aes = seed().of_cipher(Cipher::Aes128);
    let mut stream = aes.stream(Domain::Mask, 5);
    let first = [0x89cb2b52befbcdf5, 0xd2fa667b216cb999, 0x6abc917886cad37d, 0x0355139ff9783c2f];
    assert_eq!([(); 4].map(|()| stream.next_u64()), first);
    // However words are taken, they are the same.
    let mut at_once = vec![0; 1000];
    aes.stream(Domain::Mask, 5).fill_u64(&mut at_once);
    assert_eq!(at_once[..4], first);
    assert!(at_once[4..].iter().all(|&word| word == stream.next_u64()));
    // Another cipher's seed is another seed, whose children are the same.
    assert!(aes != seed() && aes.of_cipher(Cipher::ChaCha20) == seed());
    assert!(aes.derive(Domain::Derive, 1) == seed().derive(Domain::Derive, 1));
    for cipher in Cipher::ALL {
        assert_eq!(Cipher::named(cipher.name()), Some(cipher));
    }
    assert_eq!(Cipher::named("aes"), None);
}

#[test]
fn seeds_compare_but_do_not_print() {
    let (a, b) = (Seed::from_os().expect("entropy"), Seed::from_os().expect("entropy"));
    assert!(a == a.clone() && a != b);
    assert_eq!(format!("{a:?} {:?}", a.stream(Domain::Test, 0)), "Seed(..) Stream(..)");
}
