mod cases;
mod clashes;
mod law;
mod place;
mod walls;
