//! Read-only properties of classes.

/// Gives classes properties, each a name, a type, and its value in terms of the object.
macro_rules! properties {
    ([$($class:ident)+] as $object:ident $list:tt) => {
        $(properties!(@of $class as $object $list);)+
    };
    (@of $class:ident as $object:ident { $($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)* }) => {
        #[pymethods]
        impl $class {
            $(
                $(#[$doc])*
                #[getter]
                fn $name(&self) -> $type {
                    let $object = self;
                    $value
                }
            )*
        }
    };
}

pub(crate) use properties;
