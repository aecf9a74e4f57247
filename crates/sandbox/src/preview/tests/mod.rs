mod cases;
mod clashes;
mod kept;
mod law;
mod place;
mod walls;
