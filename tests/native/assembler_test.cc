// What the assembler writes, read by a disassembler.
#include "runtime/machine/assembler.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "check.h"

namespace minds::runtime::machine {
namespace {

struct Written {
  const char* text;  // as objdump says it, with single spaces
  std::function<void(Assembler&)> write;
};

const std::vector<Written>& all() {
  static const std::vector<Written> lines{
      {"mov rax,QWORD PTR [rbp+0x8]", [](Assembler& a) { a.load(rax, {rbp, 8}); }},
      {"mov r9,QWORD PTR [r12+0x0]", [](Assembler& a) { a.load(r9, {r12, 0}); }},
      {"mov r13,QWORD PTR [r13+0x100]", [](Assembler& a) { a.load(r13, {r13, 256}); }},
      {"mov QWORD PTR [rsp+0x10],rbx", [](Assembler& a) { a.store({rsp, 16}, rbx); }},
      {"mov rdi,r12", [](Assembler& a) { a.move(rdi, r12); }},
      {"mov r8d,DWORD PTR [r14+0x40]", [](Assembler& a) { a.op(Op::kLoad32, r8, Mem{r14, 64}); }},
      {"mov DWORD PTR [r14-0x80],r9d", [](Assembler& a) { a.op(Op::kStore32, r9, Mem{r14, -128}); }},
      {"mov BYTE PTR [r14+0x1000],sil", [](Assembler& a) { a.op(Op::kStore8, rsi, Mem{r14, 4096}); }},
      {"movzx r11d,BYTE PTR [rsp+0x80]", [](Assembler& a) { a.op(Op::kLoadByte, r11, Mem{rsp, 128}); }},
      {"lea rdi,[r15-0x80]", [](Assembler& a) { a.op(Op::kLea, rdi, Mem{r15, -128}); }},
      {"add rsi,rbx", [](Assembler& a) { a.op(Op::kAdd, rsi, unsigned{rbx}); }},
      {"sub r8,r15", [](Assembler& a) { a.op(Op::kSub, r8, unsigned{r15}); }},
      {"imul r8,rdi", [](Assembler& a) { a.op(Op::kImul, r8, unsigned{rdi}); }},
      {"cmp rbp,QWORD PTR [rbp+0x20]", [](Assembler& a) { a.op(Op::kCmp, rbp, Mem{rbp, 32}); }},
      {"test rdx,rdx", [](Assembler& a) { a.op(Op::kTest, rdx, unsigned{rdx}); }},
      {"test eax,eax", [](Assembler& a) { a.op(Op::kTest32, rax, unsigned{rax}); }},
      {"mov eax,0x7", [](Assembler& a) { a.constant(rax, 7); }},
      {"mov r10d,0x80000000", [](Assembler& a) { a.constant(r10, 0x80000000); }},
      {"movabs rcx,0x123456789abcdef", [](Assembler& a) { a.constant(rcx, 0x123456789abcdef); }},
      {"xor r13d,r13d", [](Assembler& a) { a.constant(r13, 0); }},
      {"mov QWORD PTR [rax+0x18],0xfffffffffffffffb", [](Assembler& a) { a.store_constant({rax, 24}, -5); }},
      {"cmp QWORD PTR [rbp+0x98],0x0", [](Assembler& a) { a.compare_constant({rbp, 0x98}, 0); }},
      {"cmp BYTE PTR [r14+0x3],0x0", [](Assembler& a) { a.compare_byte({r14, 3}, 0); }},
      {"cmp rcx,0x3f", [](Assembler& a) { a.compare(rcx, 63); }},
      {"sub QWORD PTR [r12+0x0],0x1", [](Assembler& a) { a.subtract({r12, 0}, 1); }},
      {"add rsp,0xfffffffffffffbf8", [](Assembler& a) { a.add(rsp, -1032); }},
      {"xor r8,0x1", [](Assembler& a) { a.exclusive_or(r8, 1); }},
      {"neg r9", [](Assembler& a) { a.negate(r9); }},
      {"not rbx", [](Assembler& a) { a.invert(rbx); }},
      {"cqo idiv r9", [](Assembler& a) { a.divide(r9); }},
      {"sar r8,cl", [](Assembler& a) { a.shift(r8, false); }},
      {"sar r10,0x3", [](Assembler& a) { a.shift_right(r10, 3); }},
      {"and r9,0x3f", [](Assembler& a) { a.keep_bits(r9, 63); }},
      {"imul rbx", [](Assembler& a) { a.multiply_wide(rbx); }},
      {"shl rsi,cl", [](Assembler& a) { a.shift(rsi, true); }},
      {"setb dil movzx edi,dil", [](Assembler& a) { a.set(If::kBelow, rdi); }},
      {"setg r13b movzx r13d,r13b", [](Assembler& a) { a.set(If::kGreater, r13); }},
      {"call rax", [](Assembler& a) { a.call(rax); }},
      {"jmp r11", [](Assembler& a) { a.jump(r11); }},
      {"movsd xmm9,QWORD PTR [rbp+0x60]", [](Assembler& a) { a.op(scalar(Op::kMovs, true), 9, Mem{rbp, 96}); }},
      {"movss DWORD PTR [rbp+0x8],xmm2", [](Assembler& a) { a.op(scalar(Op::kMovsStore, false), 2, Mem{rbp, 8}); }},
      {"movaps xmm12,xmm3", [](Assembler& a) { a.op(Op::kMovaps, 12, 3u); }},
      {"addsd xmm4,xmm15", [](Assembler& a) { a.op(scalar(Op::kAdds, true), 4, 15u); }},
      {"subss xmm1,xmm2", [](Assembler& a) { a.op(scalar(Op::kSubs, false), 1, 2u); }},
      {"mulsd xmm8,xmm8", [](Assembler& a) { a.op(scalar(Op::kMuls, true), 8, 8u); }},
      {"divss xmm8,xmm0", [](Assembler& a) { a.op(scalar(Op::kDivs, false), 8, 0u); }},
      {"sqrtsd xmm0,xmm10", [](Assembler& a) { a.op(scalar(Op::kSqrts, true), 0, 10u); }},
      {"ucomisd xmm2,xmm9", [](Assembler& a) { a.op(Op::kCompareDouble, 2, 9u); }},
      {"ucomiss xmm13,xmm1", [](Assembler& a) { a.op(Op::kCompareFloat, 13, 1u); }},
      {"cvtsi2sd xmm11,r9", [](Assembler& a) { a.op(scalar(Op::kFromInt, true), 11, unsigned{r9}); }},
      {"cvtsi2ss xmm2,rsi", [](Assembler& a) { a.op(scalar(Op::kFromInt, false), 2, unsigned{rsi}); }},
      {"cvtsd2ss xmm5,xmm14", [](Assembler& a) { a.op(scalar(Op::kConvert, true), 5, 14u); }},
      {"cvtss2sd xmm3,xmm2", [](Assembler& a) { a.op(scalar(Op::kConvert, false), 3, 2u); }},
      {"movq xmm0,rax", [](Assembler& a) { a.op(Op::kMovqTo, 0, unsigned{rax}); }},
      {"movups xmm0,XMMWORD PTR [rsp+0x200]", [](Assembler& a) { a.op(Op::kMovups, 0, Mem{rsp, 512}); }},
      {"movups XMMWORD PTR [r12+0x10],xmm1", [](Assembler& a) { a.op(Op::kMovupsStore, 1, Mem{r12, 16}); }},
      {"xorps xmm6,xmm6", [](Assembler& a) { a.op(Op::kXorps, 6, 6u); }},
      {"andps xmm2,xmm0", [](Assembler& a) { a.op(Op::kAndps, 2, 0u); }},
      {"push r12", [](Assembler& a) { a.push(r12); }},
      {"pop rbp", [](Assembler& a) { a.pop(rbp); }},
      {"ret", [](Assembler& a) { a.ret(); }},
  };
  return lines;
}

// The disassembled code, its instructions in one line; empty where there is no disassembler.
std::string disassembled(const std::vector<uint8_t>& code) {
  char name[] = "/tmp/minds_codeXXXXXX";
  const int file = mkstemp(name);
  if (file < 0) return "";
  std::ofstream(name, std::ios::binary).write(reinterpret_cast<const char*>(code.data()), static_cast<long>(code.size()));
  const std::string ask = "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn " + std::string(name) + " 2>&1";
  std::string text;
  if (FILE* p = popen(ask.c_str(), "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, p) != nullptr) {
      std::string l = line;
      const size_t tab = l.find(":\t");
      if (tab == std::string::npos) continue;
      for (char c : l.substr(tab + 2)) {
        if (c != ' ' && c != '\n') text += c;
        if ((c == ' ' || c == '\n') && !text.empty() && text.back() != ' ') text += ' ';
      }
    }
    pclose(p);
  }
  std::remove(name);
  return text;
}

TEST(a_disassembler_reads_what_the_assembler_writes) {
  Assembler code;
  std::string wanted;
  for (const Written& line : all()) {
    line.write(code);
    wanted += line.text + std::string(" ");
  }
  const std::string got = disassembled(code.code());
  if (got.empty()) {
    std::cerr << "no objdump: what the assembler writes was not compared\n";
    return;
  }
  EXPECT_EQ(got, wanted);
}

TEST(jumps_go_to_their_labels) {
  Assembler a;
  const Label back = a.label(), on = a.label();
  a.bind(back);
  a.jump(on);
  a.jump(If::kNotEqual, back);
  a.address(r9, back);
  a.bind(on);
  a.ret();
  a.finish();
  const std::vector<uint8_t> wanted{0xe9, 13, 0, 0, 0, 0x0f, 0x85, 0xf5, 0xff, 0xff, 0xff,
                                    0x4c, 0x8d, 0x0d, 0xee, 0xff, 0xff, 0xff, 0xc3};
  EXPECT(a.code() == wanted);
}

}  // namespace
}  // namespace minds::runtime::machine
