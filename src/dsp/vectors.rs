//! Loops over cells, compiled twice: for every processor, and for those with vectors of 256 bits. Both do the same
//! operations in the same order on each number, so the bits are the same.

/// A function whose loops are also compiled for AVX2, and run so where the processor has it. What it calls takes part
/// as far as it is `#[inline(always)]`.
macro_rules! vectorized {
    ($(#[$about:meta])* $visible:vis fn $name:ident($($argument:ident: $of:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$about])*
        $visible fn $name($($argument: $of),*) $(-> $result)? {
            #[inline(always)]
            fn for_any($($argument: $of),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn for_avx2($($argument: $of),*) $(-> $result)? {
                    for_any($($argument),*)
                }
                if std::is_x86_feature_detected!("avx2") {
                    // SAFETY: all that it enables was just found.
                    #[expect(unsafe_code, reason = "there is no other way to call it")]
                    return unsafe { for_avx2($($argument),*) };
                }
            }
            for_any($($argument),*)
        }
    };
}

pub(crate) use vectorized;

#[cfg(test)]
mod tests {
    vectorized! {
        fn scaled_sum(values: &mut [f32], factor: f32) -> f32 {
            let mut sum = 0.0;
            for value in values {
                *value = *value * factor + 0.1;
                sum += *value;
            }
            sum
        }
    }

    #[test]
    fn wide_loops_give_the_bits_of_narrow_ones() {
        let mut values: Vec<f32> = (0..1003).map(|i| (i as f32 * 0.37).sin()).collect();
        let expected: Vec<f32> = values.iter().map(|value| std::hint::black_box(value * 1.7) + 0.1).collect();
        let sum = scaled_sum(&mut values, 1.7);
        assert_eq!(values, expected);
        assert_eq!(sum, expected.iter().sum::<f32>());
    }
}
