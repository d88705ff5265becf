//! The model without its weights: a small one made on the spot, and a cut-out of
//! the real vocabulary.

mod golden;
mod loading;
mod made;
mod network;
mod plain;
