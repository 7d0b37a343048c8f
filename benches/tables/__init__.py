"""All tables of README.md, docs/index.md and docs/benchmarks.md, and docs/images/peers.png, from one command.

    make tables                                 # what `PYTHONPATH=benches python -m tables` is
    make tables TABLES_ARGS="--only tfhe"       # the rows of one table; others stay "not measured"
    make tables TABLES_ARGS=--estimate          # what would be measured, and how long that takes

Every row is measured in a process of its own and kept in ``out/tables.json``, with the processor, the commit and the
day: a run that was ended goes on where it was. Rows of another processor, of another commit, or of sources that no
commit has are refused. Other libraries are built under ``out/peers``, or where EVERLEVEL_PEERS says; one that can't be
built is a row that says why. ``--check``, a part of `make lint`, refuses pages whose tables aren't today's.

* `place`: where a run is, and the file of its rows;
* `jobs`: the rows, ours and others';
* `peers`: how other libraries are built, run and read;
* `published`: what others publish, with their machines;
* `pages`, `picture`: what is written;
* `check`: whether what is written is today's.
"""
