// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kittens::bench {

/// Returns when every other thread of this process sleeps, or after `limit` seconds. Thread pools go on polling for new
/// work for some time after a parallel region (libgomp and OpenBLAS for milliseconds, by default); on a machine whose
/// cores are all in use that would be taken from whoever is measured next. Returns whether all were asleep.
bool wait_for_idle_threads(double limit = 0.25);

}  // namespace kittens::bench
