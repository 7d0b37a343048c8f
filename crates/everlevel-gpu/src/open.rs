//! Devices for rings by their places: each ring has the memory of a place once in a process.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use everlevel_ring::Ring;
use everlevel_ring::device::{DeviceRing, PACKED_NBYTES};

use crate::{Arena, Arithmetic, Capacity, Device, Error, Place};

/// A device that was opened for a ring.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The ring's memory there.
    pub device: Arc<dyn DeviceRing>,
    /// Name of the device, as its maker has it.
    pub name: String,
}

/// A device that may be open, for rings of one degree and these primes.
struct Known {
    place: Place,
    log_n: u32,
    primes: Vec<u64>,
    nbytes: u64,
    name: String,
    device: Weak<dyn DeviceRing>,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Share of a device's free memory that a ring has, in percent, where nothing else is asked for.
const USUAL_SHARE: u64 = 80;

/// Share of a ring's memory that is for keys and plaintexts, in percent.
const PACKED_SHARE: u64 = 60;

/// Bytes that the host device has where nothing else is asked for.
#[cfg(feature = "host")]
const HOST_NBYTES: u64 = 1 << 30;

/// Name of the host device.
#[cfg(feature = "host")]
const HOST_NAME: &str = "kernels on the CPU";

impl Capacity {
    /// The sizes that fill so many bytes.
    pub fn of(ring: &Ring, nbytes: u64) -> Self {
        let packed = nbytes / 100 * PACKED_SHARE;
        let limb_nbytes = (ring.n() * size_of::<u64>()) as u64;
        let limb_count = u32::try_from((nbytes - packed) / limb_nbytes).unwrap_or(u32::MAX);
        Self { limb_count, packed_count: packed / PACKED_NBYTES }
    }
}

/// The device at a place for a ring: the one that is open for an equal ring, or a new one, with so many bytes, or with
/// four fifths of those that are free.
///
/// # Errors
/// [`Error::NotInThisBuild`], those of GPUs, [`Error::OutOfMemory`] where there are fewer bytes,
/// [`Error::OtherMemory`] where it is open with other ones, and [`Error::BadSize`] for small rings.
pub fn open(place: Place, ring: &Ring, nbytes: Option<u64>) -> Result<Opened, Error> {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|known| known.device.strong_count() > 0);
    let primes: Vec<u64> = (0..ring.all_primes().len()).map(|i| ring.modulus(i).q()).collect();
    let serves = |known: &&Known| known.place == place && known.log_n == ring.log_n() && known.primes == primes;
    if let Some((known, device)) = all.iter().find(serves).and_then(|known| Some((known, known.device.upgrade()?))) {
        return match nbytes {
            Some(wanted) if wanted != known.nbytes => Err(Error::OtherMemory { place, open: known.nbytes, wanted }),
            _ => Ok(Opened { device, name: known.name.clone() }),
        };
    }
    let (opened, nbytes) = new(place, ring, nbytes)?;
    let device = Arc::downgrade(&opened.device);
    all.push(Known { place, log_n: ring.log_n(), primes, nbytes, name: opened.name.clone(), device });
    Ok(opened)
}

/// Names of the first GPU, or why there is none, and of the host device where this build has it.
pub fn summary() -> String {
    let name = |place: Place, name: String| format!("{name} ({place})");
    let first = match named(Place::Gpu(0)) {
        Ok(found) => name(Place::Gpu(0), found),
        Err(error) => format!("none: {error}"),
    };
    match named(Place::Host) {
        Ok(found) => format!("{first}; {}", name(Place::Host, found)),
        Err(_) => first,
    }
}

/// The name of the device at a place.
fn named(place: Place) -> Result<String, Error> {
    match place {
        #[cfg(feature = "cuda")]
        Place::Gpu(device_id) => crate::cuda::name_of(device_id),
        #[cfg(feature = "host")]
        Place::Host => Ok(HOST_NAME.to_owned()),
        #[cfg(not(all(feature = "cuda", feature = "host")))]
        place => Err(Error::NotInThisBuild { place }),
    }
}

/// A new device, and its bytes.
fn new(place: Place, ring: &Ring, nbytes: Option<u64>) -> Result<(Opened, u64), Error> {
    match place {
        #[cfg(feature = "cuda")]
        Place::Gpu(device_id) => {
            let device = crate::Cuda::new(device_id)?;
            let (free, name, arithmetic) =
                (device.free_nbytes()? as u64, device.name().to_owned(), device.best_arithmetic());
            made(device, ring, (nbytes, free), arithmetic, name)
        }
        #[cfg(feature = "host")]
        Place::Host => {
            use crate::{Host, Memory, Order};
            let device = Host::new(Memory::Plain, Order::Forward);
            let nbytes = Some(nbytes.unwrap_or(HOST_NBYTES));
            made(device, ring, (nbytes, u64::MAX), Arithmetic::Doubles, HOST_NAME.to_owned())
        }
        #[cfg(not(all(feature = "cuda", feature = "host")))]
        place => Err(Error::NotInThisBuild { place }),
    }
}

#[cfg(any(feature = "cuda", feature = "host"))]
fn made<D: Device>(
    device: D,
    ring: &Ring,
    (nbytes, free): (Option<u64>, u64),
    arithmetic: Arithmetic,
    name: String,
) -> Result<(Opened, u64), Error> {
    let nbytes = nbytes.unwrap_or(free / 100 * USUAL_SHARE);
    if nbytes > free {
        return Err(Error::OutOfMemory { nbytes: nbytes as usize, free: Some(free as usize) });
    }
    let device = Arena::new(device, ring, arithmetic, Capacity::of(ring, nbytes))?;
    Ok((Opened { device, name }, nbytes))
}
