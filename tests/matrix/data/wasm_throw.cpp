// A function that lets an exception out.
#include <stdexcept>

extern "C" void throw_out() { throw std::runtime_error("out"); }
