// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRequest {
    /// The request's call; one that begins now for a request that no client has sent.
    var callOrNew: CallContext { call ?? CallContext(deadline: options.timeouts.deadline) }
}
