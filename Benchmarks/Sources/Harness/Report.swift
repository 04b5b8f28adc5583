// SPDX-License-Identifier: Apache-2.0

/// One line of figures, which `bench.py` reads.
public func report(_ figures: [(String, Double)]) {
    print(figures.map { "\($0)=\(decimal($1))" }.joined(separator: " "))
}

/// Two places after the point; what `bench.py` reads must not have an exponent.
private func decimal(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let digits = hundredths.magnitude % 100
    return "\(hundredths < 0 ? "-" : "")\(hundredths.magnitude / 100).\(digits < 10 ? "0" : "")\(digits)"
}
