extension RandomSource {
    /// Returns a number in the range 0..<1.
    package func fraction() -> Double {
        bytes(4).reduce(0) { ($0 + Double($1)) / 256 }
    }
}
