//! Parts of the state that only some options need.

use std::ops::{Deref, DerefMut};

/// A part that may be absent, boxed to keep its owner small. Dereferences to the part and panics without one.
#[derive(Clone, Debug)]
pub(crate) struct Part<T>(Option<Box<T>>);

impl<T> Part<T> {
    /// The part that `make` returns, if it is `needed`.
    pub(crate) fn new(needed: bool, make: impl FnOnce() -> T) -> Part<T> {
        Part(needed.then(|| Box::new(make())))
    }

    #[inline]
    pub(crate) fn is_present(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Drops the part; returns whether there was one.
    pub(crate) fn remove(&mut self) -> bool {
        self.0.take().is_some()
    }
}

impl<T> Deref for Part<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_deref().expect("the options that lead here also make the part")
    }
}

impl<T> DerefMut for Part<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect("the options that lead here also make the part")
    }
}
