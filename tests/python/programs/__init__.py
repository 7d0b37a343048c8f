"""A generator of programs that looks for false claims: wrong values, exceeded bounds, refusals without reason.

A *program* is a few lines of Python that make one engine's ciphertexts, compute on them, and look at the results. Each
line is evaluated twice: with the library's engine, and with a *model* that has the same names and computes in the clear
on double-double numbers (or exact integers). Whatever the library claims of a result, its values, bound, precision, a
release, a refusal, is then compared with what is so.

- `worlds` has the engines, and draws programs: number `index` under `seed` is always the same one, whatever build runs
  it. `drawing` chooses lines, `values` messages and numbers.
- `levels`, `circuits`, `bootstraps`, `over_limbs`, `integers`, `bits` draw the lines of one scheme each, and `surface`
  says which public names these cover, and why others compute nothing. A new public operation is on neither list, and
  fails a test.
- `double_double`, `complex_vector`, `clear` and `clear_engine` are the model of CKKS, and `clear_bits` that of bits;
  other models stand beside their lines.
- `checking` compares, `shrinking` makes failing programs minimal, `__main__` is the command line, and `first_finds`
  tells which program is the first that finds a defect.
"""
