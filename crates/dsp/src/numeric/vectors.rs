//! Loops over cells, compiled twice: for the baseline instruction set and for AVX2. Both versions perform the same
//! operations in the same order on each number, so their results are bit-identical.

/// Defines a function whose loops are also compiled for AVX2, and run that way if the processor supports it. Called
/// functions are included if they are `#[inline(always)]`. A loop that compilers can't vectorise has a second body,
/// named `avx2`.
#[macro_export]
macro_rules! vectorized {
    ($(#[$about:meta])* $visible:vis fn $name:ident($($argument:ident: $of:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$about])*
        $visible fn $name($($argument: $of),*) $(-> $result)? {
            #[inline(always)]
            fn for_any($($argument: $of),*) $(-> $result)? $body

            $crate::vectorized!(@run ($($argument: $of),*) $(-> $result)? { for_any($($argument),*) });
            for_any($($argument),*)
        }
    };
    (
        $(#[$about:meta])* $visible:vis fn $name:ident($($argument:ident: $of:ty),* $(,)?) $(-> $result:ty)? $body:block
        avx2 $wide:block
    ) => {
        $(#[$about])*
        $visible fn $name($($argument: $of),*) $(-> $result)? {
            $crate::vectorized!(@run ($($argument: $of),*) $(-> $result)? $wide);
            $body
        }
    };
    // Returns the result of the body compiled for AVX2, if the processor supports it.
    (@run ($($argument:ident: $of:ty),*) $(-> $result:ty)? $wide:block) => {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn for_avx2($($argument: $of),*) $(-> $result)? $wide
            if std::is_x86_feature_detected!("avx2") {
                // SAFETY: AVX2, the only feature that the function enables, was just detected.
                #[expect(unsafe_code, reason = "there is no other way to call it")]
                return unsafe { for_avx2($($argument),*) };
            }
        }
    };
}

pub use vectorized;
