//! Kernels with planted faults: checked memory finds each, and says where.

use everlevel_gpu::{Argument, Device, Error, Fault, FaultKind, Host, Memory, Order};

const WORDS: usize = 512;

/// Runs a kernel of two blocks, whose argument is memory for a word a thread, and gives what it wrote.
fn run(kernel: &str, memory: Memory, order: Order) -> Result<Vec<u64>, Error> {
    let host = Host::new(memory, order);
    let (stream, mut buffer) = (host.stream()?, host.alloc(8 * WORDS)?);
    // SAFETY: the planted kernels take one argument, memory for a word of each thread; those that go beyond their
    // memory run on checked memory.
    unsafe { host.launch(&stream, kernel, [2, 1], &mut [Argument::Written(&mut buffer)]) }?;
    let mut bytes = vec![0; 8 * WORDS];
    host.download(&stream, &mut bytes, &buffer, 0)?;
    Ok(bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect())
}

fn fault(kernel: &str, memory: Memory, order: Order) -> Fault {
    match run(kernel, memory, order) {
        Err(Error::Fault { name, fault }) => {
            assert_eq!(name, kernel);
            fault
        }
        other => panic!("{kernel} in {order:?} order: {other:?}"),
    }
}

#[test]
fn planted_faults_are_found_in_every_order() {
    for order in Order::ALL {
        let found = |kernel| fault(kernel, Memory::Checked, order);
        for (kernel, kind, memory) in [
            ("planted_missing_barrier", FaultKind::Race, "words"),
            ("planted_race", FaultKind::Race, "words"),
            ("planted_out_of_bounds", FaultKind::OutOfBounds, "words"),
            ("planted_uninitialised", FaultKind::Uninitialised, "words"),
            ("planted_race_of_blocks", FaultKind::Race, "argument 0"),
            ("planted_beyond_memory", FaultKind::OutOfBounds, "argument 0"),
        ] {
            let fault = found(kernel);
            assert_eq!((fault.kind, fault.memory.as_str()), (kind, memory), "{kernel}: {fault}");
        }
        let beyond = found("planted_out_of_bounds");
        assert_eq!((beyond.index, beyond.length, beyond.thread, beyond.phase), (256, 256, 255, 1));
        let beyond = found("planted_beyond_memory");
        assert_eq!((beyond.index, beyond.length, beyond.block), (512, 512, [1, 0]));
        assert!(beyond.to_string().contains("argument 0[512] of 512"), "{beyond}");
    }
}

#[test]
fn a_right_kernel_passes_and_without_its_barrier_does_not() {
    let expected: Vec<u64> = (0..WORDS as u64).map(|i| (i + 1) % 256).collect();
    for order in Order::ALL {
        for memory in [Memory::Plain, Memory::Checked] {
            assert_eq!(run("planted_none", memory, order).as_ref(), Ok(&expected));
        }
        assert_eq!(fault("planted_none", Memory::CheckedWithoutBarriers, order).kind, FaultKind::Race);
    }
}

/// On plain memory a missing barrier shows as results that depend on the order of threads.
#[test]
fn results_of_a_race_depend_on_the_order() {
    let results = Order::ALL.map(|order| run("planted_missing_barrier", Memory::Plain, order).expect("a launch"));
    assert!(results[0] != results[1] && results[1] != results[2] && results[0] != results[2]);
}

#[test]
fn launches_and_transfers_are_refused_where_they_make_no_sense() {
    let host = Host::new(Memory::Checked, Order::Forward);
    let stream = &host.stream().expect("a stream");
    let unknown = run("planted_nothing", Memory::Checked, Order::Forward);
    assert_eq!(unknown, Err(Error::UnknownKernel { name: "planted_nothing".into() }));
    // SAFETY: a launch with another number of arguments runs nothing.
    let outcome = unsafe { host.launch(stream, "planted_none", [1, 1], &mut [Argument::Word(1), Argument::Word(2)]) };
    assert_eq!(outcome, Err(Error::OtherArguments { name: "planted_none".into(), count: 2 }));
    let mut buffer = host.alloc(100).expect("memory");
    let refused = Err(Error::OutOfRange { at: 96, len: 8, nbytes: 100 });
    assert_eq!(host.upload(stream, &mut buffer, 96, &[0; 8]), refused);
    assert_eq!(host.download(stream, &mut [0; 8], &buffer, 96), refused);
    assert!(host.upload(stream, &mut buffer, usize::MAX, &[0; 8]).is_err());
    assert_eq!(host.upload(stream, &mut buffer, 92, &[0; 8]), Ok(()));
}
