"""What both schemes use: checks, progress, locks, files, and engines that pickles find."""
