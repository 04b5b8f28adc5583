// SPDX-License-Identifier: Apache-2.0

// What `LLMStreams.md` takes as given.
let key = "sk-…"
