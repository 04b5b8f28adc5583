// SPDX-License-Identifier: Apache-2.0

// Heads, fields, methods and statuses are part of nearly every call site: whoever imports this module can name them.
@_exported public import HTTPTypes
