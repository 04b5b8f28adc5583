// SPDX-License-Identifier: Apache-2.0

// The one place that knows which of the two it is. Both have the same names, with few exceptions, and whoever imports this
// module sees them.
// Of OpenCombine's schedulers those of Foundation stay away: they would link all of it.
#if canImport(Combine)
@_exported public import Combine
#else
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
#endif
