// The functions of an MPI library that collectives are made of, by the standard ABI of MPI 5. The library is opened when
// a program of several processes begins; nothing links to one.
//
// Source: MPI: A Message-Passing Interface Standard, Version 5.0, chapter 20 and annex A (values of the constants).
#pragma once
#include <cstdint>
#include <string>

#include "base/status.h"

namespace minds::comm {

// Handles of the ABI are pointers; predefined ones have small values.
struct MpiComm_;
struct MpiRequest_;
struct MpiDatatype_;
struct MpiErrhandler_;
using MpiComm = MpiComm_*;
using MpiRequest = MpiRequest_*;
using MpiDatatype = MpiDatatype_*;
using MpiErrhandler = MpiErrhandler_*;
using MpiCount = int64_t;

inline const auto kMpiWorld = reinterpret_cast<MpiComm>(0x101);
inline const auto kMpiByte = reinterpret_cast<MpiDatatype>(0x247);
inline const auto kMpiErrorsReturn = reinterpret_cast<MpiErrhandler>(0x143);
inline const auto kMpiNoRequest = reinterpret_cast<MpiRequest>(0x180);
inline constexpr int kMpiThreadMultiple = 4096;
inline constexpr int kMpiTags = 32768;  // every library has so many
inline constexpr int kMpiErrorText = 512;

struct Mpi {
  int (*init_thread)(int*, char***, int, int*);
  int (*finalize)();
  int (*abort)(MpiComm, int);
  int (*comm_rank)(MpiComm, int*);
  int (*comm_size)(MpiComm, int*);
  int (*comm_set_errhandler)(MpiComm, MpiErrhandler);
  int (*isend)(const void*, MpiCount, MpiDatatype, int, int, MpiComm, MpiRequest*);
  int (*irecv)(void*, MpiCount, MpiDatatype, int, int, MpiComm, MpiRequest*);
  int (*test)(MpiRequest*, int*, void*);
  int (*error_string)(int, char*, int*);

  // Opens a library by its path or name and finds all of these.
  Status open(const std::string& path);
  // What a call returned, as an error.
  Status check(int code, const char* what) const;
};

}  // namespace minds::comm
