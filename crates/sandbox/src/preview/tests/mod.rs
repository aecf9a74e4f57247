mod cases;
mod clashes;
mod confinement;
mod preserved;
mod properties;
mod setup;
