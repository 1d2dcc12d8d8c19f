// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/assembly.hpp"

#include <gtest/gtest.h>

#include "kittens/inspect/report.hpp"
#include "listings.hpp"

namespace {

using namespace kittens::inspect;

/// The one instruction of a line.
instruction line(const std::string& text) {
    auto code = parse_assembly(text);
    EXPECT_EQ(code.code.size(), 1u) << text;
    return code.code.at(0);
}

send_kind kind(const std::string& text) { return line(text).send; }

TEST(assembly, reads_the_parts_of_an_instruction) {
    const auto in = line("(W&f1.0) cmp (32|M0)  (eq)f1.0   null<1>:d     r3.3<0;1,0>:d     0:w    {Compacted,I@1}");
    EXPECT_EQ(in.predicate, "W&f1.0");
    EXPECT_FALSE(in.unconditional());
    EXPECT_EQ(in.opcode, "cmp");
    EXPECT_EQ(in.exec, 32u);
    EXPECT_EQ(in.operands, (std::vector<std::string>{"null<1>:d", "r3.3<0;1,0>:d", "0:w"}));
    EXPECT_EQ(in.options, "Compacted,I@1");
    EXPECT_EQ(in.cls, op_class::compare);
}

TEST(assembly, classes) {
    EXPECT_EQ(line("dpas.8x8 (16|M0)  r80:f  r80:f  r22:bf  r3.0:bf  {Atomic}").cls, op_class::dpas);
    EXPECT_EQ(line("(W)  mov (1|M0)  r67.7<1>:ud  0x71F:uw").cls, op_class::move);
    EXPECT_EQ(line("math.exp (16|M0)  r3.0<1>:f  r2.0<1;1,0>:f").cls, op_class::math);
    EXPECT_EQ(line("bfn.(s0&s1|s2) (32|M0)   r11.0<1>:ud   r6.0<0;0>:ud   r86.0<0;0>:ud   r87.0<1>:ud").cls,
              op_class::alu);
    EXPECT_EQ(line("sync.allwr  ($5,$7,$8)").cls, op_class::sync);
    EXPECT_EQ(line("(f0.0)  goto.b (32|M0)  L488  L352").cls, op_class::control);
}

TEST(assembly, tells_sends_by_their_messages) {
    EXPECT_EQ(kind("send.ugm (1|M0) r70 r253 null:0 0x0 0x03F00203 {$7} // wr:1+0, rd:31; load_block2d.ugm.d16.a64"),
              send_kind::block_load);
    EXPECT_EQ(kind("send.ugm (1|M0) r35 r253 null:0 0x20000 0x03F00283 {$9} // wr:1+0, rd:31; "
                   "load_block2d.ugm.d16v.a64.flat[A+(0x20,0x0)]"),
              send_kind::transform_load);
    EXPECT_EQ(kind("send.ugm (1|M0) r21 r11 null:0 0x0 0x02808403 {$2} // wr:1+0, rd:8; load_block2d.ugm.d32t.a64"),
              send_kind::transpose_load);
    EXPECT_EQ(
        kind("send.ugm (1|M0) null r68 null:0 0x0 0x02080203 {$10} // wr:1+0, rd:0; load_block2d.ugm.d16.a64.ca.ca"),
        send_kind::prefetch);
    EXPECT_EQ(kind("sendg.ugm (1|M0) null r6:1 r8:8 0x9007 {$1} // rd:0 B; store_block2d.ugm.d16.a64 [src0]"),
              send_kind::block_store);
    EXPECT_EQ(kind("send.ugm (32|M0) r17 r7 null:0 0x0 0x08803580 {$3} // wr:4+0, rd:8; load.ugm.d32x4.a64"),
              send_kind::gather_load);
    EXPECT_EQ(kind("sendg.ugm (32|M0) null r25:4 r9:2 s0.16 0x2B00009004 {$18} // rd:0 B; store.ugm.d32.a64 "
                   "[s0.16+src0+0x2B000]"),
              send_kind::scatter_store);
    EXPECT_EQ(kind("(W) send.ugm (1|M0) r2 r1 null:0 0x0 0x02400000 {$0} // wr:1+0, rd:4; load.ugm.d32x64t.a64"),
              send_kind::linear_load);
    EXPECT_EQ(kind("(W) send.ugm (1|M0) null r2 r3:4 0x0 0x02000000 {$0} // wr:1+4, rd:0; store.ugm.d64x32t.a64"),
              send_kind::linear_store);
    EXPECT_EQ(kind("send.slm (32|M0) null r15 r17:8 0x0 0x04003504 {$3} // wr:2+8, rd:0; store.slm.d32x4.a32"),
              send_kind::slm_store);
    EXPECT_EQ(kind("send.slm (32|M0) r27 r5 null:0 0x0 0x04803500 {$6} // wr:2+0, rd:8; load.slm.d32x4.a32"),
              send_kind::slm_load);
    EXPECT_EQ(kind("send.ugm (32|M0) null r14 null:0 0x0 0x08000588 {$4} // wr:4+0, rd:0; atomic_iinc.ugm.d32.a64"),
              send_kind::atomic);
    EXPECT_EQ(kind("(W) send.ugm (1|M0) r21 r0 null:0 0x0 0x0210061F {$6} // wr:1+0, rd:1; fence.ugm.none.gpu"),
              send_kind::fence);
    EXPECT_EQ(kind("(W) send.gtwy (1|M0) null r26 null:0 0x0 0x02000004 {$5} // wr:1+0, rd:0; signal barrier"),
              send_kind::barrier);
    EXPECT_EQ(kind("(W) send.ugm (1|M0) r1 r255 null:0 0xFF000000 0x6218D500 {$0} // wr:1+0, rd:1; "
                   "load.ugm.d32x16t.a32.ca.ca.bti[255]"),
              send_kind::argument_load);
    EXPECT_EQ(kind("(W) sendg.ugm (1|M0) r2 r1:1 null:0 s0.24 0x289700 {$0} // rd:128 B; "
                   "load.ugm.d32x32t.a64.ovf.ca.ca.uc [s0.24+src0]"),
              send_kind::argument_load);
}

TEST(assembly, tells_scratch_traffic_on_every_device) {
    EXPECT_EQ(
        kind("(W) send.dc0 (16|M0) r46 r0 null:0 0x0 0x024C3002 {$1} // wr:1h+0, rd:4; hword scratch block read x8"),
        send_kind::scratch_load);
    EXPECT_EQ(
        kind("(W) send.dc0 (16|M0) null r0 r46:4 0x0 0x020F3002 {$5} // wr:1h+4, rd:0; hword scratch block write x8"),
        send_kind::scratch_store);
    EXPECT_EQ(
        kind("(W) send.ugm (1|M0) r2 r3 null:0 a0.2 0x0 {$1} // wr:1+0, rd:4; load.ugm.d32x64t.a32.ss[a0.2][A-0xE2C0]"),
        send_kind::scratch_load);
    EXPECT_EQ(kind("sendg.ugm (32|M0) r11 r23:2 null:0 s0.56 0x1602 {$1} // rd:512 B; "
                   "load.ugm.d32x4.a32.ovf.ca.ca.uc surf[s0.56][src0+0xB0]"),
              send_kind::scratch_load);
}

TEST(assembly, an_instruction_that_iga_cannot_decode_is_counted_and_trusted_for_nothing) {
    const auto in =
        line("        illegal                 // sendgx:     35 20 01 80 04 10 00 01: GED reports invalid field");
    EXPECT_TRUE(in.undecoded);
    EXPECT_EQ(in.cls, op_class::send);
    EXPECT_EQ(in.send, send_kind::other);
}

TEST(assembly, what_is_no_instruction_is_an_error) {
    EXPECT_THROW(parse_assembly("mov (1|M0) r1.0<1>:ud 0x0:ud\n???\n"), inspect_error);
    EXPECT_THROW(parse_assembly("mov (1|M0) r1.0<1>:ud 0x0:ud {Compacted\n"), inspect_error);
}

TEST(assembly, register_operands) {
    const auto scalar = parse_register("r2.3<0;1,0>:q");
    ASSERT_TRUE(scalar);
    EXPECT_EQ(scalar->reg, 2u);
    EXPECT_EQ(scalar->byte, 24u);
    EXPECT_EQ(scalar->element_bytes, 8u);
    EXPECT_EQ(scalar->stride, 0u);
    EXPECT_EQ(parse_register("r102.0<1;1,0>:f")->stride, 1u);
    EXPECT_EQ(parse_register("r14.0<2;1,0>:d")->stride, 2u);
    EXPECT_EQ(parse_register("-r1.36<2>:b")->byte, 36u);
    EXPECT_EQ(parse_register("r102:1")->reg, 102u);
    for (const char* other : {"null", "null:0", "acc0.0<1>:ud", "r[a0.0]<1>:ud", "0x0:ud", "s0.16"})
        EXPECT_FALSE(parse_register(other)) << other;
}

TEST(assembly, immediates) {
    EXPECT_EQ(parse_immediate("0x71F:uw"), 0x71fu);
    EXPECT_EQ(parse_immediate("73487:d"), 73487u);
    EXPECT_EQ(parse_immediate("-1:w"), ~std::uint64_t{0});
    EXPECT_EQ(parse_immediate("1.02977e-40:f"), 73487u) << "an integer that was moved as a float";
    EXPECT_EQ(parse_immediate("0.0:f"), 0u);
    EXPECT_FALSE(parse_immediate("1.5:f")) << "the listing does not show all its digits";
    EXPECT_FALSE(parse_immediate("r3.0<0;1,0>:d"));
}

TEST(loops, padding_and_hash_behind_the_end_of_thread_are_no_instructions) {
    const auto code = parse_assembly(fixtures::product_pvc);
    EXPECT_EQ(code.code.back().send, send_kind::end_of_thread);
    for (const auto& in : code.code) EXPECT_NE(in.opcode, "illegal");
}

TEST(loops, a_simple_loop) {
    const auto code = parse_assembly(fixtures::product_pvc);
    const auto loops = find_loops(code);
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].label, "L664");
    EXPECT_EQ(loops[0].members.size(), 30u);
    EXPECT_EQ(main_loop(code, loops), 0u);
}

constexpr const char* nested = R"(
L0:
        mov (16|M0)              r2.0<1>:f  0.0:f
L16:
        dpas.8x8 (16|M0)         r40:f         r40:f             r22:bf            r3.0:bf
L32:
        add (16|M0)              r4.0<1>:d  r4.0<1;1,0>:d  1:w
(W&f0.0) jmpi                                L32
        dpas.8x8 (16|M0)         r48:f         r48:f             r22:bf            r3.0:bf
(f0.1)  goto.b (16|M0)                       L96                  L96
(W)     jmpi                                 L16
L96:
        join (16|M0)                         L112
L112:
(W)     send.gtwy (1|M0)         null     r255    null:0  0x0            0x02000010           {EOT} // wr:1+0, rd:0; end of thread
)";

TEST(loops, nesting_and_the_main_loop) {
    const auto code = parse_assembly(nested);
    const auto loops = find_loops(code);
    ASSERT_EQ(loops.size(), 2u);
    EXPECT_EQ(loops[0].label, "L16");
    EXPECT_EQ(loops[0].members.size(), 6u);
    EXPECT_EQ(loops[0].own.size(), 4u) << "what belongs to the inner loop is not counted again";
    EXPECT_EQ(loops[1].label, "L32");
    EXPECT_EQ(loops[1].parent, 0);
    EXPECT_EQ(main_loop(code, loops), 0u) << "the loop with the dpas, though another is nested in it";
}

TEST(loops, straight_code_has_none) {
    const auto code = parse_assembly(
        "mov (16|M0) r2.0<1>:f 0.0:f\n(W) send.gtwy (1|M0) null r1 null:0 0x0 0x02000010 "
        "{EOT} // wr:1+0, rd:0; end of thread\n");
    const auto loops = find_loops(code);
    EXPECT_TRUE(loops.empty());
    EXPECT_FALSE(main_loop(code, loops));
}

/// As .ze_info gives it: pointers a, b, c, then m, n, k.
zebin_kernel product_kernel(gpu device) {
    zebin_kernel kernel;
    kernel.name = "product";
    kernel.simd = 16;
    kernel.grf = 256;
    const unsigned first = device == gpu::cri ? 16 : 0;
    kernel.inline_bytes = device == gpu::cri ? 64 : 0;
    for (unsigned i = 0; i < 3; ++i)
        kernel.arguments.push_back({.offset = first + 8 * i,
                                    .size = 8,
                                    .index = static_cast<int>(i),
                                    .source_offset = 0,
                                    .kind = "arg_bypointer"});
    return kernel;
}

class product_listing : public ::testing::TestWithParam<gpu> {};

TEST_P(product_listing, main_loop_is_counted_and_explained) {
    const char* listing = GetParam() == gpu::cri ? fixtures::product_cri : fixtures::product_pvc;
    const auto report = analyse_kernel(product_kernel(GetParam()), listing, 4);
    ASSERT_TRUE(report.main_loop);
    const auto& loop = *report.main_loop;
    EXPECT_EQ(loop.counts.dpas, 8u);
    EXPECT_EQ(loop.counts.block_loads, 1u);
    EXPECT_EQ(loop.counts.transform_loads, 1u);
    EXPECT_EQ(loop.counts.prefetches, 1u);
    EXPECT_EQ(loop.counts.sends(), 3u);
    EXPECT_EQ(loop.counts.other_sends, 0u);
    EXPECT_EQ(loop.counts.instructions, GetParam() == gpu::cri ? 26u : 30u);
    EXPECT_EQ(loop.k_steps, 2u) << "8 dpas at 4 per step";
    EXPECT_EQ(loop.loaded_bytes, 2u * (16 * 32 + 32 * 32));
    EXPECT_EQ(loop.prefetched_bytes, 2u * 32 * 32);

    ASSERT_EQ(loop.blocks.size(), 3u);
    EXPECT_EQ(loop.blocks[0].surface, "argument 0");
    EXPECT_EQ(loop.blocks[0].feeds, "operand A of dpas");
    EXPECT_EQ(loop.blocks[0].shape->width, 16u);
    EXPECT_EQ(loop.blocks[0].shape->height, 16u);
    EXPECT_EQ(loop.blocks[0].shape->count, 2u);
    EXPECT_EQ(loop.blocks[1].surface, "argument 1");
    EXPECT_EQ(loop.blocks[1].feeds, "operand B of dpas");
    EXPECT_EQ(loop.blocks[2].feeds, "operand B of dpas") << "the prefetch is for what is loaded from the same surface";

    const auto text = annotated_main_loop(report);
    EXPECT_NE(text.find("2-D load, VNNI packed, 16-bit 16x32 x2, 2048 B, argument 1, for operand B of dpas"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("// next iteration"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(devices, product_listing, ::testing::Values(gpu::pvc, gpu::cri),
                         [](const auto& info) { return std::string(gpu_name(info.param)); });

TEST(blocks, a_shape_that_changes_from_round_to_round_is_unknown) {
    // The payload's shape is written before the loop and again, differently, at its end.
    const auto code = parse_assembly(R"(
(W)     mov (1|M0)               r4.7<1>:ud    0x71F:uw
L16:
        send.ugm (1|M0)          r8       r4      null:0  0x0            0x03F00203           {$7} // wr:1+0, rd:4; load_block2d.ugm.d16.a64
(W)     mov (1|M0)               r4.7<1>:ud    0xF1F:uw
(W&f0.0) jmpi                                L16
)");
    const auto blocks = find_block_sends(code, product_kernel(gpu::pvc));
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_FALSE(blocks[0].shape);
}

TEST(blocks, a_conditional_definition_is_not_trusted) {
    const auto code = parse_assembly(R"(
(W)     mov (1|M0)               r4.7<1>:ud    0x71F:uw
(W&f0.0) mov (1|M0)              r4.7<1>:ud    0xF1F:uw
        send.ugm (1|M0)          r8       r4      null:0  0x0            0x03F00203           {$7} // wr:1+0, rd:4; load_block2d.ugm.d16.a64
)");
    EXPECT_FALSE(find_block_sends(code, product_kernel(gpu::pvc)).at(0).shape);
}

}  // namespace
