// SPDX-License-Identifier: Apache-2.0

/// Which version of Strata this is.
public enum StrataVersion {
    /// By semantic versioning, such as `1.4.0`.
    public static let current = "0.1.0"
}
