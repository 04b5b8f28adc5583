// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import CStrataSupport
import StrataTransportSupport

/// What all transfers of a loop share, for as long as the loop lives.
struct LoopMemory {
    /// Where libcurl gets its memory while it works for this loop, whichever thread that is on.
    let store = strata_store_make()
    let pool = SegmentPool(limit: 64)
    let fields = FieldMemory()
    /// The addresses of the configuration, in libcurl's form.
    let overrides: UnsafeMutablePointer<curl_slist>?

    init(_ options: HandleOptions) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in options.addressOverrides {
            if let longer = curl_slist_append(list, line) { list = longer }
        }
        overrides = list
    }

    /// A place for the last field of a handle's responses, where this libcurl needs one.
    func lastField() -> LastField? {
        CurlVersion.current.keepsPointersToOldFields ? LastField(in: store) : nil
    }

    /// No handle is left.
    func free() {
        curl_slist_free_all(overrides)
        strata_store_free(store)
    }
}
