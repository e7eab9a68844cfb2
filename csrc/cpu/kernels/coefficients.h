// The numbers of the float32 formulas, for vector_math.h and for assembled ones, whose steps are the same. They are from
// tools/fit_polynomials.py.
#pragma once

namespace minds::cpu::coefficients {

constexpr float kMagic = 0x1.8p23f;  // x + kMagic has round(x) in its low bits
constexpr float kLog2E = 0x1.715476p0f, kLn2High = 0x1.62ep-1f, kLn2Low = 0x1.0bfbe8p-15f;
constexpr float kExp[] = {0.49999994f, 0.166665196f, 0.0416683927f, 0.00836878084f, 0.00138144672f};
constexpr float kExpLeast = -104.0f, kExpMost = 89.0f;
constexpr float kLog[] = {0.333333135f,  -0.250000089f, 0.200021192f,  -0.166679963f, 0.142195523f,
                                 -0.124055892f, 0.11888162f,   -0.116756521f, 0.067466408f};
constexpr int kRootHalf = 0x3f3504f3;  // the bits of sqrt(1/2)
constexpr float kTanh[] = {-0.333332807f, 0.133314207f, -0.0537377968f, 0.0206325464f, -0.00569738401f};
constexpr float kTanhNear = 0.625f;
constexpr float kErf[] = {0.128379166f,   -0.376126319f,    0.112836875f,   -0.0268589426f,
                                 0.00519990735f, -0.000813001825f, 8.31679572e-05f};
constexpr float kLnErfc[] = {9.30392853e-05f,  -1.12902129f,    -0.634647608f,    -0.106321938f,
                                    0.0232648086f,    -0.00302597927f, -2.60558227e-05f, 9.51466427e-05f,
                                    -1.66983791e-05f, 1.03941306e-06f};
constexpr float kErfMost = 4.0f, kErfNear = 0.92f;

}  // namespace minds::cpu::coefficients
