package import Gatefold

extension RandomSource {
    /// A number from 0 up to 1.
    package func fraction() -> Double {
        bytes(4).reduce(0) { ($0 + Double($1)) / 256 }
    }
}
