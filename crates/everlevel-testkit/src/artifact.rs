//! The parameter sets of the artifact of ACM CCS 2024 (*New Secret Keys for Enhanced Performance in (T)FHE*, ePrint
//! 2023/979) for messages of 1 to 11 bits at 2^-14: classic secrets, partial secrets with a chain of two shrinking
//! switches, and partial secrets with one shrinking switch by transforms. Numbers only, and what the artifact's model
//! counts of them.

/// Base and digits.
pub type Digits = (u32, u32);
/// Coefficients that are switched, digits, deviation.
type Switch = (usize, Digits, f64);
/// Rank, log2 of the degree, deviation; small dimension, digits of rotations; digits of the switch, and its deviation.
type Classic = ((usize, u32, f64), usize, Digits, Digits, f64);
/// Rank, log2 of the degree, coefficients that are drawn, deviation.
type Glwe = (usize, u32, usize, f64);
/// The large secret, the small dimension, digits of rotations, and the two switches.
type Chain = (Glwe, usize, Digits, [Switch; 2]);
/// A [`Chain`] with one switch, and its ring: degree, polynomials of what is switched and of the small secret.
type Transforms = (Glwe, usize, Digits, Switch, (usize, usize, usize));

/// A set's secrets and switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Secrets with all coefficients drawn, and none shared.
    Classic,
    /// Shared, and partial where security has no use for all: two switches of LWE ciphertexts.
    Chain,
    /// Shared coefficients with one switch, in a ring.
    Transforms,
}

/// A key switch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeySwitch {
    /// Coefficients that are switched.
    pub switched: usize,
    /// The switch's digits.
    pub digits: Digits,
    /// Deviation of the errors under the secret that the switch ends at.
    pub log2_std_dev: f64,
    /// Degree of the switch's ring: 1 is that of LWE.
    pub degree: usize,
}

/// A set.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// The set's secrets and switches.
    pub kind: Kind,
    /// Bits of its messages; inputs have the norm `2^bits`.
    pub bits: u32,
    /// Rank `k` of the large secret.
    pub rank: usize,
    /// log2 of the large secret's degree `N`.
    pub log_n: u32,
    /// Coefficients of the large secret that are drawn.
    pub drawn: usize,
    /// Deviation of the errors of samples under the large secret.
    pub log2_std_dev: f64,
    /// Dimension `n` of the small secret.
    pub lwe_dim: usize,
    /// Digits of rotations, masks and body alike.
    pub digits: Digits,
    /// One switch or two, one after another.
    pub switches: Vec<KeySwitch>,
}

/// Secrets of which all coefficients are drawn, for messages of 1 bit to 11.
#[rustfmt::skip]
const CLASSIC: [Classic; 11] = [
    ((5, 8, -31.07), 588, (15, 1), (3, 3), -12.66),
    ((6, 8, -37.88), 668, (18, 1), (4, 3), -14.79),
    ((4, 9, -51.49), 720, (21, 1), (4, 3), -16.17),
    ((2, 10, -51.49), 788, (23, 1), (4, 3), -17.98),
    ((1, 11, -51.49), 840, (23, 1), (3, 6), -19.36),
    ((1, 12, -62.0), 840, (14, 2), (3, 5), -19.36),
    ((1, 13, -62.0), 896, (15, 2), (3, 6), -20.85),
    ((1, 14, -62.0), 968, (11, 3), (3, 6), -22.77),
    ((1, 15, -62.0), 1024, (9, 4), (3, 7), -24.26),
    ((1, 16, -62.0), 1096, (6, 6), (2, 12), -26.17),
    ((1, 17, -62.0), 1132, (2, 20), (2, 13), -27.13),
];

/// Partial and shared secrets with key-switch chains.
#[rustfmt::skip]
const CHAIN: [Chain; 11] = [
    ((5, 8, 1280, -31.07), 532, (15, 1), [(498, (9, 1), -17.82), (250, (2, 4), -11.17)]),
    ((6, 8, 1536, -37.88), 576, (18, 1), [(640, (10, 1), -20.85), (320, (2, 5), -12.34)]),
    ((3, 9, 1536, -37.88), 648, (18, 1), [(592, (7, 2), -22.13), (296, (2, 6), -14.25)]),
    ((2, 10, 2048, -51.49), 664, (22, 1), [(922, (13, 1), -26.97), (462, (2, 6), -14.68)]),
    ((1, 11, 2048, -51.49), 732, (23, 1), [(877, (9, 2), -28.17), (439, (2, 7), -16.49)]),
    ((1, 12, 2443, -62.0), 748, (14, 2), [(1130, (16, 1), -31.94), (565, (2, 8), -16.91)]),
    ((1, 13, 2443, -62.0), 776, (15, 2), [(1111, (10, 2), -32.45), (556, (1, 16), -17.66)]),
    ((1, 14, 2443, -62.0), 816, (11, 3), [(1084, (9, 2), -33.17), (543, (1, 17), -18.72)]),
    ((1, 15, 2443, -62.0), 860, (8, 4), [(1055, (10, 2), -33.94), (528, (1, 18), -19.89)]),
    // For the last deviation, the artifact's code has [`TYPED`], which is not what its table says.
    ((1, 16, 2443, -62.0), 904, (6, 6), [(1026, (11, 2), -34.71), (513, (1, 19), -21.06)]),
    ((1, 17, 2443, -62.0), 984, (3, 12), [(972, (11, 2), -36.15), (487, (1, 21), -23.19)]),
];

/// The deviation that the artifact's code has for the small secret of 904 coefficients, for messages of 10 bits.
pub const TYPED: f64 = 4.78e-14;

/// Partial and shared secrets with a switch by transforms.
#[rustfmt::skip]
const TRANSFORMS: [Transforms; 11] = [
    ((5, 8, 1280, -31.07), 534, (15, 1), (746, (1, 9), -11.22), (256, 3, 3)),
    ((6, 8, 1536, -37.88), 590, (18, 1), (946, (1, 11), -12.71), (1024, 1, 1)),
    ((3, 9, 1536, -37.88), 686, (18, 1), (850, (1, 13), -15.27), (1024, 1, 1)),
    ((2, 10, 2048, -51.49), 682, (23, 1), (1366, (1, 14), -15.16), (512, 3, 3)),
    ((1, 11, 2048, -51.49), 766, (23, 1), (1282, (1, 15), -17.39), (512, 3, 3)),
    ((1, 12, 2443, -62.0), 774, (14, 2), (1669, (1, 15), -17.61), (2048, 1, 1)),
    ((1, 13, 2443, -62.0), 818, (14, 2), (1625, (1, 16), -18.78), (2048, 1, 1)),
    ((1, 14, 2443, -62.0), 854, (11, 3), (1589, (1, 18), -19.73), (2048, 1, 1)),
    ((1, 15, 2443, -62.0), 902, (8, 4), (1541, (1, 18), -21.01), (2048, 1, 1)),
    ((1, 16, 2443, -62.0), 938, (6, 6), (1505, (1, 20), -21.97), (512, 3, 3)),
    ((1, 17, 2443, -62.0), 1018, (3, 13), (1425, (1, 22), -24.10), (512, 3, 3)),
];

/// The artifact's sets: eleven classic ones, eleven with key-switch chains, eleven with switches by transforms.
///
/// # Panics
/// If dimensions don't add up.
pub fn sets() -> Vec<Set> {
    let of =
        |kind, i: usize, (rank, log_n, drawn, log2_std_dev): Glwe, lwe_dim, digits, switches: &[Switch], degree| {
            let switch =
                |&(switched, digits, log2_std_dev): &Switch| KeySwitch { switched, digits, log2_std_dev, degree };
            let switches: Vec<KeySwitch> = switches.iter().map(switch).collect();
            let shared = if kind == Kind::Classic { 0 } else { lwe_dim };
            assert_eq!(switches.iter().map(|switch| switch.switched).sum::<usize>() + shared, drawn);
            Set { kind, bits: i as u32 + 1, rank, log_n, drawn, log2_std_dev, lwe_dim, digits, switches }
        };
    let classic = CLASSIC.iter().enumerate().map(|(i, &((rank, log_n, deviation), lwe_dim, digits, switch, error))| {
        let dim = rank << log_n;
        of(Kind::Classic, i, (rank, log_n, dim, deviation), lwe_dim, digits, &[(dim, switch, error)], 1)
    });
    let chain = CHAIN
        .iter()
        .enumerate()
        .map(|(i, (glwe, lwe_dim, digits, switches))| of(Kind::Chain, i, *glwe, *lwe_dim, *digits, switches, 1));
    let transforms = TRANSFORMS.iter().enumerate().map(|(i, &(glwe, lwe_dim, digits, switch, (degree, from, to)))| {
        // Switched coefficients fill all polynomials but the last; four sets have a zero polynomial in the small
        // secret.
        let needed = lwe_dim.div_ceil(degree);
        assert_eq!((switch.0.div_ceil(degree), to), (from, if degree == 512 { 3 } else { needed }));
        of(Kind::Transforms, i, glwe, lwe_dim, digits, &[switch], degree)
    });
    classic.chain(chain).chain(transforms).collect()
}

impl Set {
    /// Words of 64 bits in both keys, masks among them.
    pub fn key_words(&self) -> usize {
        let columns = self.rank + 1;
        let mut words = self.lwe_dim * columns * columns * (1 << self.log_n) * self.digits.1 as usize;
        for (switch, to) in self.switches.iter().zip(self.ends()) {
            let (rows, columns) = (switch.switched.div_ceil(switch.degree), 1 + to.div_ceil(switch.degree));
            words +=
                rows * switch.digits.1 as usize * if switch.degree == 1 { to + 1 } else { columns * switch.degree };
        }
        words
    }

    /// The dimension of the secret that each switch ends at.
    pub fn ends(&self) -> Vec<usize> {
        let mut dim = self.drawn;
        let shrinking = |switch: &KeySwitch| {
            dim -= switch.switched;
            if dim == 0 { self.lwe_dim } else { dim }
        };
        self.switches.iter().map(shrinking).collect()
    }

    /// Operations of a bootstrap as the artifact counts them, by the formula that its 22 listed costs of the first two
    /// kinds have within 2 %: transforms, products and additions of a rotation, and the rows of the key switch. A
    /// switch in a ring is counted as transforms and products.
    pub fn cost(&self) -> f64 {
        let transform = |degree: f64| 1.027 * degree * degree.log2();
        let (n, columns, rows) = (f64::from(1 << self.log_n), self.rank as f64 + 1.0, f64::from(self.digits.1));
        let step = columns * ((rows + 1.0) * transform(n) + (1.213 * columns * rows + 2.06) * n) + 6454.0;
        let switches = self.switches.iter().zip(self.ends()).map(|(switch, to)| {
            let digits = f64::from(switch.digits.1);
            if switch.degree == 1 {
                return 2.1 * digits * switch.switched as f64 * (to as f64 + 1.0);
            }
            let degree = switch.degree as f64;
            let (inputs, outputs) = (switch.switched.div_ceil(switch.degree), to.div_ceil(switch.degree) + 1);
            let (inputs, outputs) = (inputs as f64 * digits, outputs as f64);
            (inputs + outputs) * transform(degree) + 1.213 * inputs * outputs * degree
        });
        switches.sum::<f64>() + self.lwe_dim as f64 * step
    }
}
