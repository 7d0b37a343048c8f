"""`make seeds`: every row of the tables that the documents behind this project publish, beside what runs here.

`published` has the figures of others, `bootstraps` measures CKKS's rows and `examples` those that programs in Rust
print, `beside` sets the latter beside published ones, `page` writes docs/seeds.md, and `pictures` draws its pictures.
"""
