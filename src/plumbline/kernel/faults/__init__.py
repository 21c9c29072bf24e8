"""The fault kit: controllers under every fault that a cluster can show, on virtual time, from a seed.

A scenario says which controllers run and what people do. It is run once without faults and then under many seeds; end
states and effects must be the same. A seed that shows a difference shows it every time.
"""
