//! Calls of the heap, counted.

use std::cell::Cell;

/// Counts allocations and frees of the thread that asks.
struct Counting;

thread_local! {
    static N_HEAP_CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count_one() {
    N_HEAP_CALLS.try_with(|n| n.set(n.get() + 1)).ok();
}

#[expect(unsafe_code, reason = "the only way to watch the heap")]
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        count_one();
        unsafe { std::alloc::System.alloc(layout) }
    }

    // Only touched pages of large allocations take memory.
    unsafe fn alloc_zeroed(&self, layout: std::alloc::Layout) -> *mut u8 {
        count_one();
        unsafe { std::alloc::System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        count_one();
        unsafe { std::alloc::System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: std::alloc::Layout, size: usize) -> *mut u8 {
        count_one();
        unsafe { std::alloc::System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

/// Calls of the heap by this thread since it began.
pub fn heap_calls_so_far() -> u64 {
    N_HEAP_CALLS.with(Cell::get)
}

/// Calls of the heap by this thread.
pub fn heap_calls(run: impl FnOnce()) -> u64 {
    let before = heap_calls_so_far();
    run();
    heap_calls_so_far() - before
}
