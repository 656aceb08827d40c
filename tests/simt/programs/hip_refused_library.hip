// SPDX-License-Identifier: MIT
// hipCUB is refused by name, with what to do instead.
// refused: hipCUB is not there: write the reduction as lessons 05 to 07 do
#include <hipcub/hipcub.hpp>

int main() { return 0; }
