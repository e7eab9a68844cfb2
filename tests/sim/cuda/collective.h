// What the stand-in of NCCL queues: one call of the device process for each piece of a group of calls.
#pragma once
#include <cstdint>

namespace minds::sim {

// Between the processes there is a folder, by which their device processes exchange files. Each member counts the collectives
// of a group of processes; a member's data for the n-th is the file "n-member", whose head is this. Messages are counted
// by sender and receiver.
struct Collective {
  enum Kind : int32_t { kAllReduce, kReduce, kReduceScatter, kAllGather, kBroadcast, kSend, kReceive };
  int32_t kind, type, operation, member, members;
  int32_t peer;  // the root, or the other of a message
  uint64_t count;
  char folder[104];
};

}  // namespace minds::sim
