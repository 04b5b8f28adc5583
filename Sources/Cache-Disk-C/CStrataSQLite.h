// SPDX-License-Identifier: Apache-2.0
//
// SQLite's C interface, and two calls with a macro for an argument that Swift does not see.
#pragma once

#include <sqlite3.h>

/// SQLite copies the text.
static inline int strata_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// SQLite copies the bytes.
static inline int strata_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return length == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                       : sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}
