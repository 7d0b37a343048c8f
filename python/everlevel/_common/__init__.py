"""Helpers of every scheme: checks, progress, locks, files, and engines that pickles find."""
