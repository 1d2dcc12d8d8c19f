// SPDX-License-Identifier: Apache-2.0
//
// Which 2-D block shapes the instructions take, and what a surface must satisfy.
// Source: cl_intel_subgroup_2d_block_io and SPV_INTEL_2d_block_io for the portable set; the extra shapes are those that
// the Intel graphics compiler accepts for a device, checked by compiling. docs/instruction-model.md has the tables.
#pragma once

namespace kittens::model {

/// Lanes of the subgroup that the matrix and 2-D block instructions are defined for.
inline constexpr int subgroup_lanes = 16;

/// Which device's limits apply. `portable` is what the extension text lists, legal everywhere; `any` is the union.
enum class device { portable, pvc, bmg, cri, any };

/// The five 2-D block operations.
enum class block_op { load, transform, transpose, prefetch, store };

/// Name of an operation as messages print it.
constexpr const char* name(block_op op) {
    switch (op) {
    case block_op::load: return "2-D block load";
    case block_op::transform: return "2-D block load-transform";
    case block_op::transpose: return "2-D block load-transpose";
    case block_op::prefetch: return "2-D block prefetch";
    case block_op::store: return "2-D block store";
    }
    return "2-D block operation";
}

/// A block: `elem` bytes per element, `width` x `height` elements, `count` blocks side by side.
struct block_shape {
    int elem = 0;
    int width = 0;
    int height = 0;
    int count = 1;

    constexpr bool operator==(const block_shape&) const = default;
    /// Bytes of one row of one block.
    constexpr int row_bytes() const { return elem * width; }
    /// Bytes of the whole operation.
    constexpr int bytes() const { return elem * width * height * count; }
};

namespace detail {

constexpr bool power_of_two_up_to(int v, int limit) { return v > 0 && v <= limit && (v & (v - 1)) == 0; }

constexpr bool one_of(int v, int a, int b = -1, int c = -1, int d = -1) { return v == a || v == b || v == c || v == d; }

constexpr bool portable_load(const block_shape& s) {
    const bool rows = power_of_two_up_to(s.height, 32);
    if (s.elem == 1 && s.width == 32) return rows && one_of(s.count, 1, 2);
    if (s.elem == 1 && s.width == 16) return one_of(s.height, 8, 16, 32) && s.count == 4;
    if (s.elem == 2 && s.width == 16) return rows && one_of(s.count, 1, 2);
    if (s.elem == 4 && s.width == 16) return rows && s.count == 1;
    if (s.elem == 4 && s.width == 8) return rows && one_of(s.count, 1, 2);
    return false;
}

constexpr bool portable_transform(const block_shape& s) {
    if (s.elem == 1) return s.width == 16 && s.height == 32 && one_of(s.count, 1, 2, 4);
    if (s.elem == 2) return s.width == 16 && one_of(s.height, 16, 32) && one_of(s.count, 1, 2);
    return false;
}

constexpr bool portable_transpose(const block_shape& s) {
    return s.elem == 4 && s.width == 8 && one_of(s.height, 16, 32) && s.count == 1;
}

constexpr bool portable_prefetch(const block_shape& s) {
    if (!power_of_two_up_to(s.height, 32)) return false;
    if (s.elem == 1 && s.width == 16) {
        return (s.height == 32 && one_of(s.count, 1, 2)) || (one_of(s.height, 8, 16, 32) && s.count == 4);
    }
    if (s.elem == 1) return s.width == 32 && one_of(s.count, 1, 2);
    if (s.elem == 2) return s.width == 16 && one_of(s.count, 1, 2);
    if (s.elem == 4) return (s.width == 8 && one_of(s.count, 1, 2)) || (s.width == 16 && s.count == 1);
    return false;
}

constexpr bool portable_store(const block_shape& s) {
    if (!power_of_two_up_to(s.height, 8) || s.count != 1) return false;
    if (s.elem == 1) return one_of(s.width, 16, 32);
    return one_of(s.elem, 2, 4) && s.width == 16;
}

// Shapes beyond the list. Only those whose data order follows from the specification's rule are offered (see
// block_layout): a wider "accepted by the compiler" table exists, but acceptance is no promise of meaning.
constexpr bool extra(block_op op, const block_shape& s, device d) {
    const bool xe3p = d == device::cri || d == device::any;
    switch (op) {
    case block_op::load:
        // 32 elements of 2 bytes fill a 64-byte row: the destination element is 32 bits wide.
        return s.elem == 2 && s.width == 32 && power_of_two_up_to(s.height, 32) && s.count == 1;
    case block_op::transform:
        if (s.elem == 2 && s.width == 16)
            return power_of_two_up_to(s.height, 32) && s.height >= 2 && one_of(s.count, 1, 2);
        if (s.elem == 1 && s.width == 16) return one_of(s.height, 4, 8, 16) && one_of(s.count, 1, 2, 4);
        return false;
    case block_op::transpose:
        if (s.elem != 4 || s.height != 16 || s.count != 1) return false;
        return one_of(s.width, 1, 2, 4) || (xe3p && s.width == 16);
    case block_op::prefetch:
        if (power_of_two_up_to(s.elem, 8) && power_of_two_up_to(s.width, 64) && power_of_two_up_to(s.height, 32) &&
            one_of(s.count, 1, 2, 4) && s.row_bytes() * s.count <= 64) {
            return s.row_bytes() >= 4;
        }
        return xe3p && power_of_two_up_to(s.height, 16) && s.row_bytes() * s.count == 256 &&
               ((s.elem == 2 && s.width == 32 && s.count == 4) || (s.elem == 4 && s.width == 16 && s.count == 4) ||
                (s.elem == 4 && s.width == 32 && s.count == 2));
    case block_op::store:
        // A row of a store is spread over the 16 lanes, as a load of that shape would deliver it.
        return s.elem == 2 && s.width == 32 && power_of_two_up_to(s.height, 8) && s.count == 1;
    }
    return false;
}

}  // namespace detail

/// True when the instruction exists with this shape on the device.
constexpr bool legal(block_op op, const block_shape& s, device d = device::portable) {
    bool listed = false;
    switch (op) {
    case block_op::load: listed = detail::portable_load(s); break;
    case block_op::transform: listed = detail::portable_transform(s); break;
    case block_op::transpose: listed = detail::portable_transpose(s); break;
    case block_op::prefetch: listed = detail::portable_prefetch(s); break;
    case block_op::store: listed = detail::portable_store(s); break;
    }
    return listed || (d != device::portable && detail::extra(op, s, d));
}

/// Legal (portable) shapes of an operation, for messages: `elem bytes: width x heights xcount`.
constexpr const char* legal_shapes(block_op op) {
    switch (op) {
    case block_op::load:
        return "1 byte: 32 x {1,2,4,8,16,32} x{1,2}, 16 x {8,16,32} x4; 2 bytes: 16 x {1,2,4,8,16,32} x{1,2}; "
               "4 bytes: 16 x {1,2,4,8,16,32} x1, 8 x {1,2,4,8,16,32} x{1,2}";
    case block_op::transform: return "1 byte: 16 x 32 x{1,2,4}; 2 bytes: 16 x {16,32} x{1,2}";
    case block_op::transpose: return "4 bytes: 8 x {16,32} x1 (transpose 16-bit pairs as 4-byte elements)";
    case block_op::prefetch:
        return "1 byte: 32 x {1,2,4,8,16,32} x{1,2}, 16 x 32 x{1,2}, 16 x {8,16,32} x4; "
               "2 bytes: 16 x {1,2,4,8,16,32} x{1,2}; 4 bytes: 8 x {1,2,4,8,16,32} x{1,2}, 16 x {1,2,4,8,16,32} x1";
    case block_op::store:
        return "1 byte: {16,32} x {1,2,4,8} x1; 2 bytes: 16 x {1,2,4,8} x1; 4 bytes: 16 x {1,2,4,8} x1";
    }
    return "";
}

// ---- surfaces ------------------------------------------------------------------------------------------------------------------

/// Smallest alignment of a surface's base address, bytes.
inline constexpr int surface_base_alignment = 64;
/// Smallest surface width, bytes.
inline constexpr int surface_min_width = 64;
/// The pitch is a multiple of this many bytes (the OpenCL text; the SPIR-V text allows 8).
inline constexpr int surface_pitch_multiple = 16;
/// Largest width, height and pitch.
inline constexpr int surface_max_extent = 1 << 24;

/// What is wrong with a surface or a coordinate; `none` when nothing is.
enum class surface_error {
    none,
    base_misaligned,
    width_range,
    width_multiple,
    height_range,
    pitch_small,
    pitch_multiple,
    x_multiple
};

/// One line that says which rule is broken and what would satisfy it.
constexpr const char* message(surface_error e) {
    switch (e) {
    case surface_error::none: return "";
    case surface_error::base_misaligned: return "the surface base must be 64-byte aligned";
    case surface_error::width_range: return "the surface width must be at least 64 bytes and at most 2^24";
    case surface_error::width_multiple:
        return "the surface width must be a multiple of 4 bytes and of the element size";
    case surface_error::height_range: return "the surface height must be between 1 and 2^24 rows";
    case surface_error::pitch_small: return "the surface pitch must be at least the width and at most 2^24 bytes";
    case surface_error::pitch_multiple: return "the surface pitch must be a multiple of 16 bytes";
    case surface_error::x_multiple:
        return "the block's x coordinate must be a multiple of 4 elements for 1-byte data and of 2 for 2-byte data";
    }
    return "";
}

/// First rule that a surface breaks for elements of `elem` bytes. `base_bits` are the low bits of the address.
constexpr surface_error check_surface(unsigned long base_bits, int width_bytes, int height, int pitch_bytes, int elem) {
    if (base_bits % surface_base_alignment != 0) return surface_error::base_misaligned;
    if (width_bytes < surface_min_width || width_bytes > surface_max_extent) return surface_error::width_range;
    if (width_bytes % (elem < 4 ? 4 : elem) != 0) return surface_error::width_multiple;
    if (height < 1 || height > surface_max_extent) return surface_error::height_range;
    if (pitch_bytes < width_bytes || pitch_bytes > surface_max_extent) return surface_error::pitch_small;
    if (pitch_bytes % surface_pitch_multiple != 0) return surface_error::pitch_multiple;
    return surface_error::none;
}

/// The rule on the block's horizontal position, in elements. Negative positions are allowed and out of bounds.
constexpr surface_error check_x(int x, int elem) {
    const int multiple = elem == 1 ? 4 : elem == 2 ? 2 : 1;
    return x % multiple != 0 ? surface_error::x_multiple : surface_error::none;
}

/// True when element (column, row) is inside a surface: the bounds are width and height, not the pitch.
constexpr bool in_bounds(int column, int row, int elem, int width_bytes, int height) {
    return column >= 0 && row >= 0 && row < height && column < width_bytes / elem;
}

}  // namespace kittens::model
