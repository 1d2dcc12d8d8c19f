// SPDX-License-Identifier: Apache-2.0
// Listings of our own kernels as iga64 wrote them, shortened: a small matrix product for pvc and cri (with a few of the
// moves before the loop), and pieces of others.
#pragma once

namespace fixtures {

inline constexpr const char* product_pvc = R"(
L0:
(W)     and (1|M0)               r255.0<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud
(W)     add (1|M0)               r255.0<1>:ud  r255.0<0;1,0>:ud  0x0:ud              {I@1}
(W)     send.ugm (1|M0)          r1       r255    null:0  0xFF000000            0x6218D500           {A@1,$0} // wr:1+0, rd:1; load.ugm.d32x16t.a32.ca.ca.bti[255]
(W)     mov (1|M0)               r2.0<1>:q     r1.0<0;1,0>:q                    {Compacted}
(W)     mov (1|M0)               r2.7<1>:d     69391:d
(W)     mov (1|M0)               r19.0<1>:q    r1.1<0;1,0>:q                    {Compacted}
(W)     mov (1|M0)               r19.7<1>:d    73487:d
L664:
(W)     mov (1|M0)               r2.5<1>:d     r1.13<0;1,0>:d                   {I@6}
(W)     mov (1|M0)               r19.6<1>:d    r1.13<0;1,0>:d
(W)     add (1|M0)               r20.6<1>:ud   r1.13<0;1,0>:d    96:w
(W)     mov (1|M0)               r20.0<1>:uq   r1.1<0;1,0>:q
(W)     mov (1|M0)               r20.2<1>:ud   r2.12<0;1,0>:d
        sync.nop                             null                             {Compacted,$1.src}
        send.ugm (1|M0)          r3       r2      null:0  0x0            0x03000203           {I@5,$2} // wr:1+0, rd:16; load_block2d.ugm.d16.a64
        send.ugm (1|M0)          r22      r19     null:0  0x0            0x03F00283           {I@4,$3} // wr:1+0, rd:31; load_block2d.ugm.d16v.a64
(W)     mov (1|M0)               r20.3<1>:ud   r2.13<0;1,0>:d
(W)     mov (1|M0)               r20.4<1>:ud   r2.12<0;1,0>:d
(W)     mov (1|M0)               r20.5<1>:ud   r1.10<0;1,0>:d
(W)     mov (1|M0)               r20.7<1>:ud   0x1F1F:uw
(W)     add (1|M0)               r1.13<1>:d    r1.13<0;1,0>:d    32:w
        send.ugm (1|M0)          null     r20     null:0  0x0            0x02080203           {A@2,$4} // wr:1+0, rd:0; load_block2d.ugm.d16.a64.ca.ca
(W)     cmp (16|M0)   (lt)f0.0   null<1>:d     r1.13<0;1,0>:d    r1.8<0;1,0>:d    {I@1}
        sync.nop                             null                             {Compacted,A@1}
        sync.allwr                           ($1,$3)                 {Compacted}
        dpas.8x8 (16|M0)         r80:f         r80:f             r22:bf            r3.0:bf          {Atomic,Compacted,$2.dst}
        dpas.8x8 (16|M0)         r72:f         r72:f             r38:bf            r3.0:bf          {Atomic,Compacted}
        dpas.8x8 (16|M0)         r62:f         r62:f             r22:bf            r7.0:bf          {Atomic,Compacted}
        dpas.8x8 (16|M0)         r54:f         r54:f             r38:bf            r7.0:bf          {Atomic,Compacted}
        dpas.8x8 (16|M0)         r80:f         r80:f             r30:bf            r11.0:bf         {Atomic,Compacted}
        dpas.8x8 (16|M0)         r72:f         r72:f             r46:bf            r11.0:bf         {Atomic,Compacted}
        dpas.8x8 (16|M0)         r62:f         r62:f             r30:bf            r15.0:bf         {Atomic,Compacted}
        dpas.8x8 (16|M0)         r54:f         r54:f             r46:bf            r15.0:bf         {Compacted,$1}
(W)     mov (1|M0)               null<1>:ud    0x30433:ud                              {$4.src}
(W)     mov (1|M0)               null<1>:ud    r19.0<0;1,0>:ud                  {Compacted}
(W)     mov (1|M0)               null<1>:ud    r20.0<0;1,0>:ud                  {Compacted}
        sync.nop                             null                             {Compacted,I@1}
(W&f0.0) jmpi                                L664
L1032:
        send.ugm (1|M0)          null     r88     r54:8   0x0            0x02000407           {A@1,$7} // wr:1+8, rd:0; store_block2d.ugm.d32.a64
(W)     send.gtwy (1|M0)         null     r255    null:0  0x0            0x02000010           {EOT,F@1,$8} // wr:1+0, rd:0; end of thread
L1568:
        nop
(W)     mov (16|M0)              null<1>:ud    0x9DBBD0B1:ud
(W)     mov (16|M0)              null<1>:ud    0x798D8727:ud
(W)     mov (16|M0)              null<1>:ud    0x0:ud
(W)     mov (16|M0)              null<1>:ud    0x1:ud
        illegal
        illegal
)";

inline constexpr const char* product_cri = R"(
L0:
(W)     mov (1|M0)               s0.3<1>:uq    0x0:uq
(W)     mov (1|M0)               r20.0<1>:q    r1.2<0;1,0>:q                    {Compacted}
(W)     mov (1|M0)               r20.7<1>:d    69391:d
(W)     mov (1|M0)               r53.0<1>:q    r1.3<0;1,0>:q
(W)     mov (1|M0)               r53.7<1>:d    73487:d
L640:
(W)     mov (1|M0)               r20.5<1>:d    r3.4<0;1,0>:d                    {I@6}
(W)     mov (1|M0)               r53.6<1>:d    r3.4<0;1,0>:d
(W)     add (1|M0)               r86.6<1>:ud   r3.4<0;1,0>:d     96:w               {$1.src}
(W)     mov (1|M0)               r86.0<1>:uq   r1.3<0;1,0>:q
(W)     mov (1|M0)               r86.2<1>:ud   r3.8<0;1,0>:d
        sync.nop                             null                             {$0.src}
        sendg.ugm (1|M0)         r4       r20:1  null:0  0x8803 {I@5,$2} // load_block2d.ugm.d16.a64 [src0]
        sendg.ugm (1|M0)         r21      r53:1  null:0  0x8A03 {I@4,$3} // load_block2d.ugm.d16v.a64 [src0]
(W)     mov (1|M0)               r86.3<1>:ud   r3.9<0;1,0>:d
(W)     mov (1|M0)               r86.4<1>:ud   r3.8<0;1,0>:d
(W)     mov (1|M0)               r86.5<1>:ud   r3.1<0;1,0>:d
(W)     mov (1|M0)               r86.7<1>:ud   0x1F1F:uw
(W)     add (1|M0)               r3.4<1>:d     r3.4<0;1,0>:d     32:w
        sendg.ugm (1|M0)         null     r86:1  null:0  0x98803 {I@2,$1} // rd:0 B; load_block2d.ugm.d16.a64.ca.ca.ca [src0]
(W)     cmp (16|M0)   (lt)f0.0   null<1>:d     r3.4<0;1,0>:d     r1.12<0;1,0>:d   {I@1}
        sync.nop                             null                             {F@1}
        sync.allwr                           ($0,$3)
        dpas.8x8 (16|M0)         r78:f         r78:f             r21:bf            r4.0:bf          {Atomic,Fwd,$2.dst}
        dpas.8x8 (16|M0)         r78:f         r78:f             r29:bf            r12.0:bf         {Atomic,Compacted}
        dpas.8x8 (16|M0)         r70:f         r70:f             r37:bf            r4.0:bf          {Atomic,Fwd}
        dpas.8x8 (16|M0)         r70:f         r70:f             r45:bf            r12.0:bf         {Atomic,Compacted}
        dpas.8x8 (16|M0)         r62:f         r62:f             r21:bf            r8.0:bf          {Atomic,Fwd}
        dpas.8x8 (16|M0)         r62:f         r62:f             r29:bf            r16.0:bf         {Atomic,Compacted}
        dpas.8x8 (16|M0)         r54:f         r54:f             r37:bf            r8.0:bf          {Atomic,Fwd}
        dpas.8x8 (16|M0)         r54:f         r54:f             r45:bf            r16.0:bf         {Compacted,$0}
(W&f0.0) jmpi                                L640
L1024:
        sendg.ugm (1|M0)         null     r90:1  r54:8  0x9007 {I@1,$6} // rd:0 B; store_block2d.ugm.d32.a64 [src0]
(W)     sendg.gtwy (1|M0)        null     r0:1  null:0  0x0 {EOT,$7} // rd:0 B; end of thread
)";

}  // namespace fixtures
