"""The steps of a look at an Application, in their order: ruling, targeting, comparing, operating, resting."""
